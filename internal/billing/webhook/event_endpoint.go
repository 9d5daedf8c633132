package webhook

import (
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// EventWorkflowName is what the workflow of an event endpoint is called.
const EventWorkflowName = "Business Events"

// EventEndpoint is a system of the operator that is told of business events: the
// accounting, for example. The sealed fields hold secrets as the store keeps them.
type EventEndpoint struct {
	ID   billing.EventEndpointID `json:"id"`
	Code string                  `json:"code"`
	Name string                  `json:"name"`
	URL  string                  `json:"url"`
	// Types are those of the events that are sent.
	Types []BusinessType `json:"types"`
	// Enabled says whether events are recorded for it at all.
	Enabled bool `json:"enabled"`
	// TestClocks says whether it is told of accounts on test clocks too.
	TestClocks bool `json:"testClocks"`

	SigningSecretSealed string `json:"-"`
	// PreviousSecretSealed signs too until PreviousSecretUntil, as that of a platform.
	PreviousSecretSealed *string    `json:"-"`
	PreviousSecretUntil  *time.Time `json:"previousSecretUntil"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// EventEndpointFields describes the fields of an event endpoint, but for its
// secrets and types.
var EventEndpointFields = billing.Fields[EventEndpoint]{
	{Fields: []billing.Field[EventEndpoint]{
		billing.Describe("name", "Name", func(e *EventEndpoint) *string { return &e.Name }, billing.NameText).WithHelp("Such as Accounting. If it is left out, the host of the URL."),
		billing.Describe("code", "Code", func(e *EventEndpoint) *string { return &e.Code }, billing.CheckCode).WithHelp("In the webhook log it is found by platform:CODE."),
		billing.Describe("url", "URL", func(e *EventEndpoint) *string { return &e.URL }, checkEventURL).AsRequired(),
		billing.Describe("enabled", "Record events", func(e *EventEndpoint) *bool { return &e.Enabled }).
			WithHelp("What happens while this is off is never sent."),
		billing.Describe("testClocks", "Test clocks too", func(e *EventEndpoint) *bool { return &e.TestClocks }).
			WithHelp("Also send the events of customers on test clocks. Their bodies say that they are tests."),
	}},
}

func checkEventURL(field, text string) *billing.Error {
	if text == "" {
		return billing.Requiredf(field, "Say where the events go: give url.")
	}
	return checkURL(field, text)
}

// Check returns what is wrong with the event endpoint, nil if nothing is.
func (e *EventEndpoint) Check() billing.Problems {
	ps := EventEndpointFields.Check(e)
	if _, wrong := ReadURL(e.URL); wrong != "" && (e.Name == "" || e.Code == "") {
		// With an address they would be named after it.
		ps = slices.DeleteFunc(ps, func(p *billing.Error) bool {
			return p.Field[0] == "name" && e.Name == "" || p.Field[0] == "code" && e.Code == ""
		})
	}
	if len(e.Types) == 0 {
		ps.Add(billing.Requiredf("types", "Say which events are sent: give types, out of %s.", businessTypeNames()))
	}
	for _, t := range e.Types {
		if !t.Known() {
			ps.Add(billing.Invalidf("types", "There is no business event %q. The types are: %s.", t, businessTypeNames()))
		}
	}
	return ps
}

// Normalize names an endpoint after its host if nobody has, and puts its types in
// order, each once.
func (e *EventEndpoint) Normalize() {
	if u, wrong := ReadURL(e.URL); wrong == "" {
		if e.Name == "" {
			e.Name = u.Host
		}
		if e.Code == "" {
			e.Code = strings.ToLower(u.Host)
		}
	}
	all := BusinessTypes()
	slices.SortStableFunc(e.Types, func(a, b BusinessType) int { return place(all, a) - place(all, b) })
	e.Types = slices.Compact(e.Types)
}

// place is where a type is shown; one that there is not, behind all others.
func place(all []BusinessType, t BusinessType) int {
	if i := slices.Index(all, t); i >= 0 {
		return i
	}
	return len(all)
}

// Wants says whether the endpoint is told of events of a type.
func (e *EventEndpoint) Wants(t BusinessType) bool { return e.Enabled && slices.Contains(e.Types, t) }

// EventWorkflow is how events are sent to an endpoint: in order, and none gives way
// to a newer one, because each tells something else.
func EventWorkflow(endpoint billing.PlatformID) Workflow {
	w := NewWorkflow(endpoint)
	w.Name, w.Order = EventWorkflowName, Strict
	return w
}
