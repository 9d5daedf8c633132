package webhook

import (
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// Origin is the scheme, host and port of an address that webhooks go to, such as
// https://app.example.com; empty if it has none.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// originOf is the origin of an address that may be missing.
func originOf(address *string) string {
	if address == nil {
		return ""
	}
	return Origin(*address)
}

// within says whether an address has the origin of another one. Mostly it begins
// with it, which is looked at first, because every event asks.
func within(address, origin string) bool {
	if origin == "" {
		return false
	}
	if rest, ok := strings.CutPrefix(address, origin); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		return true
	}
	return Origin(address) == Origin(origin)
}

// The secrets that cannot be read back, as they are called where they are set.
const (
	SecretAuthToken = "webhookAuthToken"
	SecretPlainKey  = "plainSignatureKey"
	SecretHeaders   = "recipe.headers"
)

// NeededSecret is a secret that was set for another origin than that of the
// address that webhooks go to, so that it is not sent there.
type NeededSecret struct {
	// Name is what the secret is called where it is set.
	Name string
	// For is the origin it was set for, empty if there was no address then.
	For string
}

// NeededSecrets are those that have to be given again before anything is sent to
// the platform's address. Without an address there are none.
func NeededSecrets(p *Platform, w *Workflow) (needed []NeededSecret) {
	if p.WebhookURL == nil {
		return nil
	}
	add := func(set bool, name, origin string) {
		if set && !within(*p.WebhookURL, origin) {
			needed = append(needed, NeededSecret{name, Origin(origin)})
		}
	}
	add(p.WebhookAuthTokenSet(), SecretAuthToken, p.AuthTokenFor)
	add(p.PlainSignatureKeySet() && p.PlainSignatureHeader != nil, SecretPlainKey, p.PlainSignatureKeyFor)
	if w.HeadersFor != nil {
		add(true, SecretHeaders, *w.HeadersFor)
	}
	return needed
}

// Words is the secret in the middle of a sentence.
func (n NeededSecret) Words() string {
	return map[string]string{
		SecretAuthToken: "the bearer token", SecretPlainKey: "the key of the plain signature", SecretHeaders: "the secret headers",
	}[n.Name]
}

// Was says what the secret was set for.
func (n NeededSecret) Was() string {
	if n.For == "" {
		return "before there was an address"
	}
	return "for " + n.For
}

// GiveAgain says which secrets are missing and what to do, nothing if none are.
func GiveAgain(p *Platform, needed []NeededSecret) string {
	if len(needed) == 0 {
		return ""
	}
	them := "them"
	if len(needed) == 1 && needed[0].Name != SecretHeaders {
		them = "it"
	}
	return WereSet(needed) + ". Secrets are sent to no other host: set " + them + " again for " + originOf(p.WebhookURL) + ", or remove " + them + "."
}

// WereSet says which secrets are for another host, in the middle of a sentence.
func WereSet(needed []NeededSecret) string {
	var parts []string
	for _, n := range needed {
		verb := "was"
		if n.Name == SecretHeaders {
			verb = "were"
		}
		parts = append(parts, n.Words()+" "+verb+" set "+n.Was())
	}
	return strings.Join(parts, ", and ")
}

// BindHeaders notes what the secret headers of a workflow are for: those that
// are given now for the address, those that are kept for what they were set for.
// Both at once work only if that is the same.
func (w *Workflow) BindHeaders(address *string, kept, given []string) *billing.Error {
	origin := originOf(address)
	switch {
	case len(kept)+len(given) == 0:
		w.HeadersFor = nil
	case len(kept) == 0:
		w.HeadersFor = &origin
	case w.HeadersFor == nil: // kept, and nobody knows for what
		w.HeadersFor = new(string)
	}
	if len(kept) > 0 && len(given) > 0 && Origin(*w.HeadersFor) != origin {
		was := NeededSecret{SecretHeaders, Origin(*w.HeadersFor)}.Was()
		return billing.Requiredf(SecretHeaders, "The value of %s was set %s and is sent to no other host: give all secret values again.", strings.Join(kept, ", "), was)
	}
	return nil
}
