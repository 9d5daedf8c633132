package service_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestCreate makes subscriptions in all the ways there are. Each is on record:
// its state and lines, its history, its audit entry and what its tenant heard.
func TestCreate(t *testing.T) {
	each(t, func(w *world) {
		w.account("acme")
		for _, c := range []struct {
			list, account string
			with          []func(*subscriptions.NewSubscription)
			want          string
			features      string
		}{
			{"basic-monthly", "acme", nil, "1 on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - tenant 1 1:seats=1 2026-01-15..2026-02-14", "users=1 region:eu"},
			{"pro-monthly", "seats", with(withSeats(7)), "2 on 3 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - tenant 2 1:seats=7 2026-01-15..2026-02-14", "users=7 sso region:eu"},
			{"basic-monthly", "trial", with(trial), "3 on 1 TRIAL 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28 cancels - tenant 3 1:seats=1 2026-01-15..2026-02-27", "users=1 region:eu"},
			{"basic-monthly", "later", with(starting("2026-02-01")), "4 on 1 PENDING 2026-02-01..2026-02-28 trial -..- cancels - tenant 4 1:seats=1 2026-02-01..2026-02-28", ""},
			// Two terms have passed already; one event tells of it.
			{"basic-monthly", "past", with(starting("2025-11-30")), "5 on 1 ACTIVE 2025-11-30..2026-01-29 trial -..- cancels - tenant 5 1:seats=1 2025-11-30..2026-01-29", "users=1 region:eu"},
			{"basic-monthly", "ends", with(withoutRenewal, ending("2026-06-30")), "6 on 1 ACTIVE 2026-01-15..2026-06-30 trial -..- cancels - tenant 6 not renewed 1:seats=1 2026-01-15..2026-06-30", "users=1 region:eu"},
		} {
			sub := w.subscribe(c.list, c.account, c.with...)
			w.same(c.account, describe(w.now(sub)), c.want)
			w.same(c.account+" as returned", describe(sub), c.want)
			w.same("the history of "+c.account, w.history(sub.ID), []string{actor + " subscription.created >" + string(sub.State) + " 2026-01-15 12:00"})
			w.same("the audit entry of "+c.account, w.lastAudit(), actor+" subscriptionCreate Subscription "+itoa(sub.ID))
			w.told(*sub.TenantID, "subscription.created")
			w.same("the features of "+c.account, w.features(*sub.TenantID), c.features)
		}
	})
}

// TestCreateWithEverything makes the account, its contact and the tenant along
// with the subscription.
func TestCreateWithEverything(t *testing.T) {
	each(t, func(w *world) {
		sub := w.sub(w.Subscriptions.SubscriptionCreate(w.ctx, newCustomer("new", "new-tenant")))
		account, err := store.Accounts.Get(w.ctx, w.Read(), sub.AccountID)
		w.ok(err)
		contact, err := store.Contacts.Get(w.ctx, w.Read(), *account.BillingContactID)
		w.ok(err)
		w.same("the contact", contact.FirstName, "Ann")
		tenant, err := store.Tenants.Get(w.ctx, w.Read(), *sub.TenantID)
		w.ok(err)
		w.same("the tenant", []any{tenant.Code, tenant.Name, tenant.AccountID, tenant.PlatformID}, []any{"new-tenant", "New", account.ID, w.platform.ID})
		w.told(tenant.ID, "subscription.created")
		w.same("what was audited", w.text(`SELECT count(*) FROM audit_entry WHERE action IN ('accountCreate', 'contactCreate', 'tenantCreate', 'subscriptionCreate')`), "4")
	})
}

// TestCreateInTenant adds a second subscription to a tenant, found by its code:
// features add up, and the account is found by its code as well.
func TestCreateInTenant(t *testing.T) {
	each(t, func(w *world) {
		first := w.subscribe("basic-monthly", "acme", withSeats(3))
		second := w.subscribe("pro-monthly", "acme", withSeats(4), func(n *subscriptions.NewSubscription) { n.AccountID, n.AccountCode = nil, ptr("acme") })
		w.same("the tenant", *second.TenantID, *first.TenantID)
		w.same("the features", w.features(*first.TenantID), "users=7 sso region:eu")
		w.told(*first.TenantID, "subscription.created", "subscription.created")
	})
}

// TestCreateWithoutTenant tells nobody.
func TestCreateWithoutTenant(t *testing.T) {
	each(t, func(w *world) {
		sub := w.subscribe("advice", "acme", withoutTenant)
		w.same("the history", w.history(sub.ID), []string{actor + " subscription.created >ACTIVE 2026-01-15 12:00"})
		w.same("events", w.text(`SELECT count(*) FROM webhook_event`), "0")
	})
}

// TestCreateTellsEveryMistake refuses a new subscription with all that is wrong
// with it, so that nobody corrects one mistake only to be told the next.
func TestCreateTellsEveryMistake(t *testing.T) {
	each(t, func(w *world) {
		w.subscribe("basic-monthly", "acme", trial)
		w.subscribe("basic-monthly", "other")
		for tenant, said := range map[string]string{"other": "tenantCode", " blank": "tenantCode", "acme": ""} {
			_, err := w.Subscriptions.SubscriptionCreate(w.ctx, w.order("basic-monthly", "acme", trial, withSeats(-1), inTenant(tenant)))
			problems, _ := billing.AsProblems(err)
			var fields []string
			for _, p := range problems {
				fields = append(fields, strings.Join(p.Field, "."))
			}
			want := []string{"quantities.0.quantity", "trial"}
			if said != "" {
				want = append(want, said)
			}
			w.same("what is wrong in the tenant "+tenant, fields, want)
		}
		w.same("subscriptions", w.text(`SELECT count(*) FROM subscription`), "2")
	})
}

func with(f ...func(*subscriptions.NewSubscription)) []func(*subscriptions.NewSubscription) { return f }

func ending(date string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.EndDate = on(date) }
}

func newCustomer(account, tenant string) subscriptions.NewSubscription {
	n := subscriptions.NewSubscription{
		Account: &subscriptions.NewAccount{
			Edit: named(account, nil),
			BillingContact: func(c *billing.Contact) error {
				c.FirstName = "Ann"
				return nil
			},
		},
		PriceList: byCode("basic-monthly"), Tenant: &subscriptions.TenantRef{Code: tenant, Name: ptr("New")},
	}
	n.Draft.Evergreen = true
	return n
}
