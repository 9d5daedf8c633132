package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// eventPoll is how often, in seconds, the newest page of the log is asked for
// anew.
const eventPoll = 3

var eventColumns = []string{"Event", "State", "Tenant", "Platform", "Last response", "Recorded"}

var deliveryStates = []webhook.DeliveryState{
	webhook.StateDelivered, webhook.StatePending, webhook.StateInFlight, webhook.StateRetryWait,
	webhook.StateHeld, webhook.StateExhausted, webhook.StateSuperseded, webhook.StateCanceled,
}

func eventHref(id billing.EventID) string { return "/events/" + ui.IDText(id) }

func eventID(e *log.LoggedEvent) billing.EventID { return e.ID }

// deliveryState shows where an event is on its way.
func deliveryState(s webhook.DeliveryState) ui.Cell {
	tone := map[webhook.DeliveryState]string{
		webhook.StateDelivered: "good", webhook.StatePending: "info", webhook.StateInFlight: "info",
		webhook.StateRetryWait: "warn", webhook.StateHeld: "warn", webhook.StateExhausted: "bad",
	}[s]
	return ui.Badge(strings.ToLower(deliveryWord(s)), tone)
}

// deliveryWord is the state of an event for people. Filters and the API call one
// that was given up exhausted.
func deliveryWord(s webhook.DeliveryState) string {
	if s == webhook.StateExhausted {
		return "Given up"
	}
	return ui.EnumText(s)
}

// reasonWord is why there is an event, for people.
func reasonWord(reason string) string {
	if word := changeWord(reason, ""); word != reason && word != "" {
		return word
	}
	return strings.NewReplacer(".", " ", "_", " ").Replace(reason)
}

func listEvents(c *call) error {
	data := ui.List{
		Title: "Webhook log", Path: "/events", Hint: "acme, tenant:acme, platform:app, state:delivered, created:>=2026-01-01",
		About: "Every webhook is listed here, with the requests made for it. The first subscription with a tenant sends the first one.",
	}
	chosen, always := stateTabs(c, &data, deliveryStates, deliveryWord)
	if c.may(billing.StandardWrite) {
		data.Also = &ui.Link{Text: "Resend many", Href: "/events/resend?" + url.Values{"filter": {resendFilter(c.value("q"), chosen)}}.Encode()}
	}
	if cursor(c, "older") == 0 && cursor(c, "newer") == 0 {
		data.Poll = eventPoll
	}
	read := within(&data, mostEvents, "events", log.ListEventsWithin)
	return showRows(c, data, read, eventID, eventColumns, eventCells, always)
}

// resendFilter is what a list shows, as one filter.
func resendFilter(typed string, chosen webhook.DeliveryState) string {
	if slices.Contains(deliveryStates, chosen) {
		typed += " state:" + strings.ToLower(string(chosen))
	}
	return strings.TrimSpace(typed)
}

// eventNames are what events refer to, and where each stands.
type eventNames struct {
	tenants   map[billing.TenantID]*billing.Tenant
	streams   map[billing.TenantID]*webhook.Stream
	routes    map[billing.PlatformID]*outbox.Route
	attempted map[billing.EventID]*webhook.Attempt
}

func namesOfEvents(c *call, rows []log.LoggedEvent) (n eventNames, err error) {
	tenants := ids(rows, func(e *log.LoggedEvent) billing.TenantID { return e.TenantID })
	if n.tenants, err = byID(c, store.Tenants, tenantPages.id, tenants); err != nil {
		return n, err
	}
	if n.streams, err = outbox.StreamsOf(c.ctx(), c.q(), tenants); err != nil {
		return n, err
	}
	if n.routes, err = routesOf(c, ids(rows, func(e *log.LoggedEvent) billing.PlatformID { return e.PlatformID })); err != nil {
		return n, err
	}
	n.attempted, err = outbox.LastAttempts(c.ctx(), c.q(), ids(rows, eventID))
	return n, err
}

func routesOf(c *call, platforms []billing.PlatformID) (map[billing.PlatformID]*outbox.Route, error) {
	routes, err := outbox.RoutesOf(c.ctx(), c.q(), platforms)
	found := make(map[billing.PlatformID]*outbox.Route, len(routes))
	for i := range routes {
		found[routes[i].Platform.ID] = &routes[i]
	}
	return found, err
}

// state is where an event stands.
func (n eventNames) state(e *log.LoggedEvent) webhook.DeliveryState {
	endpoint := webhook.EndpointReady
	if r := n.routes[e.PlatformID]; r != nil {
		endpoint = r.State()
	}
	return e.Delivery.Stage(n.streams[e.TenantID], endpoint)
}

func (n eventNames) tenant(e *log.LoggedEvent) ui.Cell {
	switch t := n.tenants[e.TenantID]; {
	case e.TenantID == 0:
		return ui.Muted("none: a test")
	case t != nil:
		return ui.Linked(t.Name, tenantPages.href(t.ID)).WithSub("number " + ui.Grouped(e.Sequence))
	}
	return ui.Muted("tenant " + ui.IDText(e.TenantID))
}

func (n eventNames) platform(e *log.LoggedEvent) ui.Cell {
	if r := n.routes[e.PlatformID]; r != nil {
		return ui.Linked(r.Platform.Name, platformPages.href(r.Platform.ID))
	}
	return ui.Muted("platform " + ui.IDText(e.PlatformID))
}

// answered is how the last request for an event went.
func (n eventNames) answered(e *log.LoggedEvent) ui.Cell {
	a := n.attempted[e.ID]
	if a == nil {
		return ui.Muted("not sent yet")
	}
	return answerOf(a)
}

func eventCells(c *call, rows []log.LoggedEvent) ([][]ui.Cell, error) {
	names, err := namesOfEvents(c, rows)
	if err != nil {
		return nil, err
	}
	return ui.RowsOf(rows, func(e *log.LoggedEvent) []ui.Cell {
		return []ui.Cell{
			ui.Linked(ui.Capitalized(reasonWord(e.Reason)), eventHref(e.ID)).WithSub("event " + ui.IDText(e.ID)), deliveryState(names.state(e)), names.tenant(e), names.platform(e), names.answered(e), ui.Moment(e.CreatedAt),
		}
	}), nil
}
