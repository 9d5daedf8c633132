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
	// platforms, types and streams are those that match, any if they are nil.
	platforms []billing.PlatformID
	types     []string
	streams   []int64
	// words are looked for in the tenants and accounts one by one, if too many match.
	words []string
	// reason is why events were recorded, any if it is empty.
	reason string
	// business says that there are event endpoints, so that not all events are of
	// tenants.
	business bool
	state    webhook.DeliveryState
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
var eventFields = []string{"account", "created", "platform", "reason", "state", "tenant", "type"}

// eventStates are the states a filter can name.
var eventStates = []webhook.DeliveryState{
	webhook.StatePending, webhook.StateInFlight, webhook.StateRetryWait, webhook.StateDelivered,
	webhook.StateExhausted, webhook.StateHeld, webhook.StateSuperseded, webhook.StateCanceled,
}

// searchEvents reads a filter and looks up what it refers to.
func searchEvents(ctx context.Context, q store.Queries, filter billing.Filter) (*eventSearch, error) {
	f := &eventSearch{dialect: q.Dialect}
	if err := f.findBusiness(ctx, q, filter); err != nil {
		return nil, err
	}
	for _, term := range filter.Terms {
		if err := f.narrow(ctx, q, term); err != nil {
			return nil, err
		}
	}
	if err := f.match(ctx, q, filter.Words); err != nil {
		return nil, err
	}
	if err := f.narrowTypes(ctx, q); err != nil {
		return nil, err
	}
	return f, f.bound(ctx, q)
}

// ofTenants narrows the search to the streams of tenants.
func (f *eventSearch) ofTenants(ctx context.Context, q store.Queries, tenants []billing.TenantID) error {
	streams, err := streamsOf(ctx, q, tenants)
	f.streams = both(f, f.streams, streams)
	return err
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
		if err != nil {
			return err
		}
		return f.ofTenants(ctx, q, ids)
	case "account":
		ids, err := store.Meant[billing.AccountID](ctx, q, "account", "code = $1", term.Value)
		if err != nil {
			return err
		}
		return f.ofAccounts(ctx, q, ids)
	case "state":
		return f.narrowState(ctx, q, term)
	case "type":
		return f.ofType(term)
	case "reason":
		reason := strings.ToLower(term.Value)
		f.none = f.none || f.reason != "" && f.reason != reason
		f.reason = reason
		return nil
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

// match looks words up in the types, and in the names and codes of tenants and
// accounts.
func (f *eventSearch) match(ctx context.Context, q store.Queries, words []string) error {
	for _, word := range words {
		if folded := billing.Fold(word); !f.inType(folded) {
			f.words = append(f.words, folded)
		}
	}
	if len(f.words) == 0 {
		return nil
	}
	streams, err := f.named(ctx, q, fewTenants)
	if err != nil || streams == nil {
		return err
	}
	f.words, f.streams = nil, both(f, f.streams, streams)
	return nil
}

// named returns the streams of the tenants and accounts that have the words, nil if
// there are more than so many of either.
func (f *eventSearch) named(ctx context.Context, q store.Queries, most int) ([]int64, error) {
	page := store.Page{Filter: billing.Filter{Words: f.words}, Limit: most + 1, Only: []string{"id"}}
	rows, err := store.Tenants.List(ctx, q, page)
	if err != nil || len(rows) > most {
		return nil, err
	}
	tenants := make([]billing.TenantID, len(rows))
	for i := range rows {
		tenants[i] = rows[i].ID
	}
	streams, err := streamsOf(ctx, q, tenants)
	if err != nil || !f.business {
		return streams, err
	}
	owners, err := store.Accounts.List(ctx, q, page)
	if err != nil || len(owners) > most {
		return nil, err
	}
	accounts := make([]billing.AccountID, len(owners))
	for i := range owners {
		accounts[i] = owners[i].ID
	}
	further, err := accountStreams(ctx, q, accounts)
	return append(streams, further...), err
}
