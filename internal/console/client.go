package console

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/ui"
)

var clientPages *resource[billing.Client, billing.ClientID]

// Set here, because pages refer to each other.
func init() {
	clientPages = &resource[billing.Client, billing.ClientID]{
		path: "api-clients", one: "API client", many: "API clients", admin: true, Resource: access.Clients,
		name:    func(a *billing.Client) string { return a.Name },
		about:   "An API client is one of your programs. It can use the API with the scopes you give it.",
		hint:    "orders, lastUsed:<2026-01-01",
		columns: []string{"Name", "Client id", "Scopes", "Token lifetime", "Last used"},
		cells: func(_ *call, rows []billing.Client) ([][]ui.Cell, error) {
			return ui.RowsOf(rows, func(a *billing.Client) []ui.Cell {
				return []ui.Cell{
					ui.Linked(a.Name, clientPages.href(a.ID)), ui.Code(a.ClientID), ui.Plain(strings.Join(a.Scopes, " ")), ui.Plain(lifetime(a.AccessTokenExpiresIn)), ui.OptionalMoment(a.LastUsedAt, "never"),
				}
			}), nil
		},
		show:   showClient,
		inputs: clientInputs,
		begin: func(*call) (billing.Client, error) {
			return billing.Client{Scopes: []string{billing.StandardRead, billing.StandardWrite}, AccessTokenExpiresIn: billing.DefaultTokenSeconds}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*billing.Client) error) (*billing.Client, error) {
			made, secret, err := c.service.Access.ClientCreate(ctx, edit, nil)
			c.secret = secret
			return made, err
		},
		created: func(c *call, a *billing.Client) error { return c.showSecret(a, c.secret, "Created") },
		update: func(c *call, ctx context.Context, id billing.ClientID, edit func(*billing.Client) error) (*billing.Client, error) {
			return c.service.Access.ClientUpdate(ctx, id, edit)
		},
		remove: func(c *call, ctx context.Context, id billing.ClientID) (*billing.Client, error) {
			return c.service.Access.ClientDelete(ctx, id)
		},
		losses: func(*call, *billing.Client) (string, error) {
			return "Its tokens stop working within a second, and the program that uses it can no longer call the API.", nil
		},
	}
}

func lifetime(seconds int) string {
	switch {
	case seconds%86400 == 0:
		return ui.Plural(seconds/86400, "day", "days")
	case seconds%3600 == 0:
		return ui.Plural(seconds/3600, "hour", "hours")
	case seconds%60 == 0:
		return ui.Plural(seconds/60, "minute", "minutes")
	}
	return ui.Plural(seconds, "second", "seconds")
}

var scopeOptions = []ui.Option{
	{Value: billing.StandardRead, Text: "standard:read — read business data"}, {Value: billing.StandardWrite, Text: "standard:write — change business data"},
	{Value: billing.BillingRead, Text: "billing:read — read invoices, entities and tax rates"}, {Value: billing.BillingWrite, Text: "billing:write — bill customers, change entities and tax rates"},
	{Value: billing.PlatformWrite, Text: "platform:write — set where webhooks go and what they carry, and test them"},
	{Value: billing.AdminRead, Text: "admin:read — read API clients, signing secrets and the audit log"}, {Value: billing.AdminWrite, Text: "admin:write — change API clients"},
}

func clientInputs(*call, *billing.Client, bool) ([]ui.Section[billing.Client], error) {
	sections := ui.Sections(billing.ClientFields, ui.InputFor(billing.ClientFields, "name").Wide())
	sections[0].Inputs = slices.Insert(sections[0].Inputs, 1, ui.Input[billing.Client]{
		Field:   ui.Field{Name: "scopes", Label: "Scopes", Kind: ui.FieldChecks, Options: scopeOptions, Wide: true},
		GetMany: func(a *billing.Client) []string { return a.Scopes },
		SetMany: func(a *billing.Client, typed []string) { a.Scopes = typed },
	})
	return sections, nil
}

func showClient(c *call, a *billing.Client) (*ui.Details, error) {
	if a.Deleted {
		return nil, missing("API client", clientPages.listLink())
	}
	data := &ui.Details{}
	data.Fact("Client id", ui.Code(a.ClientID))
	data.Fact("Scopes", ui.Plain(strings.Join(a.Scopes, " ")))
	data.Fact("Token lifetime", ui.Plain(lifetime(a.AccessTokenExpiresIn)))
	data.Fact("Limits", ui.Plain(limitsOf(a)))
	data.Fact("Last used", ui.OptionalMoment(a.LastUsedAt, "never"))
	if a.OldSecretUntil != nil && c.now().Before(*a.OldSecretUntil) {
		data.Fact("Old secret valid until", ui.Moment(*a.OldSecretUntil))
	}
	if c.may(billing.AdminWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "Renew secret", Href: clientPages.href(a.ID) + "/renew"})
	}
	data.Blocks = []ui.Block{{Title: "Get a token", Code: curlFor(c.baseURL, a, "YOUR_CLIENT_SECRET"), Note: "The secret was shown when the client was created. If you have lost it, renew it."}}
	return data, nil
}

// limitsOf says what an API client may take.
func limitsOf(a *billing.Client) string {
	var own []string
	if n := a.MaxConcurrentRequests; n != nil {
		own = append(own, ui.Plural(*n, "request", "requests")+" at once")
	}
	if n := a.MaxCPUSecondsPerMinute; n != nil {
		own = append(own, ui.Plural(*n, "CPU second", "CPU seconds")+" a minute")
	}
	if n := a.MaxMegabytesPerMinute; n != nil {
		own = append(own, ui.Grouped(*n)+" MiB a minute")
	}
	if own == nil {
		return "the server's limits"
	}
	return strings.Join(own, ", ")
}

// curlFor is a command that gets a token.
func curlFor(base string, a *billing.Client, secret string) string {
	return "curl " + base + "/oauth/token \\\n  -d grant_type=client_credentials \\\n  --data-urlencode 'scope=" + strings.Join(a.Scopes, " ") +
		"' \\\n  -d client_id=" + a.ClientID + " \\\n  -d client_secret=" + secret
}

// secretData is what the page shows that has a secret, once.
type secretData struct {
	Client       billing.Client
	Secret, Curl string
	Verb         string
}

var secretPage = newPage[secretData]("secret")

func (c *call) showSecret(a *billing.Client, secret, verb string) error {
	if secret == "" { // done by the first of two clicks, whose answer had it
		return c.goTo(clientPages.href(a.ID), "The secret was already shown and is not shown again. If you did not see it, renew it.")
	}
	c.uncompressed = true
	return secretPage.show(c, a.Name, secretData{Client: *a, Secret: secret, Curl: curlFor(c.baseURL, a, secret), Verb: verb})
}

// renewal is how a secret is renewed.
type renewal struct {
	Hours  int
	Revoke bool
}

var askRenewal = question[billing.Client, renewal]{
	path: "renew", title: "Renew secret", submit: "Renew secret",
	sections: []ui.Section[renewal]{{Inputs: []ui.Input[renewal]{
		ui.Int("overlapHours", "Hours the old secret stays valid", func(r *renewal) *int { return &r.Hours }).Help("0 to 720. Time to give the new one to the program."),
		ui.Checkbox("revokeTokens", "Revoke its current tokens", func(r *renewal) *bool { return &r.Revoke }).Help("Choose this if the secret has leaked."),
	}}},
	begin: func(*billing.Client) renewal { return renewal{Hours: 24} },
	page: func(a *billing.Client) (ui.FormData, ui.Link) {
		return ui.FormData{
			Title: "Renew the secret of “" + a.Name + "”", Crumbs: []ui.Link{clientPages.listLink(), {Text: a.Name, Href: clientPages.href(a.ID)}},
			Note: "A new secret is created and shown once.",
		}, ui.Link{Text: "Keep it", Href: clientPages.href(a.ID)}
	},
	do: func(c *call, a *billing.Client, how renewal) error {
		renewed, secret, err := c.service.Access.ClientSecretRenew(c.ctx(), a.ID, how.Hours, how.Revoke)
		if err != nil {
			return err
		}
		return c.showSecret(renewed, secret, "Renewed the secret of")
	},
}
