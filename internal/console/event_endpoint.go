package console

import (
	"context"
	"net/url"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/ui"
)

var eventEndpointPages *resource[webhook.EventEndpoint, billing.EventEndpointID]

// Set here, because pages refer to each other.
func init() {
	eventEndpointPages = &resource[webhook.EventEndpoint, billing.EventEndpointID]{
		path: "event-endpoints", one: "event endpoint", many: "Event endpoints", webhooks: true, Resource: delivery.EventEndpoints,
		name:    func(e *webhook.EventEndpoint) string { return e.Name },
		about:   "An event endpoint is one of your systems, such as the accounting. It is told when invoices are issued and paid, and what happens to subscriptions.",
		hint:    "accounting, enabled:true",
		columns: []string{"Name", "Code", "Events", "State", "URL", "Created"},
		cells:   eventEndpointCells,
		show:    showEventEndpoint,
		// The facts that show has are those of all fields.
		ownFacts: true,
		inputs:   eventEndpointInputs,
		begin: func(*call) (webhook.EventEndpoint, error) {
			return webhook.EventEndpoint{Enabled: true, Types: webhook.BusinessTypes()}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*webhook.EventEndpoint) error) (*webhook.EventEndpoint, error) {
			return c.service.Delivery.EventEndpointCreate(ctx, edit)
		},
		update: func(c *call, ctx context.Context, id billing.EventEndpointID, edit func(*webhook.EventEndpoint) error) (*webhook.EventEndpoint, error) {
			return c.service.Delivery.EventEndpointUpdate(ctx, id, edit)
		},
		losses: func(*call, *webhook.EventEndpoint) (string, error) {
			return "Events that wait for it are never sent, and its part of the webhook log is removed.", nil
		},
	}
}

func eventEndpointRoutes() []route {
	find := func(c *call) (*webhook.EventEndpoint, error) { return eventEndpointPages.find(c) }
	return []route{
		{pattern: "GET /event-endpoints/{id}/test", scope: billing.PlatformWrite, do: on(find, askEventTest)},
		{pattern: "POST /event-endpoints/{id}/test", scope: billing.PlatformWrite, do: on(find, sendEventTest)},
		{pattern: "GET /event-endpoints/{id}/resume", scope: billing.PlatformWrite, do: on(find, askEventResume)},
		{pattern: "POST /event-endpoints/{id}/resume", scope: billing.PlatformWrite, do: on(find, resumeEvents)},
		{pattern: "GET /event-endpoints/{id}/signing", scope: billing.AdminRead, do: on(find, showEventSigning)},
		{pattern: "POST /event-endpoints/{id}/signing", scope: billing.PlatformWrite, do: on(find, rotateEventSigning)},
	}
}

func eventEndpointCells(c *call, rows []webhook.EventEndpoint) ([][]ui.Cell, error) {
	routes, err := routesOf(c, ids(rows, func(e *webhook.EventEndpoint) billing.PlatformID { return billing.PlatformID(e.ID) }))
	return ui.RowsOf(rows, func(e *webhook.EventEndpoint) []ui.Cell {
		state := ui.Badge("off", "")
		if r := routes[billing.PlatformID(e.ID)]; r != nil && e.Enabled {
			state = endpointState(r.State())
		}
		return []ui.Cell{
			ui.Linked(e.Name, eventEndpointPages.href(e.ID)), ui.Code(e.Code), ui.Plain(typeWords(e)), state, ui.Plain(e.URL), ui.Moment(e.CreatedAt),
		}
	}), err
}

// typeWords are the types of an endpoint's events in a line.
func typeWords(e *webhook.EventEndpoint) string {
	if len(e.Types) == len(webhook.BusinessTypes()) {
		return "all"
	}
	words := make([]string, len(e.Types))
	for i, t := range e.Types {
		words[i] = string(t)
	}
	return strings.Join(words, ", ")
}

// typeHelp is what each type tells of.
var typeHelp = map[webhook.BusinessType]string{
	webhook.InvoiceIssued: "an invoice was issued", webhook.CreditNoteIssued: "a credit note was issued", webhook.InvoicePaid: "nothing is due of an invoice any more",
	webhook.InvoiceOverdue: "an invoice was not paid in time", webhook.PaymentFailed: "money could not be collected",
	webhook.StandingChanged: "unpaid invoices changed what a subscription gives", webhook.SubscriptionChanged: "something happened to a subscription",
}

func eventEndpointInputs(c *call, _ *webhook.EventEndpoint, _ bool) ([]ui.Section[webhook.EventEndpoint], error) {
	fields := webhook.EventEndpointFields
	sections := ui.Sections(fields, ui.InputFor(fields, "url").Kind(ui.FieldURL).Wide().Help("Where events are sent, such as https://books.example.com/webhooks."+c.receiverHelp()),
		ui.InputFor(fields, "code").Suggested(), ui.InputFor(fields, "enabled").Wide(), ui.InputFor(fields, "testClocks").Wide())
	var options []ui.Option
	for _, t := range webhook.BusinessTypes() {
		options = append(options, ui.Option{Value: string(t), Text: string(t) + " — " + typeHelp[t]})
	}
	sections[0].Inputs = append(sections[0].Inputs, ui.Input[webhook.EventEndpoint]{
		Field: ui.Field{Name: "types", Label: "Events", Kind: ui.FieldChecks, Options: options, Wide: true},
		GetMany: func(e *webhook.EventEndpoint) (types []string) {
			for _, t := range e.Types {
				types = append(types, string(t))
			}
			return types
		},
		SetMany: func(e *webhook.EventEndpoint, typed []string) {
			e.Types = nil
			for _, t := range typed {
				e.Types = append(e.Types, webhook.BusinessType(t))
			}
		},
	})
	return sections, nil
}

func showEventEndpoint(c *call, e *webhook.EventEndpoint) (*ui.Details, error) {
	data := &ui.Details{}
	if !e.Enabled {
		data.Badges = []ui.Cell{ui.Badge("off", "")}
	}
	routes, err := routesOf(c, []billing.PlatformID{billing.PlatformID(e.ID)})
	if err != nil {
		return nil, err
	}
	here := eventEndpointPages.href(e.ID)
	if r := routes[billing.PlatformID(e.ID)]; r != nil {
		data.Fact("Endpoint", endpointState(r.State()))
		if why := endpointWhy(r); why != "" {
			data.Note = "Events are waiting: " + why
		}
		if s := r.State(); c.may(billing.PlatformWrite) && (s == webhook.EndpointPaused || s == webhook.EndpointBreakerOpen) {
			data.Actions = append(data.Actions, ui.Action{Text: "Resume", Href: here + "/resume"})
		}
	}
	if c.may(billing.PlatformWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "Send test", Href: here + "/test"})
	}
	if c.may(billing.AdminRead) {
		data.Actions = append(data.Actions, ui.Action{Text: "Signing secret", Href: here + "/signing"})
	}
	data.Actions = append(data.Actions, ui.Action{Text: "Webhook log", Href: "/events?" + url.Values{"q": {"platform:" + ui.IDText(e.ID)}}.Encode()})
	data.Fact("Code", ui.Code(e.Code))
	data.Fact("URL", ui.Plain(e.URL))
	data.Fact("Record events", ui.YesNo(e.Enabled))
	data.Fact("Test clocks too", ui.YesNo(e.TestClocks))
	data.Fact("Events", ui.Plain(typeWords(e)))
	return data, nil
}
