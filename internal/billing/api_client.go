package billing

import (
	"slices"
	"strings"
	"time"
)

// MaxClientLimit is the greatest limit that an API client can have.
const MaxClientLimit = 1_000_000

// Client is an API client application. Its secret is kept as a hash only;
// while a renewed secret overlaps, the old one is good until OldSecretUntil.
type Client struct {
	ID                   ClientID   `json:"id"`
	ClientID             string     `json:"clientId"`
	Name                 string     `json:"name"`
	Scopes               []string   `json:"scopes"`
	AccessTokenExpiresIn int        `json:"accessTokenExpiresIn"`
	SecretHash           string     `json:"-"`
	OldSecretHash        string     `json:"-"`
	OldSecretUntil       *time.Time `json:"oldSecretUntil"`
	// What the client may take of each process; nil is what the server grants
	// everybody.
	MaxConcurrentRequests  *int `json:"maxConcurrentRequests"`
	MaxCPUSecondsPerMinute *int `json:"maxCpuSecondsPerMinute"`
	MaxMegabytesPerMinute  *int `json:"maxMegabytesPerMinute"`
	// Generation is in every token; raising it ends the tokens issued before.
	Generation int64      `json:"tokenGeneration"`
	Deleted    bool       `json:"-"`
	LastUsedAt *time.Time `json:"-"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
	// Version is the place of the client's last change among those of all
	// clients; see store.ClientsSince.
	Version int64 `json:"-"`
}

// ClientFields describes the fields of a client that its owner sets, but for the
// scopes.
var ClientFields = Fields[Client]{
	{Fields: []Field[Client]{
		Describe("name", "Name", func(c *Client) *string { return &c.Name }, NameText).AsRequired().WithHelp("The program that uses it."),
		Describe("accessTokenExpiresIn", "Token lifetime in seconds", func(c *Client) *int { return &c.AccessTokenExpiresIn },
			Between(1, MaxTokenSeconds, "An access token lives %d to %d seconds (30 days), not %d.")).WithHelp("1 to 2,592,000 (30 days)."),
	}},
	{Title: "Limits", Fields: []Field[Client]{
		Optional("maxConcurrentRequests", "Requests at once", func(c *Client) **int { return &c.MaxConcurrentRequests }, checkLimit).
			WithHelp("If empty, the server's limit for every client applies."),
		Optional("maxCpuSecondsPerMinute", "CPU seconds a minute", func(c *Client) **int { return &c.MaxCPUSecondsPerMinute }, checkLimit).
			WithHelp("Of each server process."),
		Optional("maxMegabytesPerMinute", "MiB a minute", func(c *Client) **int { return &c.MaxMegabytesPerMinute }, checkLimit).
			WithHelp("Requests and responses together."),
	}},
}

var checkLimit = Between(1, MaxClientLimit, "A limit of an API client is from %d to %d, not %d; leave it empty for the server's own.")

// Check returns what is wrong with the client, nil if nothing is.
func (c *Client) Check() Problems {
	p := ClientFields.Check(c)
	if len(c.Scopes) == 0 {
		p.Add(Requiredf("scopes", "An API client needs at least one scope of: %s.", strings.Join(Scopes, ", ")))
	}
	for _, scope := range c.Scopes {
		if !slices.Contains(Scopes, scope) {
			p.Add(Invalidf("scopes", "There is no scope %q. The scopes are: %s.", scope, strings.Join(Scopes, ", ")))
		}
	}
	return p
}

// Normalize puts the scopes into the order in which they are shown, each once.
// Unknown ones stay, at the end, for Check to name.
func (c *Client) Normalize() {
	place := func(scope string) int {
		if i := slices.Index(Scopes, scope); i >= 0 {
			return i
		}
		return len(Scopes)
	}
	scopes := slices.Clone(c.Scopes)
	slices.SortStableFunc(scopes, func(a, b string) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	c.Scopes = slices.Compact(scopes)
}
