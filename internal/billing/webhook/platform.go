package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
)

// SignatureAlgorithm is the hash of a platform's plain signature.
type SignatureAlgorithm string

// The algorithms a plain signature can have.
const (
	SHA1   SignatureAlgorithm = "SHA1"
	SHA256 SignatureAlgorithm = "SHA256"
)

// Platform is one SaaS application of the operator. The sealed fields hold
// secrets as the store keeps them: encrypted, never shown.
type Platform struct {
	ID                  billing.PlatformID `json:"id"`
	Code                string             `json:"code"`
	Name                string             `json:"name"`
	ProvisioningEnabled bool               `json:"provisioningEnabled"`
	WebhookURL          *string            `json:"webhookUrl"`

	SigningSecretSealed string `json:"-"`
	// PreviousSecretSealed signs too until PreviousSecretUntil, so that
	// receivers have time to change.
	PreviousSecretSealed *string    `json:"-"`
	PreviousSecretUntil  *time.Time `json:"previousSecretUntil"`
	AuthTokenSealed      string     `json:"-"`
	// AuthTokenFor is the origin that the token was set for, and is sent to; see
	// NeededSecrets.
	AuthTokenFor string `json:"webhookAuthTokenFor,omitempty"`

	PlainSignatureHeader    *string             `json:"plainSignatureHeader"`
	PlainSignatureAlgorithm *SignatureAlgorithm `json:"plainSignatureAlgorithm"`
	PlainSignatureKeySealed string              `json:"-"`
	PlainSignatureKeyFor    string              `json:"plainSignatureKeyFor,omitempty"`

	// DriftPolicy is what is done if the application has something else than it was
	// told, and DriftRepairsPerMinute how many tenants are repaired at most.
	DriftPolicy           drift.Policy `json:"driftPolicy"`
	DriftRepairsPerMinute int          `json:"driftRepairsPerMinute"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewPlatform is what a platform begins with.
func NewPlatform() Platform {
	return Platform{DriftPolicy: drift.Report, DriftRepairsPerMinute: drift.UsualRepairsPerMinute}
}

// WebhookAuthTokenSet says whether a bearer token is sent with webhooks.
func (p *Platform) WebhookAuthTokenSet() bool { return p.AuthTokenSealed != "" }

// PlainSignatureKeySet says whether a key for the plain signature is known.
func (p *Platform) PlainSignatureKeySet() bool { return p.PlainSignatureKeySealed != "" }

// forgotten takes the place of a secret that was there, in a platform that was
// read from JSON.
const forgotten = "forgotten"

// platformJSON is a platform as JSON: without its secrets, but with whether it
// has them.
type platformJSON struct {
	*platformFields
	WebhookAuthTokenSet  bool `json:"webhookAuthTokenSet"`
	PlainSignatureKeySet bool `json:"plainSignatureKeySet"`
}

type platformFields Platform

// MarshalJSON leaves the secrets out.
func (p *Platform) MarshalJSON() ([]byte, error) {
	return json.Marshal(platformJSON{(*platformFields)(p), p.WebhookAuthTokenSet(), p.PlainSignatureKeySet()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Platform) UnmarshalJSON(text []byte) error {
	read := platformJSON{platformFields: (*platformFields)(p)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.WebhookAuthTokenSet {
		p.AuthTokenSealed = forgotten
	}
	if read.PlainSignatureKeySet {
		p.PlainSignatureKeySealed = forgotten
	}
	return nil
}

// EndpointState derives whether webhooks can be sent from what is configured.
func (p *Platform) EndpointState() EndpointState {
	return new(Endpoint).State(p.WebhookURL, true, false)
}

// PlatformFields describes the fields of a platform, but for its secrets.
var PlatformFields = billing.Fields[Platform]{
	{Fields: []billing.Field[Platform]{
		billing.Describe("name", "Name", func(p *Platform) *string { return &p.Name }, billing.NameText).AsRequired(),
		billing.Describe("code", "Code", func(p *Platform) *string { return &p.Code }, billing.CheckCode).AsRequired().WithHelp("In webhooks it is platform.code."),
	}},
	{Title: "Webhooks", Fields: []billing.Field[Platform]{
		billing.Describe("provisioningEnabled", "Provision tenants", func(p *Platform) *bool { return &p.ProvisioningEnabled }).
			WithHelp("Every change to a subscription sends a webhook. Turning this on sends one for every tenant with a live subscription."),
		billing.Optional("webhookUrl", "Webhook URL", func(p *Platform) **string { return &p.WebhookURL }, checkURL),
		// Set on a page of their own.
		billing.Describe("driftPolicy", "", func(p *Platform) *drift.Policy { return &p.DriftPolicy },
			billing.OneOf("The drift policy is OFF, REPORT or REPAIR, not %q.", drift.Off, drift.Report, drift.Repair)),
		billing.Describe("driftRepairsPerMinute", "", func(p *Platform) *int { return &p.DriftRepairsPerMinute },
			billing.Between(1, drift.MostRepairsPerMinute, "From %d to %d tenants are repaired a minute, not %d.")),
	}},
	{Title: "Authentication and signature", Folded: true, Fields: []billing.Field[Platform]{
		billing.Optional("plainSignatureHeader", "Plain signature header", func(p *Platform) **string { return &p.PlainSignatureHeader }, checkHeaderName).
			WithHelp("Such as X-Signature, for receivers that check a plain HMAC."),
		billing.Optional("plainSignatureAlgorithm", "", func(p *Platform) **SignatureAlgorithm { return &p.PlainSignatureAlgorithm },
			billing.OneOf("A plain signature is made with SHA1 or SHA256, not %q.", SHA1, SHA256)),
	}},
}

// Check returns what is wrong with the platform, nil if nothing is.
func (p *Platform) Check() billing.Problems {
	ps := PlatformFields.Check(p)
	if p.PlainSignatureHeader != nil && !p.PlainSignatureKeySet() {
		ps.Add(billing.Requiredf("plainSignatureKey", "A plain signature needs a key: set plainSignatureKey with the header."))
	}
	return ps
}

// Normalize turns an empty URL or header name into none. A plain signature is
// made with SHA-256 unless something else is said, and drift is shown.
func (p *Platform) Normalize() {
	if p.DriftPolicy == "" {
		p.DriftPolicy = drift.Report
		if p.DriftRepairsPerMinute == 0 {
			p.DriftRepairsPerMinute = drift.UsualRepairsPerMinute
		}
	}
	p.WebhookURL, p.PlainSignatureHeader = billing.EmptyToNil(p.WebhookURL), billing.EmptyToNil(p.PlainSignatureHeader)
	if p.PlainSignatureHeader != nil && p.PlainSignatureAlgorithm == nil {
		usual := SHA256
		p.PlainSignatureAlgorithm = &usual
	}
}

func checkURL(field, text string) *billing.Error {
	if e := billing.CheckText(field, text, 2_000); e != nil {
		return e
	}
	if _, wrong := ReadURL(text); wrong != "" {
		return billing.Invalidf(field, "%s", wrong)
	}
	return nil
}

// ReadURL reads the address that webhooks go to. If its form is wrong it
// says so, in a sentence that shows no password.
func ReadURL(text string) (u *url.URL, wrong string) {
	u, err := url.Parse(text)
	if err != nil {
		if parse := (*url.Error)(nil); errors.As(err, &parse) {
			err = parse.Err // without the URL, which may hold a password
		}
		return nil, fmt.Sprintf("The webhook URL cannot be read (%v); it must be a full address such as https://app.example.com/webhooks.", err)
	}
	switch port, err := strconv.Atoi(u.Port()); {
	case u.Scheme == "":
		wrong = "must be a full address such as https://app.example.com/webhooks."
	case u.Scheme != "https" && u.Scheme != "http":
		wrong = "must start with https:// (or http:// for a private address), not " + u.Scheme + "://."
	case u.Opaque != "" || u.Hostname() == "":
		wrong = "has no host: it must be a full address such as https://app.example.com/webhooks."
	case u.User != nil:
		wrong = "must not hold a user name or password; set webhookAuthToken instead."
	case strings.Contains(text, "#"):
		wrong = "must not have a fragment (#…): it would never be sent."
	case strings.HasSuffix(u.Host, ":") || u.Port() != "" && (err != nil || port < 1 || port > 65535):
		wrong = "must have a number from 1 to 65535 as its port, or none."
	default:
		return u, ""
	}
	return nil, "The webhook URL " + wrong
}

// CheckSignatureKey refuses what cannot be the key of a plain signature: it is
// any text, because it never leaves the server.
func CheckSignatureKey(field, value string) *billing.Error {
	return billing.CheckText(field, value, 2_000)
}
