package log

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// eventSearch is a filter of the webhook log in terms of what the database can
// look up. The states that are derived are those of Delivery.Stage.
type eventSearch struct {
	dialect *db.Dialect
	// none says that nothing can match.
	none bool
	// platforms, tenants and their streams are those that match, any if they are nil.
	platforms []billing.PlatformID
	tenants   []billing.TenantID
	streams   []int64
	// words are looked for in the tenants one by one, if too many match.
	words []string
	state webhook.DeliveryState
	// after and before bound the ids; before is 0 if there is no such bound.
	after, before int64
	from, to      []time.Time
	// sent leaves out test events.
	sent bool
	// backwards is the newest first.
	backwards bool
	// ready are the platforms whose webhooks can go out, held the others.
	ready, held []billing.PlatformID
}

// fewTenants is up to how many tenants the events of each are looked up; if a
// word matches more of them, a page of events is soon found without.
const fewTenants = 200

// eventFields are what a filter of the log can name.
var eventFields = []string{"created", "platform", "state", "tenant", "type"}

// eventStates are the states a filter can name.
var eventStates = []webhook.DeliveryState{
	webhook.StatePending, webhook.StateInFlight, webhook.StateRetryWait, webhook.StateDelivered,
	webhook.StateExhausted, webhook.StateHeld, webhook.StateSuperseded, webhook.StateCanceled,
}

// searchEvents reads a filter and looks up what it refers to.
func searchEvents(ctx context.Context, q store.Queries, filter billing.Filter) (*eventSearch, error) {
	f := &eventSearch{dialect: q.Dialect}
	for _, term := range filter.Terms {
		if err := f.narrow(ctx, q, term); err != nil {
			return nil, err
		}
	}
	if err := f.match(ctx, q, filter.Words); err != nil {
		return nil, err
	}
	if f.tenants != nil {
		var err error
		if f.streams, err = streamsOf(ctx, q, f.tenants); err != nil {
			return nil, err
		}
		f.none = f.none || len(f.streams) == 0
	}
	return f, f.bound(ctx, q)
}

// streamsOf returns the streams of those tenants that have one.
func streamsOf(ctx context.Context, q store.Queries, tenants []billing.TenantID) ([]int64, error) {
	const text = `SELECT id FROM webhook_stream WHERE ` + outbox.OfTenant + ` IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	streams := []int64{}
	err := q.Each(ctx, text, []any{db.JSONList(tenants)}, column.Collect(&streams))
	return streams, err
}

func (f *eventSearch) narrow(ctx context.Context, q store.Queries, term billing.Term) error {
	if term.Op != billing.Equal && term.Field != "created" && slices.Contains(eventFields, term.Field) {
		return store.WrongTerm(term, "it is not compared by %s; write %s:VALUE", term.Op, term.Field)
	}
	switch term.Field {
	case "platform":
		ids, err := store.Meant[billing.PlatformID](ctx, q, "platform", "code = $1", term.Value)
		f.platforms = both(f, f.platforms, ids)
		return err
	case "tenant":
		// The index on codes begins with the platform.
		ids, err := store.Meant[billing.TenantID](ctx, q, "tenant", "code = $1 AND platform_id IN (SELECT id FROM platform)", term.Value)
		f.tenants = both(f, f.tenants, ids)
		return err
	case "state":
		return f.narrowState(ctx, q, term)
	case "type":
		if !strings.EqualFold(term.Value, webhook.EventType) {
			return store.WrongTerm(term, "write %s", webhook.EventType)
		}
		return nil // there is no other
	case "created":
		from, to, err := store.MomentRange(term)
		if !from.IsZero() {
			f.from = append(f.from, from)
		}
		if !to.IsZero() {
			f.to = append(f.to, to)
		}
		return err
	}
	return billing.Fail(billing.Invalid, "filter", "There is no filter field %q here. The fields are: %s. To search for the text itself, quote it: \"%s:%s\".",
		term.Field, strings.Join(eventFields, ", "), term.Field, term.Value)
}

// both is what is in two lists; a nil one has everything.
func both[K ~int64](f *eventSearch, a, b []K) []K {
	if a != nil {
		b = slices.DeleteFunc(b, func(id K) bool { return !slices.Contains(a, id) })
	}
	f.none = f.none || len(b) == 0
	return b
}

func (f *eventSearch) narrowState(ctx context.Context, q store.Queries, term billing.Term) error {
	state := webhook.DeliveryState(strings.ToUpper(term.Value))
	if !slices.Contains(eventStates, state) {
		names := make([]string, len(eventStates))
		for i, s := range eventStates {
			names[i] = strings.ToLower(string(s))
		}
		return store.WrongTerm(term, "write one of %s", strings.Join(names, ", "))
	}
	f.none = f.none || f.state != "" && f.state != state
	f.state = state
	var all []billing.PlatformID
	if err := q.Each(ctx, `SELECT id FROM platform ORDER BY id`, nil, column.Collect(&all)); err != nil {
		return err
	}
	routes, err := outbox.RoutesOf(ctx, q, all)
	f.ready, f.held = nil, nil
	for i := range routes {
		if routes[i].State() == webhook.EndpointReady {
			f.ready = append(f.ready, routes[i].Platform.ID)
		} else {
			f.held = append(f.held, routes[i].Platform.ID)
		}
	}
	return err
}

// match looks words up in the type, of which there is one, and in the names and
// codes of tenants.
func (f *eventSearch) match(ctx context.Context, q store.Queries, words []string) error {
	for _, word := range words {
		if folded := billing.Fold(word); !strings.Contains(billing.Fold(webhook.EventType), folded) {
			f.words = append(f.words, folded)
		}
	}
	if len(f.words) == 0 {
		return nil
	}
	tenants, err := store.Tenants.List(ctx, q, store.Page{Filter: billing.Filter{Words: f.words}, Limit: fewTenants + 1, Only: []string{"id"}})
	if err != nil || len(tenants) > fewTenants {
		return err
	}
	ids := make([]billing.TenantID, len(tenants))
	for i := range tenants {
		ids[i] = tenants[i].ID
	}
	f.words, f.tenants = nil, both(f, f.tenants, ids)
	return nil
}
