package main

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// newUnpaid makes a database with n accounts, each with a tenant, a subscription and an
// unpaid invoice that a policy with these steps counts for. The first is made by the
// service, the others are copies of its rows. It is noon of the due date.
func (r *run) newUnpaid(name string, n int, steps ...dunning.Step) *crowd {
	say("seeding %s with %s unpaid invoices", r.engine.name, thousands(n))
	database := r.create(name)
	c := r.openCrowd(database, crowdDue)
	r.closing(c.store.Close)
	c.database, c.shop = database, openShop(r.Context(), c.store, 1)
	c.shop.addSeller(r.Context(), c.store, crowdBegan)
	c.addPolicy(r.Context(), steps)
	code, seats := priceListCode, 3
	first := must(c.Subscriptions.SubscriptionCreate(asClient(r.Context()), subscriptions.NewSubscription{
		Draft:     subscription.Draft{Evergreen: true, Quantities: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}},
		AccountID: &c.shop.accounts[0], PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: "T-1"},
	}))
	c.billBatch(r.Context())
	db := r.raw(database)
	r.execute(db, `UPDATE webhook_stream SET done_position = last_position, delivered_sequence = last_sequence, highest_sequence = last_sequence, due_at = NULL`)
	if first.ID != 1 || first.AccountID != 1 || *first.TenantID != 1 {
		r.Fatal("the first rows of a new database have other ids than 1")
	}
	for _, t := range []struct {
		table string
		other map[string]string
	}{
		{"account", map[string]string{"id": "i", "name": "'Firm ' || i", "search": "'firm ' || i", "billing_contact_id": "NULL"}},
		{"tenant", map[string]string{"id": "i", "account_id": "i", "code": "'T-' || i", "name": "'T-' || i", "search": "'t-' || i"}},
		{"webhook_stream", map[string]string{"id": "i", "subject_id": "i"}},
		{"subscription", map[string]string{"id": "i", "account_id": "i", "tenant_id": "i"}},
		{"invoice", map[string]string{"id": "i", "account_id": "i", "uuid": "'copy-' || i", "number": "'C-' || i", "search": "'c-' || i", "place": "1 + i"}},
		{"invoice_item", map[string]string{"id": "2 * i + old.position", "invoice_id": "i", "subscription_id": "i"}},
		{"dunning", map[string]string{"invoice_id": "i", "account_id": "i"}},
		{"account_billing", map[string]string{"account_id": "i"}},
	} {
		r.copyTable(db, t.table, n, t.other)
	}
	if r.engine.name == "postgres" {
		r.execute(db, "VACUUM (ANALYZE)", "CHECKPOINT")
	}
	r.maintain(database)
	say("seeded")
	c.clock.Store(new(crowdDue.AddDate(0, 0, 14)))
	return c
}

// generated are columns that the database computes.
var generated = []string{"under_way", "stopped"}

// copyTable copies the rows that a new database has in a table n - 1 times, with some of
// their columns computed from the number i of the copy.
func (r *run) copyTable(db *sql.DB, table string, n int, other map[string]string) {
	rows := must(db.QueryContext(r.Context(), `SELECT * FROM `+table+` WHERE 1 = 0`))
	columns := slices.DeleteFunc(must(rows.Columns()), func(name string) bool { return slices.Contains(generated, name) })
	check(rows.Close())
	values := make([]string, len(columns))
	for k, name := range columns {
		if values[k] = other[name]; values[k] == "" {
			values[k] = "old." + name
		}
		delete(other, name)
	}
	if len(other) > 0 {
		r.Fatalf("%s has no columns %v", table, slices.Collect(maps.Keys(other)))
	}
	text := numbers + fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM numbers CROSS JOIN %s old`, table, strings.Join(columns, ", "), strings.Join(values, ", "), table)
	if _, err := db.ExecContext(r.Context(), text, n); err != nil {
		check(fmt.Errorf("%w in %s", err, table))
	}
}

// addPolicy lets the seller dun by a policy.
func (c *crowd) addPolicy(ctx context.Context, steps []dunning.Step) {
	check(c.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return catch(func() {
			policy := dunning.NewPolicy()
			policy.Steps = steps
			check(store.DunningPolicies.Insert(ctx, tx, &policy))
			entity := must(store.AllEntities(ctx, tx.Queries))[0]
			entity.DunningPolicyID = &policy.ID
			check(store.Entities.Update(ctx, tx, &entity))
		})
	}))
}

// measureDunning compares the steps of a day over very many unpaid invoices with writing
// the same rows: every invoice becomes past due, and its customer is reminded.
func measureDunning(r *run) []result {
	remind := dunning.Step{Day: 1, Action: dunning.Remind, Template: dunning.TemplateReminder}
	many, few, bare := r.newUnpaid("dunning_many", r.subs, remind), r.newUnpaid("dunning_few", r.subs/100, remind), r.newUnpaid("dunning_bare", r.subs/100, remind)
	day := crowdDue.AddDate(0, 0, 15)
	many.clock.Store(&day)
	few.clock.Store(&day)
	var times [3][]float64
	for left := r.subs / 100; left > 0; {
		size := 0
		for i, c := range []*crowd{many, few} {
			looked, took, _ := c.billBatch(r.Context())
			times[i], size = append(times[i], milliseconds(took)/float64(looked)), looked
		}
		left -= size
		took := bare.writeSteps(r.Context(), left, size, remind, billing.DateOf(day, time.UTC))
		times[2] = append(times[2], milliseconds(took)/float64(size))
	}
	return []result{
		r.result("dunning, rate", "/s", 1000/median(times[0]), 1000/median(times[2])).atLeast(0.4),
		r.result("dunning, each", "ms", median(times[0]), median(times[1])).atMost(1.3),
	}
}

// writeSteps writes the rows of a step for invoices in one transaction, without computing
// anything: those after so many.
func (c *crowd) writeSteps(ctx context.Context, after, size int, step dunning.Step, on billing.Date) time.Duration {
	q := c.store.Queries()
	ids := make([]billing.InvoiceID, size)
	for n := range ids {
		ids[n] = billing.InvoiceID(after + n + 1)
	}
	var records []*dunning.Record
	var steps []dunning.Carried
	of := must(store.DunningOf(ctx, q, ids))
	for _, id := range ids {
		record := of[id]
		record.Standing, record.Next = billing.PastDue, billing.Date{}
		record.State.Done = dunning.Progress{step.Action: step.Day}
		records, steps = append(records, record), append(steps, dunning.Carried{InvoiceID: id, Step: step, On: on})
	}
	subs := make([]*subscription.Subscription, size)
	for n, id := range ids {
		sub := must(store.Subscriptions.Get(ctx, q, billing.SubscriptionID(id)))
		sub.Standing, sub.StandingInvoiceID = billing.PastDue, &ids[n]
		subs[n] = sub
	}
	start := now()
	tagged(ctx, "bare", func(ctx context.Context) {
		check(c.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			return catch(func() {
				check(store.SaveDunning(ctx, tx, records))
				check(store.InsertDunningSteps(ctx, tx, steps))
				for _, sub := range subs {
					check(store.Subscriptions.UpdateSameWords(ctx, tx, sub))
					check(store.InsertHistory(ctx, tx, &subscription.HistoryEntry{
						SubscriptionID: sub.ID, At: tx.Now, EffectiveAt: tx.Now, Actor: "dunning", Kind: subscription.KindStandingChanged, From: &sub.State, To: sub.State,
						Detail: map[string]any{"from": billing.Good, "to": billing.PastDue, "invoiceId": int64(*sub.StandingInvoiceID)},
					}))
				}
			})
		}))
	})
	return now().Sub(start)
}
