package subscriptions_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// TestCreate makes subscriptions in all the ways there are. Each is on record:
// its state and lines, its history, its audit entry and what its tenant heard.
func TestCreate(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Account("acme")
		for _, c := range []struct {
			list, account string
			with          []func(*subscriptions.NewSubscription)
			want          string
			features      string
		}{
			{"basic-monthly", "acme", nil, "1 on 1 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - tenant 1 1:seats=1 2026-01-15..2026-02-14", "users=1 region:eu"},
			{"pro-monthly", "seats", with(servicetest.WithSeats(7)), "2 on 3 ACTIVE 2026-01-15..2026-02-14 trial -..- cancels - tenant 2 1:seats=7 2026-01-15..2026-02-14", "users=7 sso region:eu"},
			{"basic-monthly", "trial", with(servicetest.Trial), "3 on 1 TRIAL 2026-01-29..2026-02-27 trial 2026-01-15..2026-01-28 cancels - tenant 3 1:seats=1 2026-01-15..2026-02-27", "users=1 region:eu"},
			{"basic-monthly", "later", with(servicetest.Starting("2026-02-01")), "4 on 1 PENDING 2026-02-01..2026-02-28 trial -..- cancels - tenant 4 1:seats=1 2026-02-01..2026-02-28", ""},
			// Two terms have passed already; one event tells of it.
			{"basic-monthly", "past", with(servicetest.Starting("2025-11-30")), "5 on 1 ACTIVE 2025-11-30..2026-01-29 trial -..- cancels - tenant 5 1:seats=1 2025-11-30..2026-01-29", "users=1 region:eu"},
			{"basic-monthly", "ends", with(servicetest.WithoutRenewal, ending("2026-06-30")), "6 on 1 ACTIVE 2026-01-15..2026-06-30 trial -..- cancels - tenant 6 not renewed 1:seats=1 2026-01-15..2026-06-30", "users=1 region:eu"},
		} {
			sub := w.Subscribe(c.list, c.account, c.with...)
			w.Equal(c.account, servicetest.Describe(w.Now(sub)), c.want)
			w.Equal(c.account+" as returned", servicetest.Describe(sub), c.want)
			w.Equal("the history of "+c.account, w.History(sub.ID), []string{servicetest.Actor + " subscription.created >" + string(sub.State) + " 2026-01-15 12:00"})
			w.Equal("the audit entry of "+c.account, w.LastAudit(), servicetest.Actor+" subscriptionCreate Subscription "+servicetest.Itoa(sub.ID))
			w.WasTold(*sub.TenantID, "subscription.created")
			w.Equal("the features of "+c.account, w.Features(*sub.TenantID), c.features)
		}
	})
}

// TestCreateWithEverything makes the account, its contact and the tenant along
// with the subscription.
func TestCreateWithEverything(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		sub := w.Sub(w.Subscriptions.SubscriptionCreate(w.Ctx, newCustomer("new", "new-tenant")))
		account, err := store.Accounts.Get(w.Ctx, w.Read(), sub.AccountID)
		w.OK(err)
		contact, err := store.Contacts.Get(w.Ctx, w.Read(), *account.BillingContactID)
		w.OK(err)
		w.Equal("the contact", contact.FirstName, "Ann")
		tenant, err := store.Tenants.Get(w.Ctx, w.Read(), *sub.TenantID)
		w.OK(err)
		w.Equal("the tenant", []any{tenant.Code, tenant.Name, tenant.AccountID, tenant.PlatformID}, []any{"new-tenant", "New", account.ID, w.Platform.ID})
		w.WasTold(tenant.ID, "subscription.created")
		w.Equal("what was audited", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action IN ('accountCreate', 'contactCreate', 'tenantCreate', 'subscriptionCreate')`), "4")
	})
}

// TestCreateInTenant adds a second subscription to a tenant, found by its code:
// features add up, and the account is found by its code as well.
func TestCreateInTenant(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		first := w.Subscribe("basic-monthly", "acme", servicetest.WithSeats(3))
		second := w.Subscribe("pro-monthly", "acme", servicetest.WithSeats(4), func(n *subscriptions.NewSubscription) { n.AccountID, n.AccountCode = nil, new("acme") })
		w.Equal("the tenant", *second.TenantID, *first.TenantID)
		w.Equal("the features", w.Features(*first.TenantID), "users=7 sso region:eu")
		w.WasTold(*first.TenantID, "subscription.created", "subscription.created")
	})
}

// TestCreateWithoutTenant tells nobody.
func TestCreateWithoutTenant(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		sub := w.Subscribe("advice", "acme", servicetest.WithoutTenant)
		w.Equal("the history", w.History(sub.ID), []string{servicetest.Actor + " subscription.created >ACTIVE 2026-01-15 12:00"})
		w.Equal("events", w.QueryText(`SELECT count(*) FROM webhook_event`), "0")
	})
}

// TestCreateTellsEveryMistake refuses a new subscription with all that is wrong
// with it, so that nobody corrects one mistake only to be told the next.
func TestCreateTellsEveryMistake(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.Subscribe("basic-monthly", "acme", servicetest.Trial)
		w.Subscribe("basic-monthly", "other")
		for tenant, said := range map[string]string{"other": "tenantCode", " blank": "tenantCode", "acme": ""} {
			_, err := w.Subscriptions.SubscriptionCreate(w.Ctx, w.Order("basic-monthly", "acme", servicetest.Trial, servicetest.WithSeats(-1), servicetest.InTenant(tenant)))
			problems, _ := billing.AsProblems(err)
			var fields []string
			for _, p := range problems {
				fields = append(fields, strings.Join(p.Field, "."))
			}
			want := []string{"quantities.0.quantity", "trial"}
			if said != "" {
				want = append(want, said)
			}
			w.Equal("what is wrong in the tenant "+tenant, fields, want)
		}
		w.Equal("subscriptions", w.QueryText(`SELECT count(*) FROM subscription`), "2")
	})
}

func with(f ...func(*subscriptions.NewSubscription)) []func(*subscriptions.NewSubscription) { return f }

func ending(date string) func(*subscriptions.NewSubscription) {
	return func(n *subscriptions.NewSubscription) { n.Draft.EndDate = servicetest.On(date) }
}

func newCustomer(account, tenant string) subscriptions.NewSubscription {
	n := subscriptions.NewSubscription{
		Account: &subscriptions.NewAccount{
			Edit: servicetest.Named(account, nil),
			BillingContact: func(c *billing.Contact) error {
				c.FirstName = "Ann"
				return nil
			},
		},
		PriceList: servicetest.ByCode("basic-monthly"), Tenant: &subscriptions.TenantRef{Code: tenant, Name: new("New")},
	}
	n.Draft.Evergreen = true
	return n
}
