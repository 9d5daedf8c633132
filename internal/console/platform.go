package console

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var platformPages *resource[webhook.Platform, billing.PlatformID]

// Set here, because pages refer to each other.
func init() {
	platformPages = &resource[webhook.Platform, billing.PlatformID]{
		path: "platforms", one: "platform", many: "Platforms", Resource: delivery.Platforms,
		name:    func(p *webhook.Platform) string { return p.Name },
		about:   "A platform is one of your applications. It gets a webhook for every change to its tenants' subscriptions.",
		hint:    "app, provisioningEnabled:true",
		columns: []string{"Name", "Code", "Provisioning", "Webhook URL", "Created"},
		cells:   platformCells,
		show:    showPlatform,
		inputs:  platformInputs,
		begin:   beginPlatform,
		create: func(c *call, ctx context.Context, edit func(*webhook.Platform) error) (*webhook.Platform, error) {
			return c.service.Delivery.PlatformCreate(ctx, edit, platformSecrets(c))
		},
		update: func(c *call, ctx context.Context, id billing.PlatformID, edit func(*webhook.Platform) error) (*webhook.Platform, error) {
			row, err := c.service.Delivery.PlatformUpdate(ctx, id, edit, platformSecrets(c))
			return row, headersElsewhere(err)
		},
	}
}

// beginPlatform offers the server's own receiver to the first platform, so that
// nobody needs an application to see a webhook arrive.
func beginPlatform(c *call) (webhook.Platform, error) {
	p := webhook.Platform{ProvisioningEnabled: true}
	others, err := some(c, store.Platforms)
	if err == nil && !others && c.receiver != "" {
		p.WebhookURL = &c.receiver
	}
	return p, err
}

// platformSecrets are the secrets that were typed; an empty field leaves one as
// it is, and the box beside it removes it.
func platformSecrets(c *call) delivery.PlatformSecrets {
	if !c.may(billing.PlatformWrite) {
		return delivery.PlatformSecrets{} // the form did not ask for them
	}
	typed := func(name string) *string {
		if value := c.r.PostForm.Get(name); value != "" {
			return &value
		}
		if c.r.PostForm.Get(name+"Remove") != "" {
			return new(string)
		}
		return nil
	}
	return delivery.PlatformSecrets{AuthToken: typed("webhookAuthToken"), PlainSignatureKey: typed("plainSignatureKey"), Ask: true}
}

func platformCells(_ *call, rows []webhook.Platform) ([][]ui.Cell, error) {
	return ui.RowsOf(rows, func(p *webhook.Platform) []ui.Cell {
		return []ui.Cell{ui.Linked(p.Name, platformPages.href(p.ID)), ui.Code(p.Code), provisioning(p), ui.OrDash(ui.Deref(p.WebhookURL)), ui.Moment(p.CreatedAt)}
	}), nil
}

func provisioning(p *webhook.Platform) ui.Cell {
	switch {
	case !p.ProvisioningEnabled:
		return ui.Badge("off", "")
	case p.WebhookURL == nil:
		return ui.Badge("no URL yet", "warn")
	}
	return ui.Badge("on", "good")
}

func platformInputs(c *call, p *webhook.Platform, isNew bool) ([]ui.Section[webhook.Platform], error) {
	address := ui.InputFor(webhook.PlatformFields, "webhookUrl").Kind(ui.FieldURL).Wide().
		Help("Where webhooks are sent, such as https://app.example.com/webhooks. Without a URL they are held." + c.receiverHelp())
	if !c.may(billing.PlatformWrite) {
		address = address.Kind(ui.FieldFixed).Help("Only admins can set where webhooks go.")
	}
	sections := ui.Sections(webhook.PlatformFields, address,
		ui.InputFor(webhook.PlatformFields, "code").Suggested(),
		ui.InputFor(webhook.PlatformFields, "provisioningEnabled").Wide(),
		ui.OptionalChoice("plainSignatureAlgorithm", "Its algorithm", "SHA256 if there is a header", func(p *webhook.Platform) **webhook.SignatureAlgorithm { return &p.PlainSignatureAlgorithm },
			ui.Option{Value: "SHA256", Text: "SHA256"}, ui.Option{Value: "SHA1", Text: "SHA1"}))
	secrets := len(sections) - 1
	if !c.may(billing.PlatformWrite) {
		return sections[:secrets], nil
	}
	plain := sections[secrets].Inputs
	sections[secrets].Inputs = slices.Concat(tokenInputs[webhook.Platform](p), plain, keyInputs[webhook.Platform](p, "Its key"))
	return sections, nil
}

// headersElsewhere says of headers that have to be given again where that is
// done: the form of a platform does not have them.
func headersElsewhere(err error) error {
	problems, _ := billing.AsProblems(err)
	for _, p := range problems {
		if strings.Join(p.Field, ".") == webhook.SecretHeaders {
			p.Field, p.Message = []string{"webhookUrl"}, p.Message+" Set the address on the workflow page, together with the headers."
		}
	}
	return err
}

// tokenInputs ask for the bearer token of a platform.
func tokenInputs[T any](p *webhook.Platform) []ui.Input[T] {
	inputs := []ui.Input[T]{ui.Unbound[T](webhook.SecretAuthToken, "Bearer token", ui.FieldPassword).
		Help("Sent as Authorization: Bearer … with every webhook." + keptNote(p.WebhookAuthTokenSet(), p.AuthTokenFor))}
	if p.WebhookAuthTokenSet() {
		inputs = append(inputs, ui.Unbound[T](webhook.SecretAuthToken+"Remove", "Remove the bearer token", ui.FieldCheck))
	}
	return inputs
}

// keyInputs ask for the key of its plain signature.
func keyInputs[T any](p *webhook.Platform, label string) []ui.Input[T] {
	inputs := []ui.Input[T]{ui.Unbound[T](webhook.SecretPlainKey, label, ui.FieldPassword).Help("Never shown again." + keptNote(p.PlainSignatureKeySet(), p.PlainSignatureKeyFor))}
	if p.PlainSignatureKeySet() {
		inputs = append(inputs, ui.Unbound[T](webhook.SecretPlainKey+"Remove", "Remove the key", ui.FieldCheck))
	}
	return inputs
}

// keptNote says that there is a secret and what it is for.
func keptNote(set bool, origin string) string {
	switch origin = webhook.Origin(origin); {
	case !set:
		return ""
	case origin == "":
		return " One is set; leave this empty to keep it."
	}
	return " One is set for " + origin + ": leave this empty to keep it, or type it again if the URL is on another host."
}

func showPlatform(c *call, p *webhook.Platform) (*ui.Details, error) {
	badge := provisioning(p)
	if p.WebhookURL != nil || !p.ProvisioningEnabled {
		badge.Text = "provisioning " + badge.Text
	}
	data := &ui.Details{Badges: []ui.Cell{badge}}
	routes, err := routesOf(c, []billing.PlatformID{p.ID})
	if err != nil {
		return nil, err
	}
	if r := routes[p.ID]; r != nil {
		workflow, err := workflowBlock(c, r)
		if err != nil {
			return nil, err
		}
		data.Blocks, data.Actions = []ui.Block{workflow}, endpointActions(c, r)
		data.Fact("Endpoint", endpointState(r.State()))
		if why := endpointWhy(r); why != "" {
			data.Note = "Webhooks are waiting: " + why
		} else if c.goesToReceiver(p.WebhookURL) {
			data.Note = "Webhooks" + receiverNote
		}
	}
	data.Fact("Code", ui.Code(p.Code))
	data.Fact("Webhook URL", ui.OrDash(ui.Deref(p.WebhookURL)))
	data.Fact("Bearer token", ui.YesNo(p.WebhookAuthTokenSet()))
	data.Fact("Plain signature", ui.OrDash(ui.Deref(p.PlainSignatureHeader)))
	if err := offerDrift(c, data, p); err != nil {
		return nil, err
	}
	products, err := related(c, productPages, "Products", "platform", int64(p.ID), "platformId")
	if err != nil {
		return nil, err
	}
	tenants, err := related(c, tenantPages, "Tenants", "platform", int64(p.ID), "")
	if err != nil {
		return nil, err
	}
	data.Blocks = append(data.Blocks, products, tenants)
	return data, nil
}
