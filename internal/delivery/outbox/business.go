package outbox

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// business is what a transaction has to tell event endpoints. It is written as the
// last part of the transaction, for all accounts together: their streams are locked
// behind everything else, in one order, so that nobody waits for each other.
type business struct{ facts []fact }

// fact is a business event of which the endpoints are not known yet.
type fact struct {
	webhook.BusinessEvent
	data []byte
}

// RecordBusiness has business events recorded with the transaction, for every event
// endpoint that wants them, in the order of the calls. Those of accounts on test
// clocks, to which nothing really happened, are for endpoints that ask for them.
// Without an endpoint it costs nothing.
func RecordBusiness(ctx context.Context, tx *store.Tx, events ...webhook.BusinessEvent) error {
	if len(events) == 0 {
		return nil
	}
	wanted, err := store.HasEventEndpoints(ctx, tx.Queries)
	if err != nil || !wanted {
		return err
	}
	b, has := db.Attached[*business](tx.Queries)
	if !has {
		b = &business{}
		tx.Attach(b)
		tx.BeforeCommit(b.record)
	}
	for _, e := range events {
		b.facts = append(b.facts, fact{e, e.Data()})
	}
	return nil
}

// record writes the events of all accounts.
func (b *business) record(ctx context.Context, tx *store.Tx) error {
	endpoints, err := eventEndpoints(ctx, tx)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	accounts, err := toldAccounts(ctx, tx, b.facts)
	if err != nil {
		return err
	}
	told := queuesOf(b.facts, accounts, endpoints)
	if len(told) == 0 {
		return nil
	}
	if err := takePositions(ctx, tx, told); err != nil {
		return err
	}
	events, err := eventsOf(ctx, tx, told, accounts)
	if err != nil {
		return err
	}
	return insertBusiness(ctx, tx, events)
}

// eventEndpoints returns the endpoints that events are recorded for. They stay until
// the transaction ends.
func eventEndpoints(ctx context.Context, tx *store.Tx) ([]webhook.EventEndpoint, error) {
	text := `SELECT id, event_types, test_clocks FROM platform WHERE event_types IS NOT NULL AND provisioning_enabled ORDER BY id`
	if tx.Dialect.ForUpdate != "" {
		text += ` FOR KEY SHARE`
	}
	var found []webhook.EventEndpoint
	err := tx.Each(ctx, text, nil, func(row db.Row) error {
		e := webhook.EventEndpoint{Enabled: true}
		err := row.Scan(&e.ID, column.JSON(&e.Types), &e.TestClocks)
		found = append(found, e)
		return err
	})
	return found, err
}

// toldAccounts returns the accounts of events.
func toldAccounts(ctx context.Context, tx *store.Tx, facts []fact) (map[billing.AccountID]billing.Account, error) {
	var ids []billing.AccountID
	for i := range facts {
		ids = append(ids, facts[i].AccountID)
	}
	slices.Sort(ids)
	const text = `SELECT id, code, name, test_clock_id FROM account WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	found := map[billing.AccountID]billing.Account{}
	err := tx.Each(ctx, text, []any{db.JSONList(slices.Compact(ids))}, func(row db.Row) error {
		var a billing.Account
		err := row.Scan(&a.ID, &a.Code, &a.Name, &a.TestClockID)
		found[a.ID] = a
		return err
	})
	return found, err
}

// queueKey tells the streams of accounts apart.
type queueKey struct {
	account  billing.AccountID
	endpoint billing.EventEndpointID
}

// queue is the stream of an account to an endpoint, with what is new there.
type queue struct {
	queueKey
	facts []*fact
	// stream, and the number and the position of the last event, once they are taken.
	stream   billing.StreamID
	sequence int
	position int64
}

// queuesOf returns the streams in which something is new, in the order in which
// they are locked.
func queuesOf(facts []fact, accounts map[billing.AccountID]billing.Account, endpoints []webhook.EventEndpoint) []*queue {
	at := map[queueKey]*queue{}
	var all []*queue
	for i := range facts {
		f := &facts[i]
		a, exists := accounts[f.AccountID]
		if !exists {
			continue
		}
		for n := range endpoints {
			if !endpoints[n].Wants(f.Type) || a.TestClockID != nil && !endpoints[n].TestClocks {
				continue
			}
			k := queueKey{f.AccountID, endpoints[n].ID}
			if at[k] == nil {
				at[k] = &queue{queueKey: k}
				all = append(all, at[k])
			}
			at[k].facts = append(at[k].facts, f)
		}
	}
	slices.SortFunc(all, func(a, b *queue) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.endpoint, b.endpoint))
	})
	return all
}
