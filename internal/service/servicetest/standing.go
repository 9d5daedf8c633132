package servicetest

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/store"
)

// Standings judges all subscriptions from scratch: by their invoices, what happened to
// those so far, and the policies, and not by any standing that was saved. today is the day on
// a clock, nil for real time.
func Standings(t testing.TB, ctx context.Context, q store.Queries, today func(*billing.TestClockID) billing.Date) map[billing.SubscriptionID]billing.Standing {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	invoices, err := store.Invoices.List(ctx, q, store.Page{Limit: store.NoLimit})
	ok(err)
	ok(store.WithItems(ctx, q, invoices))
	ids := make([]billing.InvoiceID, len(invoices))
	for n := range invoices {
		ids[n] = invoices[n].ID
	}
	records, err := store.DunningOf(ctx, q, ids)
	ok(err)
	policies, err := store.AllDunningPolicies(ctx, q)
	ok(err)
	entities, err := store.AllEntities(ctx, q)
	ok(err)
	policyOf := func(a *billing.Account, entity billing.EntityID) *dunning.Policy {
		id := a.DunningPolicyID
		for n := range entities {
			if id == nil && entities[n].ID == entity {
				id = entities[n].DunningPolicyID
			}
		}
		for n := range policies {
			if id != nil && policies[n].ID == *id {
				return &policies[n]
			}
		}
		return nil
	}
	claims := map[billing.SubscriptionID][]dunning.Claim{}
	for n := range invoices {
		i := &invoices[n]
		account, err := store.Accounts.Get(ctx, q, i.AccountID)
		ok(err)
		record := records[i.ID]
		if record == nil || account == nil || account.DunningExempt {
			continue
		}
		invoice := record.With(dunning.Invoice{Number: i.Number, Issued: i.IssuedAt, Due: i.DueAt, Currency: i.Currency, AmountDue: i.AmountDue(), OneOff: i.Kind != document.SubscriptionInvoice})
		seen := map[billing.SubscriptionID]bool{}
		for m := range i.Items {
			if id := i.Items[m].SubscriptionID; id != nil && !seen[*id] {
				seen[*id] = true
				claims[*id] = append(claims[*id], dunning.Claim{Policy: policyOf(account, i.EntityID), Invoice: &invoice})
			}
		}
	}
	subs, err := store.Subscriptions.List(ctx, q, store.Page{Limit: store.NoLimit})
	ok(err)
	standings := map[billing.SubscriptionID]billing.Standing{}
	for n := range subs {
		standings[subs[n].ID] = dunning.Judge(claims[subs[n].ID], today(subs[n].TestClockID)).Standing
	}
	return standings
}
