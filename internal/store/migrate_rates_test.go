package store_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestMigrationGivesLinesTheirRates takes the rates off lines, as they were
// before rates were kept, and migrates them: a line gets the rate of its charge
// at its own price, and none if the charge is gone or was changed into something
// else. Lines that cannot be read are left alone.
func TestMigrationGivesLinesTheirRates(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var flat, tiered catalog.Charge
		var old, damaged *subscription.Subscription
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			o := m.offer()
			flat = catalog.Charge{PriceListID: o.list, Code: "flat", Name: "F", ChargeType: catalog.Recurring, BillingPeriod: catalog.Quarterly, BillingTiming: new(catalog.InAdvance), PricingModel: catalog.Flat, Price: new(billing.Price("9.9"))}
			tiered = catalog.Charge{PriceListID: o.list, Code: "tiered", Name: "T", ChargeType: catalog.Usage, BillingPeriod: catalog.Monthly, BillingTiming: new(catalog.InArrears), PricingModel: catalog.Volume, Tiers: []catalog.Tier{{Starts: 1, Price: "2"}, {Starts: 11, Price: "1"}}}
			must(store.Charges.Insert(ctx, tx, &flat))
			must(store.Charges.Insert(ctx, tx, &tiered))
			old = m.subscription(m.account("Old").ID, o, func(s *subscription.Subscription) {
				line := subscription.Line{PriceListID: o.list, StartDate: s.StartDate, EndDate: s.EndDate}
				with := func(id billing.SubscriptionChargeID, charge *catalog.Charge, edit func(*subscription.Line)) {
					l := line
					l.ID, l.ChargeID, l.Code, l.Name, l.Type = id, charge.ID, charge.Code, charge.Name, charge.ChargeType
					edit(&l)
					s.Charges = append(s.Charges, l)
				}
				with(1, &flat, func(l *subscription.Line) { l.Price = new(billing.Price("8")) }) // it was cheaper then
				with(2, &tiered, func(*subscription.Line) {})
				with(3, &flat, func(*subscription.Line) {}) // it had tiers then
				with(4, &flat, func(l *subscription.Line) { l.ChargeID = 1 << 40 })
				with(5, &flat, func(l *subscription.Line) { l.Type = catalog.Usage })
				with(6, &flat, func(l *subscription.Line) { l.PriceListID, l.Price = 1<<40, new(billing.Price("7")) })
			})
			written, err := json.Marshal(old.Charges) // in full, as they were then
			must(err)
			must(run(ctx, tx, `UPDATE subscription SET charges = $1 WHERE id = $2`, string(written), int64(old.ID)))
			damaged = m.subscription(m.account("Damaged").ID, o)
			must(run(ctx, tx, `UPDATE subscription SET charges = '[{' WHERE id = $1`, int64(damaged.ID)))
		})
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for _, statement := range statements(t, db.Engine, "0004_rates.sql") {
				if !strings.HasPrefix(statement, "ALTER TABLE") {
					must(run(ctx, tx, statement))
				}
			}
		})
		found := got[*subscription.Subscription](t)(store.Subscriptions.Get(t.Context(), s.Queries(), old.ID))
		cheap, by := rate.Of(&flat, false), rate.Of(&tiered, false)
		cheap.Price = new(billing.Price("8"))
		list := rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Quarterly, BillingTiming: catalog.InAdvance, PricingModel: catalog.Flat, Price: new(billing.Price("7"))}
		currency := "EUR"
		for i, want := range []struct {
			rate     *rate.Rate
			currency string
		}{{&cheap, currency}, {&by, currency}, {nil, currency}, {nil, currency}, {nil, currency}, {&list, ""}} {
			same(t, "the rate of line "+string(rune('1'+i)), found.Charges[i].Rate, want.rate)
			same(t, "the currency of line "+string(rune('1'+i)), found.Charges[i].CurrencyID, want.currency)
		}
		same(t, "the lines that cannot be read", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT charges FROM subscription WHERE charges = '[{'")), []string{"[{"})
	})
}

func run(ctx context.Context, tx *store.Tx, text string, args ...any) error {
	_, err := tx.Exec(ctx, text, args...)
	return err
}

// statements are those of a migration.
func statements(t *testing.T, engine, name string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("migrations", engine, name))
	if err != nil {
		t.Fatal(err)
	}
	statement, whole := "", false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "-- +goose StatementBegin"):
			whole = true
		case strings.HasPrefix(line, "-- +goose StatementEnd"):
			all, statement, whole = append(all, statement), "", false
		case strings.HasPrefix(line, "--"):
		default:
			statement += line
			if !whole && strings.HasSuffix(line, ";\n") {
				all, statement = append(all, strings.TrimSpace(statement)), ""
			}
		}
	}
	return all
}
