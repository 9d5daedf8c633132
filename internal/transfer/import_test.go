package transfer_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

func example(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExample imports the file that the documents show, its lines in any order.
func TestExample(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		lines := strings.Split(strings.TrimSpace(example(t)), "\n")
		slices.Reverse(lines)
		text := strings.Join(lines, "\r\n\n")
		n := len(lines)
		w.same("a check", w.mustImport(text, transfer.Options{CheckOnly: true}), transfer.Tally{Created: n})
		w.same("what a check wrote", w.export(), "")
		w.same("an import", w.mustImport(text, transfer.Options{}), transfer.Tally{Created: n})
		w.same("the same again", w.mustImport(text, transfer.Options{}), transfer.Tally{Unchanged: n})
		w.same("a check of the same", w.mustImport(text, transfer.Options{CheckOnly: true}), transfer.Tally{Unchanged: n})
		exported := w.export()
		w.same("what was exported", w.mustImport(exported, transfer.Options{}), transfer.Tally{Unchanged: n})
		for _, text := range []string{
			`"code":"seats","name":"Seats","feature":"users","chargeType":"RECURRING","billingPeriod":"ANNUAL","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"99.00"`,
			`"tiers":[{"starts":1,"price":"9.90"},{"starts":50,"price":"7.50"}]`, `"type":"RECURRING","price":"49.00"`,
		} {
			w.same("prices with the digits of their currency", strings.Count(exported, text) > 0, true)
		}

		sub := w.subscription("SUB-1001")
		w.same("the term of SUB-1001", sub.TermStartDate.String()+" "+sub.EndDate.String(), "2025-12-31 2026-01-30")
		w.same("its lines", len(sub.Charges), 2)
		w.same("its seats", seats(sub), 25)
		w.same("SUB-1002", w.subscription("SUB-1002").State, subscription.StateCanceled)
		w.same("what its tenant was told", w.stream(*sub.TenantID), (*webhook.Stream)(nil))
		entries, err := store.AuditEntries.Count(w.ctx, w.store.Queries(), billing.Filter{})
		w.ok(err)
		w.same("audit entries", entries, n+1) // and one for the billing contact
	})
}

func TestChangedLinesAreUpdates(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(example(t), transfer.Options{})
		changed := strings.Join([]string{
			`{"type":"account","code":"acme","name":"Acme Corp"}`,
			`{"type":"contact","account":"acme","firstName":"Ann","lastName":"Smith","email":"ANN@acme.example"}`,
			`{"type":"contact","account":"acme","firstName":"Bob"}`,
			`{"type":"contact","account":"acme","firstName":"Bob","billing":true}`,
			`{"type":"contact","account":"acme","firstName":null,"lastName":"","email":"info@acme.example"}`,
			`{"type":"contact","account":"acme","lastName":"Poe"}`,
			`{"type":"feature","product":"crm","code":"sso","name":"SSO"}`,
			`{"type":"tenant","platform":"cloud","code":"zenith","account":"zenith","name":"Zenith House"}`,
			`{"type":"subscription","code":"SUB-1001","account":"acme","tenant":"acme-prod","priceList":"pro-monthly","startDate":"2023-03-31","quantities":{"users":26}}`,
		}, "\n")
		w.same("a check", w.mustImport(changed, transfer.Options{CheckOnly: true}), transfer.Tally{Created: 4, Changed: 5})
		w.same("an import", w.mustImport(changed, transfer.Options{}), transfer.Tally{Created: 4, Changed: 5})
		w.same("the same again", w.mustImport(changed, transfer.Options{}), transfer.Tally{Unchanged: 9})
		account, err := store.Accounts.ByCode(w.ctx, w.store.Queries(), "acme")
		w.ok(err)
		w.same("what is not in the line", *account.BillingCity, "Wien")
		contacts, err := store.AllContactsOf(w.ctx, w.store.Queries(), []billing.AccountID{account.ID})
		w.ok(err)
		w.same("contacts", len(contacts), 5)
		w.same("a contact with an address alone", contacts[3].Label(), "info@acme.example")
		w.same("a contact with a last name alone", contacts[4].FullName(), "Poe")
		w.same("the billing contact", *account.BillingContactID, contacts[2].ID)
		w.same("seats", seats(w.subscription("SUB-1001")), 26)
		w.same("a job to tell of a feature", jobs(w), 0)
		w.mustImport(`{"type":"feature","product":"crm","code":"sso","name":"Sign-on"}`, transfer.Options{Webhooks: true})
		w.same("a job with webhooks", jobs(w), 1)
	})
}

// TestAnotherTaxNumberIsUnchecked changes the tax number of an account whose old one was
// found to be valid: that says nothing about the new one, unless the line does.
func TestAnotherTaxNumberIsUnchecked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		for _, c := range []struct {
			line string
			want billing.TaxNumberState
		}{
			{`{"type":"account","code":"acme","name":"Acme","billingCountry":"AT","taxNumber":"ATU12345675","taxNumberState":"VALID"}`, billing.TaxNumberValid},
			{`{"type":"account","code":"acme","name":"Acme Inc","taxNumber":"ATU12345675"}`, billing.TaxNumberValid},
			{`{"type":"account","code":"acme","taxNumber":"ATU66889218"}`, billing.TaxNumberUnchecked},
			{`{"type":"account","code":"acme","taxNumber":"ATU12345675","taxNumberState":"VALID"}`, billing.TaxNumberValid},
			{`{"type":"account","code":"acme","taxNumber":null}`, billing.TaxNumberUnchecked},
		} {
			checked := w.mustImport(c.line, transfer.Options{CheckOnly: true})
			w.same("a check of "+c.line, checked, w.mustImport(c.line, transfer.Options{}))
			account, err := store.Accounts.ByCode(w.ctx, w.store.Queries(), "acme")
			w.ok(err)
			w.same("the tax number after "+c.line, account.TaxNumberState, c.want)
			w.same("the same again", w.mustImport(c.line, transfer.Options{}), transfer.Tally{Unchanged: 1})
		}
	})
}

// seats is the quantity of the charge of that code.
func seats(s subscription.Subscription) int {
	for _, line := range s.Charges {
		if line.Code == "seats" && line.Quantity != nil {
			return *line.Quantity
		}
	}
	return 0
}

func jobs(w *world) int {
	n, err := store.Jobs.Count(w.ctx, w.store.Queries(), billing.Filter{})
	w.ok(err)
	return n
}

// TestNumbersGoOn imports with webhooks on and off: what receivers were told
// before keeps its number, and later events go on behind it.
func TestNumbersGoOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		text := strings.Replace(example(t), `"account":"acme","name":"Acme"}`, `"account":"acme","name":"Acme","sequence":57}`, 1)
		w.mustImport(text, transfer.Options{})
		acme, zenith := *w.subscription("SUB-1001").TenantID, *w.subscription("SUB-1002").TenantID
		w.same("the stream of one that was told elsewhere", w.stream(acme).InSync(), true)
		w.same("its deliveries", w.stream(acme).Waiting(), 0)
		for _, id := range []billing.TenantID{acme, zenith} {
			_, err := w.Provisioning.TenantSync(w.ctx, id)
			w.ok(err)
		}
		w.same("the next number", w.stream(acme).LastSequence, 58)
		w.same("the first number", w.stream(zenith).LastSequence, 1)
		w.same("the number in an export", strings.Count(w.export(), `"sequence":58}`), 1)

		again := strings.ReplaceAll(strings.ReplaceAll(example(t), "SUB-", "NEW-"), `"quantities":{"users":25}`, `"quantities":{"users":7}`)
		w.mustImport(again, transfer.Options{Webhooks: true})
		w.same("a number given by an import", w.stream(acme).LastSequence, 59)
		events, err := outbox.EventsOfTenant(w.ctx, w.store.Queries(), acme, 58, 10)
		w.ok(err)
		w.same("an event of an import", len(events), 1)
		w.same("why", events[0].Reason, subscription.KindCreated)
		if !strings.Contains(events[0].Body, `"code":"users","name":"Users","value":"","quantity":32}`) {
			t.Errorf("the body tells: %s", events[0].Body)
		}
	})
}

func TestCutOffAndRunAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		whole := newWorld(t, storetest.New(t, db.Engine))
		text := crowd(1200)
		whole.mustImport(text, transfer.Options{Webhooks: true})
		w := newWorld(t, db)
		for stop := 1; stop < 12; stop += 3 {
			ctx, cancel := context.WithCancel(w.ctx)
			writes := 0
			half := *w
			half.ctx = ctx
			_, err := half.imports(text, transfer.Options{Webhooks: true, Progress: func(step string, _, _ int) {
				if strings.HasPrefix(step, "writing") {
					if writes++; writes == stop {
						cancel()
					}
				}
			}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("not cut off after %d batches: %v", stop, err)
			}
		}
		w.mustImport(text, transfer.Options{Webhooks: true})
		w.sameText("after being cut off", w.export(), whole.export())
	})
}
