package main

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// numberingWorkers bill at the same time.
const numberingWorkers = 8

// measureNumbering compares workers that all number their invoices in one series
// with workers that hardly ever meet at one: there every batch of accounts has an
// entity of its own.
func measureNumbering(r *run) []result {
	n := r.subs / 100
	one, apart := r.newDebtors("numbering_one", n), r.newDebtors("numbering_apart", n)
	apart.divide(r)
	var rates [2]float64
	for i, c := range []*crowd{one, apart} {
		rates[i] = c.billTogether(r.Context())
	}
	return []result{r.result("numbering, 8 workers", "/s", rates[0], rates[1]).atLeast(0.8)}
}

// divide gives accounts to entities, a batch to each in turn.
func (c *crowd) divide(r *run) {
	check(c.store.Write(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		return catch(func() {
			for n := range numberingWorkers - 1 {
				entity := *must(store.Entities.Get(ctx, tx.Queries, 1))
				entity.ID, entity.Code = 0, "main-"+string(rune('a'+n))
				check(store.Entities.Insert(ctx, tx, &entity))
			}
		})
	}))
	db := must(r.engine.raw(c.database))
	defer db.Close()
	must(db.ExecContext(r.Context(), `UPDATE account SET entity_id = 1 + (id - 1) / $1 % $2`, c.Invoicing.Batch, numberingWorkers))
}

// billTogether has workers bill everything, and returns how many invoices they made
// in a second.
func (c *crowd) billTogether(ctx context.Context) float64 {
	var wait sync.WaitGroup
	errs := make([]error, numberingWorkers)
	start := now()
	for n := range numberingWorkers {
		worker := operations(c.store)
		wait.Go(func() {
			for {
				looked, next, err := worker.Invoicing.RunDue(ctx, c.at())
				if errs[n] = err; err != nil || looked == 0 && next.Sub(c.at()) > time.Minute {
					return
				}
			}
		})
	}
	wait.Wait()
	took := now().Sub(start)
	for _, err := range errs {
		check(err)
	}
	return float64(must(store.Invoices.Count(ctx, c.store.Queries(), billing.Filter{}))) / took.Seconds()
}
