package invoicing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// threeBatches is how many documents take three batches, the last with one.
const threeBatches = 2*invoicing.VerifyBatch + 1

// checked verifies everything and returns what it looked at, with what it found.
func (o *office) checked(progress func(*invoicing.Verification)) string {
	o.T.Helper()
	v, err := o.Invoicing.DocumentsVerify(o.Ctx, nil, nil, progress)
	o.OK(err)
	return fmt.Sprintf("%d %d %s", v.Documents, v.Subscriptions, strings.Join(v.Findings, " "))
}

// unfixed lets SQLite change issued documents, as somebody would who falsifies them.
// On PostgreSQL, Damage passes the triggers.
func (o *office) unfixed() {
	o.T.Helper()
	if o.DB.Engine == "sqlite" {
		o.Damage(`DROP TRIGGER invoice_fixed`)
		o.Damage(`DROP TRIGGER credit_note_fixed`)
	}
}

// TestVerifyFindsFaultsAroundBatches plants faults in the first and the last rows of
// batches, one at a time. Each is found, and nothing else is.
func TestVerifyFindsFaultsAroundBatches(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.crowd(threeBatches)
		o.run()
		o.unfixed()
		sound := fmt.Sprintf("%d %d ", threeBatches, threeBatches)
		o.Equal("without a fault", o.checked(nil), sound)
		number := func(n int) string { return fmt.Sprintf("INV-2026-%06d", n) }
		changed := func(n int) string {
			return "Document " + number(n) + " was changed since it was issued: its hash is not that of its contents."
		}
		faults := []struct {
			name, plant, mend string
			found             func(n int) string
		}{
			{"changed", `UPDATE invoice SET notes = 'x' WHERE place = $1`, `UPDATE invoice SET notes = '' WHERE place = $1`, func(n int) string { return sound + changed(n) }},
			{"dated otherwise", `UPDATE invoice SET issued_at = '2025-12-31' WHERE place = $1`, `UPDATE invoice SET issued_at = '2026-01-15' WHERE place = $1`, func(n int) string {
				if n == 1 { // it is before no other
					return sound + changed(n)
				}
				return sound + number(n) + " is dated 2025-12-31, before " + number(n-1) + ", which is dated 2026-01-15. " + changed(n)
			}},
			{"missing", `UPDATE invoice SET place = place + 100000 WHERE place = $1`, `UPDATE invoice SET place = place - 100000 WHERE place = $1 + 100000`, func(n int) string {
				looked := fmt.Sprintf("%d %d ", n-1, threeBatches)
				switch {
				case n == threeBatches:
					return looked + fmt.Sprintf("Series 1 should have %d documents, but there are only %d.", n, n-1)
				case n%invoicing.VerifyBatch == 0:
					return looked + fmt.Sprintf("Document %d of series 1 is missing: it should come after %s.", n, number(n-1))
				case n == 1:
					return looked + "Document 1 of series 1 is missing: after  comes " + number(2) + "."
				}
				return looked + fmt.Sprintf("Document %d of series 1 is missing: after %s comes %s.", n, number(n-1), number(n+1))
			}},
			{"billed otherwise", `UPDATE ledger_key SET net = net + 1 WHERE subscription_id = $1`, `UPDATE ledger_key SET net = net - 1 WHERE subscription_id = $1`, func(n int) string {
				key := fmt.Sprintf("Subscription %d, charge 3, 2026-01-15 to 2026-02-14: ", n)
				return sound + key + "the ledger has 50.01, but items and credits add up to 50.00. " + key + "50.01 was billed, and it should be 50.00."
			}},
			{"not in the ledger", `UPDATE ledger_key SET subscription_id = subscription_id + 100000 WHERE subscription_id = $1`,
				`UPDATE ledger_key SET subscription_id = subscription_id - 100000 WHERE subscription_id = $1 + 100000`, func(n int) string {
					key := fmt.Sprintf("Subscription %d, charge 3, 2026-01-15 to 2026-02-14: ", n)
					return sound + key + "items were billed that the ledger does not know. " + key + "0.00 was billed, and it should be 50.00."
				}},
		}
		for _, n := range []int{1, invoicing.VerifyBatch, invoicing.VerifyBatch + 1, 2 * invoicing.VerifyBatch, threeBatches} {
			for _, f := range faults {
				o.Damage(f.plant, n)
				o.Equal(fmt.Sprint(n, " is ", f.name), o.checked(nil), f.found(n))
				o.Damage(f.mend, n)
			}
		}
		head := o.QueryText(`SELECT head_hash FROM number_series`)
		o.Damage(`UPDATE number_series SET head_hash = $1`, strings.Repeat("0", 64))
		o.Equal("another head", o.checked(nil), sound+fmt.Sprintf("The last document of series 1, INV-2026-%06d, is not the one that was issued last.", threeBatches))
		o.Damage(`UPDATE number_series SET head_hash = $1`, head)
	})
}

// TestVerifyWhileBilling issues invoices while documents are verified, and then while
// subscriptions are. Neither is a finding, and what came later is not looked at.
func TestVerifyWhileBilling(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.crowd(threeBatches)
		o.run()
		days := []string{"2026-02-15", "2026-03-15"}
		bill := func(v *invoicing.Verification) {
			if v.Subscriptions > 0 && len(days) == 1 || len(days) == 2 {
				o.at(days[0])
				days = days[1:]
				o.run()
			}
		}
		o.Equal("while invoices are issued", o.checked(bill), fmt.Sprintf("%d %d ", threeBatches, threeBatches))
		o.Equal("days that were billed", len(days), 0)
		o.Equal("afterwards", o.checked(nil), fmt.Sprintf("%d %d ", 3*threeBatches, threeBatches))
	})
}

// TestVerifyWhileAClockIsDeleted deletes the documents of a test clock before they
// are read.
func TestVerifyWhileAClockIsDeleted(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.crowd(threeBatches)
		o.run()
		clock := o.NewClock("2026-03-01 00:00")
		o.AccountOn("tester", &clock.ID)
		o.customer2("tester")
		o.Subscribe("pro-monthly", "tester", servicetest.WithSeats(1))
		_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment("2026-05-31 00:00"))
		o.OK(err)
		o.Equal("with the clock", o.checked(nil), fmt.Sprintf("%d %d ", threeBatches+3, threeBatches+1))
		o.Equal("without it", o.checked(func(*invoicing.Verification) {
			if clock != nil {
				_, err := o.Subscriptions.TestClockDelete(o.Ctx, clock.ID)
				o.OK(err)
				clock = nil
			}
		}), fmt.Sprintf("%d %d ", threeBatches, threeBatches))
	})
}

// TestVerifyEntities verifies the documents of two entities and of a test clock, with
// credit notes, by themselves and all together, and from a day on.
func TestVerifyEntities(t *testing.T) {
	eachOffice(t, func(o *office) {
		other := o.entity
		o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
			other.ID, other.Code, other.InvoiceNumberFormat, other.CreditNoteNumberFormat = 0, "other", "O-{0000}", "OC-{0000}"
			return store.Entities.Insert(ctx, tx, &other)
		}))
		clock := o.NewClock("2026-01-15 12:00")
		o.AccountOn("tester", &clock.ID)
		o.customer2("tester")
		o.customer("one")
		o.customer("two", func(a *billing.Account) { a.EntityID = &other.ID })
		for _, name := range []string{"tester", "one", "two"} {
			o.Subscribe("pro-monthly", name, servicetest.WithSeats(5), servicetest.WithoutTenant)
		}
		_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment("2026-02-16 00:00"))
		o.OK(err)
		for _, day := range []string{"2026-01-15", "2026-02-15", "2026-03-15"} {
			o.at(day)
			o.run()
		}
		for _, number := range []string{"INV-2026-000003", "O-0003", "TEST-000001"} {
			i := servicetest.Must[*document.Invoice](o.World)(store.InvoiceByNumber(o.Ctx, o.Read(), number))
			_, err := o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Goodwill")
			o.OK(err)
		}
		o.unfixed()
		count := func(entity *billing.EntityID, from string) string {
			var day *billing.Date
			if from != "" {
				day = servicetest.On(from)
			}
			v, err := o.Invoicing.DocumentsVerify(o.Ctx, entity, day, nil)
			o.OK(err)
			return fmt.Sprintf("%d %d %s", v.Documents, v.Subscriptions, strings.Join(v.Findings, " "))
		}
		o.Equal("all", count(nil, ""), "11 3 ")
		o.Equal("the first", count(&o.entity.ID, ""), "7 0 ") // those of the test clock, too
		o.Equal("the other", count(&other.ID, ""), "4 0 ")
		o.Equal("the other from March on", count(&other.ID, "2026-03-15"), "2 0 ")
		o.Equal("from March on", count(nil, "2026-03-15"), "4 0 ")
		o.Equal("nothing", count(nil, "2027-01-01"), "0 0 ")
		changed := func(number string) string {
			return "Document " + number + " was changed since it was issued: its hash is not that of its contents."
		}
		for _, f := range []struct{ table, number string }{{"invoice", "O-0001"}, {"invoice", "TEST-000002"}, {"credit_note", "OC-0001"}} {
			o.Damage(`UPDATE ` + f.table + ` SET locale = 'xx', seller = '{}' WHERE number = '` + f.number + `'`)
		}
		o.Equal("all with faults", strings.Count(count(nil, ""), " was changed since"), 3)
		o.Equal("the other with faults", count(&other.ID, ""), "4 0 "+changed("O-0001")+" "+changed("OC-0001"))
		o.Equal("the other with faults from March on", count(&other.ID, "2026-03-15"), "2 0 "+changed("OC-0001"))
		seller := o.QueryText(`SELECT seller FROM invoice WHERE number = 'O-0002'`)
		o.Damage(`UPDATE invoice SET locale = (SELECT locale FROM invoice WHERE number = 'O-0002'), seller = $1 WHERE number = 'O-0001'`, seller)
		o.Damage(`UPDATE credit_note SET locale = (SELECT locale FROM invoice WHERE number = 'O-0002'), seller = $1 WHERE number = 'OC-0001'`, seller)
		o.Damage(`UPDATE invoice SET locale = (SELECT locale FROM invoice WHERE number = 'TEST-000001'), seller = (SELECT seller FROM invoice WHERE number = 'TEST-000001') WHERE number = 'TEST-000002'`)
		o.Equal("mended", count(nil, ""), "11 3 ")
	})
}

// TestVerifyManyKeys verifies a subscription with more keys than a batch has, between
// others.
func TestVerifyManyKeys(t *testing.T) {
	eachOffice(t, func(o *office) {
		var subs []billing.SubscriptionID
		for _, name := range []string{"one", "large", "three"} {
			o.customer(name)
			subs = append(subs, o.Subscribe("pro-monthly", name, servicetest.WithSeats(5), servicetest.WithoutTenant).ID)
		}
		o.run()
		const many = 5000
		keys := make([]store.LedgerKey, many) // that nothing is billed of any more
		day := servicetest.Day("2026-01-15")
		for n := range keys {
			keys[n] = store.LedgerKey{SubscriptionID: subs[1], Billed: ledger.Billed{
				Key: ledger.Key{Charge: billing.ChargeID(1000 + n), Period: ledger.Period{From: day, To: day}}, Currency: money.Currency{Code: "EUR", Digits: 2},
			}}
		}
		o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error { return store.SaveLedger(ctx, tx, keys) }))
		o.Equal("without a fault", o.checked(nil), "3 3 ")
		for _, id := range subs {
			o.Damage(`UPDATE ledger_key SET net = net + 1 WHERE subscription_id = $1 AND charge_id = (SELECT MAX(charge_id) FROM ledger_key WHERE subscription_id = $1)`, int64(id))
		}
		found := o.checked(nil)
		o.Equal("findings", strings.Count(found, "the ledger has"), 3)
		for n, want := range []string{"charge 3, 2026-01-15 to 2026-02-14: the ledger has 50.01", fmt.Sprintf("charge %d, 2026-01-15 to 2026-01-15: the ledger has 0.01", 1000+many-1), "charge 3, 2026-01-15 to 2026-02-14: the ledger has 50.01"} {
			if want = fmt.Sprintf("Subscription %d, %s", subs[n], want); !strings.Contains(found, want) {
				t.Errorf("%q is not in %s", want, found)
			}
		}
		for _, id := range subs {
			o.Damage(`UPDATE ledger_key SET net = net - 1 WHERE subscription_id = $1 AND charge_id = (SELECT MAX(charge_id) FROM ledger_key WHERE subscription_id = $1)`, int64(id))
		}
	})
}

// TestVerifyInFewStatements counts the statements of a batch: they do not depend on
// how much is in it.
func TestVerifyInFewStatements(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.crowd(threeBatches)
		statements := func() int64 {
			before := o.Store.Statements()
			o.OK(servicetest.ErrorOf(o.Invoicing.DocumentsVerify(o.Ctx, nil, nil, nil)))
			return o.Store.Statements() - before
		}
		none := statements()
		o.run()
		if once := statements(); once > none+3*10 {
			t.Errorf("%d statements for %d documents, %d for none", once, threeBatches, none)
		}
	})
}

// TestVerifyCanceled stops in the middle.
func TestVerifyCanceled(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.crowd(threeBatches)
		o.run()
		ctx, cancel := context.WithCancel(o.Ctx)
		batches := 0
		_, err := o.Invoicing.DocumentsVerify(ctx, nil, nil, func(v *invoicing.Verification) {
			batches++
			cancel()
		})
		if !errors.Is(err, context.Canceled) || batches > 3 {
			t.Errorf("%d batches, %v", batches, err)
		}
	})
}

// TestVerifyHowMuchThereIs verifies documents for somebody who may read little: what is
// verified is no part of the answer.
func TestVerifyHowMuchThereIs(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.customer("acme")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		ctx := store.WithAllowance(o.Ctx, func(int) error { return errors.New("the answer would be too large") })
		v, err := o.Invoicing.DocumentsVerify(ctx, nil, nil, nil)
		o.OK(err)
		o.Equal("documents", v.Documents, 1)
	})
}

// TestVerifyFindsWhatNobodyBills leaves a subscription without a day on which it is
// billed: one that never was, and one that was once.
func TestVerifyFindsWhatNobodyBills(t *testing.T) {
	eachOffice(t, func(o *office) {
		for _, name := range []string{"once", "good"} {
			o.customer(name)
			o.Subscribe("pro-monthly", name, servicetest.WithSeats(5))
		}
		o.run()
		o.customer("never")
		o.Subscribe("pro-monthly", "never", servicetest.WithSeats(7))
		o.Equal("while it waits", o.checked(nil), "2 2 ")
		o.Damage(`UPDATE subscription SET bill_on = NULL, dirty_from = NULL WHERE id IN (1, 3)`)
		never := "Subscription 3, charge 3, 2026-01-15 to 2026-02-14: 0.00 was billed, and it should be 70.00."
		o.Equal("never billed", o.checked(nil), "2 2 "+never)
		o.at("2026-02-15")
		o.run()
		o.Equal("billed once, and never again", o.checked(nil),
			"3 2 Subscription 1, charge 3, 2026-02-15 to 2026-03-14: 0.00 was billed, and it should be 50.00. "+never+
				" Subscription 3, charge 3, 2026-02-15 to 2026-03-14: 0.00 was billed, and it should be 70.00.")
		o.Damage(`UPDATE account SET billing_problem = 'somebody knows of it'`)
		o.Equal("with a problem that is shown", o.checked(nil), "3 2 ")
	})
}
