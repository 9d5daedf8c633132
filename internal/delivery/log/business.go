package log

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Types are all types of events.
func Types() []string {
	types := []string{webhook.EventType}
	for _, t := range webhook.BusinessTypes() {
		types = append(types, string(t))
	}
	return types
}

// findBusiness finds out whether there are event endpoints, if the filter depends on
// that.
func (f *eventSearch) findBusiness(ctx context.Context, q store.Queries, filter billing.Filter) error {
	if len(filter.Words) == 0 && !slices.ContainsFunc(filter.Terms, func(t billing.Term) bool { return t.Field == "type" }) {
		return nil
	}
	n, err := q.Number(ctx, `SELECT count(*) FROM platform WHERE event_types IS NOT NULL`)
	f.business = n > 0
	return err
}

// ofType narrows the search to events of a type.
func (f *eventSearch) ofType(term billing.Term) error {
	for _, t := range Types() {
		if strings.EqualFold(term.Value, t) {
			f.typed([]string{t})
			return nil
		}
	}
	return store.WrongTerm(term, "write one of %s", strings.Join(Types(), ", "))
}

// typed keeps the types that are in a list too.
func (f *eventSearch) typed(types []string) {
	if f.types != nil {
		types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(f.types, t) })
	}
	f.types = types
	f.none = f.none || len(types) == 0
}

// inType says whether a word is one of types, and narrows the search to those then.
func (f *eventSearch) inType(folded string) bool {
	types := slices.DeleteFunc(Types(), func(t string) bool { return !strings.Contains(billing.Fold(t), folded) })
	if len(types) == 0 || !f.business && types[0] != webhook.EventType {
		return false
	}
	f.typed(types)
	return true
}

// ofTypes is the condition that events have one of the types, which are literals
// because there are only those that Types lists.
func (f *eventSearch) ofTypes() string {
	return "webhook_event.type IN ('" + strings.Join(f.types, "', '") + "')"
}

// narrowTypes turns types into where events of those types go, which has an index.
// Without event endpoints all events are of one type.
func (f *eventSearch) narrowTypes(ctx context.Context, q store.Queries) error {
	if f.types == nil {
		return nil
	}
	tenants, others := slices.Contains(f.types, webhook.EventType), !slices.Equal(f.types, []string{webhook.EventType})
	if tenants && !f.business {
		f.types = nil
		return nil
	}
	if tenants && others {
		return nil
	}
	text := `SELECT id FROM platform WHERE event_types IS NOT NULL ORDER BY id`
	if tenants {
		text, f.types = `SELECT id FROM platform WHERE event_types IS NULL ORDER BY id`, nil
	}
	ids := []billing.PlatformID{}
	err := q.Each(ctx, text, nil, column.Collect(&ids))
	f.platforms = both(f, f.platforms, ids)
	return err
}

// ofAccounts narrows the search to what is about accounts: their business events, and
// the events of their tenants.
func (f *eventSearch) ofAccounts(ctx context.Context, q store.Queries, accounts []billing.AccountID) error {
	const text = `SELECT id FROM tenant WHERE account_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	var tenants []billing.TenantID
	if err := q.Each(ctx, text, []any{db.JSONList(accounts)}, column.Collect(&tenants)); err != nil {
		return err
	}
	streams, err := streamsOf(ctx, q, tenants)
	if err != nil {
		return err
	}
	further, err := accountStreams(ctx, q, accounts)
	f.streams = both(f, f.streams, append(streams, further...))
	return err
}

// accountStreams returns the streams of accounts, one for each event endpoint that
// was told something.
func accountStreams(ctx context.Context, q store.Queries, accounts []billing.AccountID) ([]int64, error) {
	const text = `SELECT id FROM webhook_stream WHERE webhook_stream.subject_kind = 'ACCOUNT' AND webhook_stream.subject_id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	streams := []int64{}
	err := q.Each(ctx, text, []any{db.JSONList(accounts)}, column.Collect(&streams))
	return streams, err
}

// searchOf is what words are looked for in: what the tenant of a stream is found by,
// or its account.
func (f *eventSearch) searchOf() string {
	const tenant = "(SELECT tenant.search FROM tenant WHERE tenant.id = webhook_stream.subject_id)"
	if !f.business {
		return tenant
	}
	return "CASE webhook_stream.subject_kind WHEN 'ACCOUNT' THEN (SELECT account.search FROM account WHERE account.id = webhook_stream.subject_id) ELSE " + tenant + " END"
}
