package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// eventPoll is how often, in seconds, the newest page of the log is asked for
// anew.
const eventPoll = 3

var eventColumns = []string{"Event", "State", "About", "Endpoint", "Last response", "Recorded"}

var deliveryStates = []webhook.DeliveryState{
	webhook.StateDelivered, webhook.StatePending, webhook.StateInFlight, webhook.StateRetryWait,
	webhook.StateHeld, webhook.StateExhausted, webhook.StateSuperseded, webhook.StateCanceled,
}

func eventHref(id billing.EventID) string { return "/events/" + ui.IDText(id) }

// eventName is what people call an event: by its number within its tenant or account. A
// test belongs to neither and has its id only.
func eventName(e *log.LoggedEvent) string {
	if isTest(e) {
		return "event " + ui.IDText(e.ID)
	}
	return "event #" + strconv.Itoa(e.Sequence)
}

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
	if isOfCatalog(reason) {
		return strings.ReplaceAll(reason, ".", " ") + " in the catalog"
	}
	if word := changeWord(reason, ""); word != reason && word != "" {
		return word
	}
	return strings.NewReplacer(".", " ", "_", " ").Replace(reason)
}

// isOfCatalog says that all tenants of a product were told of a change to its features, also
// those that neither gain nor lose anything by it.
func isOfCatalog(reason string) bool {
	return reason == subscription.KindFeatureAdded || reason == subscription.KindFeatureChanged || reason == subscription.KindFeatureRemoved
}

func listEvents(c *call) error {
	data := ui.List{
		Title: "Webhook log", Path: "/events", Hint: "acme, tenant:acme, account:acme, platform:app, type:InvoicePaid, state:delivered, reason:drift.repair, created:>=2026-01-01",
		About: "Every webhook is listed here, with the requests made for it. The first subscription with a tenant sends the first one.",
	}
	data.Instead = otherReasons(c.value("q"))
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
	accounts  map[billing.AccountID]*billing.Account
	streams   map[billing.StreamID]*webhook.Stream
	routes    map[billing.PlatformID]*outbox.Route
	attempted map[billing.EventID]*webhook.Attempt
}

func namesOfEvents(c *call, rows []log.LoggedEvent) (n eventNames, err error) {
	if n.tenants, err = byID(c, store.Tenants, tenantPages.id, ids(rows, func(e *log.LoggedEvent) billing.TenantID { return e.Subject.Tenant() })); err != nil {
		return n, err
	}
	if n.accounts, err = byID(c, store.Accounts, accountPages.id, ids(rows, func(e *log.LoggedEvent) billing.AccountID { return e.Subject.Account() })); err != nil {
		return n, err
	}
	if n.streams, err = outbox.Streams(c.ctx(), c.q(), ids(rows, func(e *log.LoggedEvent) billing.StreamID { return e.Delivery.StreamID })); err != nil {
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
	return e.Delivery.Stage(n.streams[e.Delivery.StreamID], endpoint)
}

// subject is the tenant or the account that an event is about, nil for a test.
func (n eventNames) subject(e *log.LoggedEvent) *ui.Link {
	switch t, a := n.tenants[e.Subject.Tenant()], n.accounts[e.Subject.Account()]; {
	case isTest(e):
		return nil
	case t != nil:
		return &ui.Link{Text: t.Name, Href: tenantPages.href(t.ID)}
	case a != nil:
		return &ui.Link{Text: a.Name, Href: accountPages.href(a.ID)}
	}
	return &ui.Link{Text: strings.ToLower(string(e.Subject.Kind)) + " " + ui.IDText(e.Subject.ID)} // deleted meanwhile
}

func isTest(e *log.LoggedEvent) bool { return e.Delivery.StreamID == 0 }

func (n eventNames) about(e *log.LoggedEvent) ui.Cell {
	switch s := n.subject(e); {
	case s == nil:
		return ui.Muted("none: a test")
	case s.Href == "":
		return ui.Muted(s.Text)
	default:
		return ui.Linked(s.Text, s.Href)
	}
}

// endpoint is where an event goes: to a platform, or to an event endpoint.
func (n eventNames) endpoint(e *log.LoggedEvent) ui.Cell {
	r := n.routes[e.PlatformID]
	if r == nil {
		return ui.Muted("platform " + ui.IDText(e.PlatformID))
	}
	return ui.Linked(r.Platform.Name, routeHref(r))
}

// routeHref is the page of what a route belongs to.
func routeHref(r *outbox.Route) string {
	if r.ForEvents {
		return eventEndpointPages.href(billing.EventEndpointID(r.Platform.ID))
	}
	return platformPages.href(r.Platform.ID)
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
			ui.Linked(ui.Capitalized(reasonWord(e.Reason)), eventHref(e.ID)).WithSub(eventName(e)), deliveryState(names.state(e)), names.about(e), names.endpoint(e), names.answered(e), ui.Moment(e.CreatedAt),
		}
	}), nil
}
