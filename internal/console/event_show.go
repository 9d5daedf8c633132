package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/ui"
)

// eventData is what the page of an event shows.
type eventData struct {
	Title   string
	Crumbs  []ui.Link
	Path    string
	State   ui.Cell
	Why     string // why it is in that state, if that is not plain
	Facts   []ui.Fact
	Actions []ui.Action
	// Poll says that its state is about to change.
	Poll  bool
	Test  bool
	First bool
	// Fact says that it tells what happened, and not a state.
	Fact bool
	// Changes are the values that differ from the event before, Diff the lines.
	Changes ui.Table
	Diff    []ui.DiffLine
	// Same says why there is an event that changes nothing.
	Same string
	// Repaired is what a repair was sent for, if that is what the event is.
	Repaired *ui.Block
	// Table has a row for each of the attempts, the newest first.
	Table    ui.Table
	Attempts []attemptView
	Body     string
	// Made says that a payload program made the body.
	Made bool
}

var eventPage = newPage[eventData]("event")

// attemptView is a request as it is shown.
type attemptView struct {
	Title    string
	Outcome  ui.Cell
	Error    string
	Open     bool
	Facts    []ui.Fact
	Request  []ui.Pair
	Response []ui.Pair
	Body     string
	// Truncated says that more was answered than is kept.
	Truncated bool
}

// findEvent returns the event in the address.
func findEvent(c *call) (*log.LoggedEvent, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	events, err := log.LoggedEvents(c.ctx(), c.q(), []billing.EventID{billing.EventID(id)})
	if err == nil && len(events) == 0 {
		err = missing("event", ui.Link{Text: "Webhook log", Href: "/events"})
	}
	if err != nil {
		return nil, err
	}
	return &events[0], nil
}

// showTenantEvent is the event of a tenant by its number.
func showTenantEvent(c *call, t *billing.Tenant) error {
	sequence, err := c.pathID("sequence")
	if err != nil {
		return err
	}
	events, err := outbox.EventsOfTenant(c.ctx(), c.q(), t.ID, int(sequence)-1, 1)
	if err != nil {
		return err
	}
	if len(events) == 0 || events[0].Sequence != int(sequence) {
		return missing("event", ui.Link{Text: t.Name, Href: tenantPages.href(t.ID)})
	}
	return c.goTo(eventHref(events[0].ID), "")
}

func showEvent(c *call, e *log.LoggedEvent) error {
	names, err := namesOfEvents(c, []log.LoggedEvent{*e})
	if err != nil {
		return err
	}
	state := names.state(e)
	data := eventData{
		Title: ui.Capitalized(eventName(e)), Crumbs: []ui.Link{{Text: "Webhook log", Href: "/events"}}, Path: eventHref(e.ID), State: deliveryState(state),
		Why: whyState(e, state, names), Test: isTest(e),
		Poll: state == webhook.StatePending || state == webhook.StateInFlight || state == webhook.StateRetryWait,
	}
	if s := names.subject(e); s != nil {
		if data.Title += " of " + s.Text; s.Href != "" {
			data.Crumbs = append(data.Crumbs, *s)
		}
	}
	if data.Facts, err = eventFacts(c, e, state, names); err != nil {
		return err
	}
	for _, fill := range []func(*call, *log.LoggedEvent, *eventData) error{fillBody, fillRepaired, fillNeighbours, fillAttempts} {
		if err := fill(c, e, &data); err != nil {
			return err
		}
	}
	if c.may(billing.StandardWrite) && !data.Test {
		data.Actions = append(data.Actions, ui.Action{Text: "Resend", Href: eventHref(e.ID) + "/resend"})
	}
	return eventPage.show(c, data.Title, data)
}

// whyState says what an event waits for, or what became of it.
func whyState(e *log.LoggedEvent, state webhook.DeliveryState, names eventNames) string {
	switch state {
	case webhook.StateHeld:
		if r := names.routes[e.PlatformID]; r != nil {
			return "It waits: " + endpointWhy(r)
		}
	case webhook.StateExhausted:
		if !e.Subject.ToldStates() {
			return "All attempts failed and it was given up. Resend it: no other event tells the same."
		}
		return "All attempts failed and it was given up. Resend it, or send the tenant's current state."
	case webhook.StateSuperseded:
		return "A newer event, which has the whole state of the tenant, was sent in its place."
	case webhook.StateCanceled:
		return "It was removed from the queue and not sent."
	}
	return ""
}

func eventFacts(c *call, e *log.LoggedEvent, state webhook.DeliveryState, names eventNames) ([]ui.Fact, error) {
	var d ui.Details
	d.Fact("About", names.about(e))
	d.Fact("Endpoint", names.endpoint(e))
	d.Fact("Type", ui.Code(e.Type))
	d.Fact("Reason", ui.Linked(ui.Capitalized(reasonWord(e.Reason)), "/events?"+url.Values{"q": {"reason:" + e.Reason}}.Encode()))
	d.Fact("Recorded", ui.Moment(e.CreatedAt))
	if stream := names.streams[e.Delivery.StreamID]; stream != nil {
		if next := stream.NextAttempt(&e.Delivery, state); next != nil {
			d.Fact("Next attempt", ui.Moment(*next))
		}
	}
	if by := e.Delivery.SupersededBy; by != nil {
		newer, err := log.LoggedEvents(c.ctx(), c.q(), []billing.EventID{*by})
		if err != nil {
			return nil, err
		}
		for n := range newer {
			d.Fact("Superseded by", ui.Linked(eventName(&newer[n]), eventHref(*by)))
		}
	}
	if e.Delivery.Cause == webhook.CauseResend {
		how := "resent"
		if e.Delivery.Forced {
			how = "resent, back in time"
		}
		d.Fact("Sent because", ui.Plain(how))
	}
	d.Fact("Id", ui.Code(ui.IDText(e.ID)))
	return d.Facts, nil
}

func fillBody(c *call, e *log.LoggedEvent, data *eventData) error {
	bodies, err := log.EventBodies(c.ctx(), c.q(), []billing.EventID{e.ID})
	if err != nil {
		return err
	}
	body := bodies[e.ID]
	data.Body = ui.PrettyJSON(body.Body)
	if e.Delivery.Body != nil {
		data.Body, data.Made = ui.PrettyJSON(*e.Delivery.Body), true
	}
	// What happened before is nothing that a business event could be compared with.
	data.Fact = !e.Subject.ToldStates()
	if data.First = body.Previous == nil; !data.First && !data.Fact {
		data.Changes = bodyChanges(*body.Previous, body.Body)
		data.Diff = ui.DiffJSON(*body.Previous, body.Body)
		if data.Same = "None: the body is the same."; isOfCatalog(e.Reason) {
			data.Same += " All tenants of the product are told of a change to its features, also those that gain or lose nothing by it."
		}
	}
	return nil
}

// fillRepaired shows what the application had instead, if the event was sent to repair
// that.
func fillRepaired(c *call, e *log.LoggedEvent, data *eventData) error {
	if e.Reason != drift.RepairReason || e.Subject.Kind != webhook.SubjectTenant {
		return nil
	}
	repair, err := outbox.RepairOf(c.ctx(), c.q(), e.ID)
	if err != nil {
		return err
	}
	const title = "What it repaired"
	if repair == nil {
		data.Repaired = &ui.Block{Title: title, Empty: "The application had something else than it was told. What that was is not known any more."}
		return nil
	}
	names, err := featuresOn(c, e.PlatformID)
	b := names.repairBlock(title, "", repair)
	data.Repaired = &b
	return err
}

// fillNeighbours links to the events of the same stream before and after.
func fillNeighbours(c *call, e *log.LoggedEvent, data *eventData) error {
	if isTest(e) {
		return nil
	}
	before, after, err := log.Neighbours(c.ctx(), c.q(), e)
	if before > 0 {
		data.Actions = append(data.Actions, ui.Action{Text: "← Previous", Href: eventHref(before)})
	}
	if after > 0 {
		data.Actions = append(data.Actions, ui.Action{Text: "Next →", Href: eventHref(after)})
	}
	return err
}

// fillAttempts shows the requests made for an event, the newest first.
func fillAttempts(c *call, e *log.LoggedEvent, data *eventData) error {
	deliveries, err := outbox.DeliveriesOf(c.ctx(), c.q(), []billing.EventID{e.ID})
	if err != nil {
		return err
	}
	attempts, err := outbox.AttemptsOf(c.ctx(), c.q(), ids(deliveries, func(d *webhook.Delivery) billing.DeliveryID { return d.ID }))
	if err != nil {
		return err
	}
	data.Table.Columns = []string{"Request", "Sent", "Delay", "Outcome", "Response", "Duration"}
	for i := range attempts {
		view := attemptOf(&attempts[i])
		view.Title = fmt.Sprintf("Attempt %d", i+1)
		data.Attempts = append(data.Attempts, view)
		data.Table.Rows = append(data.Table.Rows, attemptCells(i+1, e, &attempts[i]))
	}
	slices.Reverse(data.Attempts)
	slices.Reverse(data.Table.Rows)
	return nil
}

// attemptCells is a request as a row: when it was sent, how long after the event
// was recorded, what came of it and how long it took.
func attemptCells(number int, e *log.LoggedEvent, a *webhook.Attempt) []ui.Cell {
	after := max(0, a.StartedAt.Sub(e.CreatedAt))
	return []ui.Cell{
		ui.Plain(fmt.Sprintf("Attempt %d", number)), ui.Moment(a.StartedAt), ui.Plain(tookWords(float64(after) / float64(time.Millisecond))),
		attemptOutcome(a), answerOf(a), ui.OrDash(attemptTook(a)),
	}
}

// attemptTook is how long a request took in all, if that is known.
func attemptTook(a *webhook.Attempt) string {
	var parts webhook.Timings
	if a.Timings == nil || json.Unmarshal(a.Timings, &parts) != nil {
		return ""
	}
	return tookWords(parts.Total)
}

func attemptOutcome(a *webhook.Attempt) ui.Cell {
	tone := map[string]string{webhook.AttemptDelivered: "good", webhook.AttemptFailed: "bad", webhook.AttemptStarted: "info", webhook.AttemptUnknown: "warn"}[a.Outcome]
	return ui.Badge(a.Outcome, tone)
}

// answerOf is what came back for a request: the status, or why there is none.
func answerOf(a *webhook.Attempt) ui.Cell {
	switch {
	case a.Status != nil:
		return ui.Plain(strconv.Itoa(*a.Status))
	case a.Error != nil:
		return ui.Cell{Text: clip(*a.Error, 120), Kind: ui.CellSentence}
	}
	return ui.Muted("in progress")
}

// attemptOf shows a request.
func attemptOf(a *webhook.Attempt) attemptView {
	v := attemptView{Outcome: attemptOutcome(a), Error: ui.Deref(a.Error), Truncated: a.Truncated, Body: ui.PrettyJSON(ui.Deref(a.ResponseBody))}
	var d ui.Details
	d.Fact("Sent to", ui.Code(a.URL))
	d.OptionalFact("Address", a.Address)
	d.Fact("Begun", ui.Moment(a.StartedAt))
	if a.Status != nil {
		d.Fact("Status", ui.Plain(strconv.Itoa(*a.Status)))
	}
	var parts webhook.Timings
	if a.Timings != nil && json.Unmarshal(a.Timings, &parts) == nil {
		for _, part := range []struct {
			label string
			took  float64
		}{{"Name lookup", parts.DNS}, {"Connecting", parts.Connect}, {"TLS", parts.TLS}, {"First byte", parts.FirstByte}, {"Total", parts.Total}} {
			d.Fact(part.label, ui.Plain(tookWords(part.took)))
		}
	}
	v.Facts = d.Facts
	v.Request, v.Response = headerPairs(a.RequestHeaders), headerPairs(a.ResponseHeaders)
	return v
}

// tookWords is a time in milliseconds for people.
func tookWords(ms float64) string {
	took := time.Duration(ms * float64(time.Millisecond))
	if took >= time.Second {
		return took.Round(10 * time.Millisecond).String()
	}
	return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
}

func headerPairs(text json.RawMessage) (pairs []ui.Pair) {
	var headers map[string]string
	if text == nil || json.Unmarshal(text, &headers) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		pairs = append(pairs, ui.Pair{Name: name, Value: headers[name]})
	}
	return pairs
}
