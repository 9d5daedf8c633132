package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// measureDocuments compares a preview of a change with money to one without, and
// lists of very many invoices to those of a hundredth of them.
func measureDocuments(r *run) []result {
	few := r.newDebtors("documents_few", r.subs/100)
	for left := r.subs / 100; left > 0; {
		billed, _, _ := few.billBatch(r.Context())
		left -= billed
	}
	if r.engine.name == "postgres" {
		r.execute(r.raw(few.database), "VACUUM (ANALYZE)", "CHECKPOINT") // as autovacuum does in a while
	}
	results := []result{few.previewChanges(r)}
	many := r.newDebtors("documents_many", r.subs/100)
	many.billBatch(r.Context())
	many.copyInvoices(r, r.subs)
	return append(results, r.listInvoices(few.database, many.database)...)
}

// previewChanges compares previews of another quantity.
func (c *crowd) previewChanges(r *run) result {
	seats, next := 5, 0
	order := func(ctx context.Context) error {
		next = next%(r.subs/100) + 1
		_, err := c.Subscriptions.SubscriptionQuantityUpdate(ctx, billing.SubscriptionID(next), subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}})
		return err
	}
	times := func(do func(context.Context) error) side {
		return func(ctx context.Context, d time.Duration) (float64, error) {
			n, start := 0, now()
			for now().Sub(start) < d {
				if err := do(asClient(ctx)); err != nil {
					return 0, err
				}
				n++
			}
			return float64(n) / now().Sub(start).Seconds(), nil
		}
	}
	with := times(func(ctx context.Context) error {
		p, err := c.Invoicing.PreviewChange(ctx, billing.AccountID(next%(r.subs/100)+1), false, order)
		if err == nil && p.Now == nil && p.Next == nil {
			err = fmt.Errorf("a preview has no money: %s", p.Problem)
		}
		return err
	})
	without := times(func(ctx context.Context) error { _, err := c.Subscriptions.PreviewOf(ctx, order); return err })
	return r.compare("preview with money", with, without).atLeast(0.5)
}

// copyInvoices adds copies of an invoice until there are n.
func (c *crowd) copyInvoices(r *run, n int) {
	say("seeding %s with %s invoices", r.engine.name, thousands(n))
	db := must(r.engine.raw(c.database))
	defer db.Close()
	rows := must(db.QueryContext(r.Context(), "SELECT * FROM invoice LIMIT 0"))
	columns := must(rows.Columns())
	check(rows.Close())
	values := make([]string, len(columns))
	for i, name := range columns {
		switch name {
		case "id", "place":
			values[i] = "i + 1000"
		case "uuid":
			values[i] = "'copy-' || i"
		case "number":
			values[i] = "'C-' || i"
		case "search":
			values[i] = "'c-' || i"
		case "account_id":
			values[i] = "1 + (i - 1) % $2"
		default:
			values[i] = name
		}
	}
	must(db.ExecContext(r.Context(), numbers+fmt.Sprintf(`INSERT INTO invoice (%s) SELECT %s FROM numbers CROSS JOIN invoice WHERE invoice.id = 1`,
		strings.Join(columns, ", "), strings.Join(values, ", ")), n, r.subs/100))
	if r.engine.name == "postgres" {
		r.execute(db, "VACUUM (ANALYZE) invoice", "CHECKPOINT")
	}
	r.maintain(c.database)
	say("seeded")
}

// The lists of invoices that are compared.
var invoiceLists = []struct{ name, filter string }{
	{"invoice list", ""}, {"invoice list, open", "state:open"},
}

// listInvoices compares a page of invoices among many with one among few.
func (r *run) listInvoices(few, many string) (results []result) {
	const query = "query ($filter: String) { invoices(limit: 50, filter: $filter) { id number state amount amountDue dueAt account { id name } } }"
	var conns [2]*conn
	var tokens [2]string
	for i, database := range []string{few, many} {
		s := r.startServer(database)
		conns[i], tokens[i] = r.dial(s.address), r.fetchToken(s.address, billing.StandardRead+" "+billing.BillingRead)
	}
	for _, list := range invoiceLists {
		var times [2][]time.Duration
		for round := range 20 * warmUpRounds {
			for i, c := range conns {
				start := now()
				body := must(c.do(graphQL(tokens[i], query, map[string]any{"filter": list.filter}), `{"data":{"invoices":[`))
				if took := now().Sub(start); round >= warmUpRounds {
					times[i] = append(times[i], took)
				}
				if !bytes.Contains(body, []byte(`"number"`)) {
					r.Fatalf("%s finds nothing", list.name)
				}
			}
		}
		results = append(results, r.result(list.name, "ms", milliseconds(median(times[1])), milliseconds(median(times[0]))).atMost(1.5))
	}
	return results
}
