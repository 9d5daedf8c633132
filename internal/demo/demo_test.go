package demo

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// made is a business in a database of its own.
func made(t *testing.T, today string) (*Business, *service.Service) {
	t.Helper()
	st := storetest.New(t, "sqlite").Open(t)
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	now, err := time.Parse(time.RFC3339, today)
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	svc := service.New(st, box, nil)
	b, err := Make(t.Context(), Options{
		Service: svc, Now: now,
		WebhookURL: func(platform string) string { return "http://127.0.0.1:8081/webhooks/" + platform },
		Progress: func(done, total int) {
			if done < reached || done > total {
				t.Errorf("after %d of %d comes %d", reached, total, done)
			}
			reached = done
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if reached != days {
		t.Errorf("the progress ends at %d", reached)
	}
	return b, svc
}

func TestTheBusiness(t *testing.T) {
	t.Parallel()
	// A leap day, and the last of a month: histories end on any day.
	for _, today := range []string{"2028-02-29T23:59:59Z", "2026-07-31T00:00:00Z"} {
		t.Run(today, func(t *testing.T) {
			t.Parallel()
			b, svc := made(t, today)
			check(t, b, svc, today)
		})
	}
}

func check(t *testing.T, b *Business, svc *service.Service, today string) {
	t.Helper()
	q := svc.Read()
	checkStates(t, q)
	checkCatalog(t, q)
	checkClock(t, q, today)
	checkExample(t, q, b)
	checkMoney(t, svc, b, today)
}

func checkStates(t *testing.T, q store.Queries) {
	t.Helper()
	subs, err := store.Subscriptions.List(t.Context(), q, store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	states := map[subscription.State]int{}
	schedules := map[string]int{}
	for _, s := range subs {
		states[s.State]++
		if s.Problem != nil {
			t.Errorf("subscription %d was set aside: %s", s.ID, *s.Problem)
		}
		if !s.State.Ended() && s.CancellationDate != nil {
			schedules["cancellation"]++
		}
		if s.NextPriceList != nil {
			schedules["plan"]++
		}
	}
	for _, state := range []subscription.State{subscription.StatePending, subscription.StateTrial, subscription.StateActive, subscription.StateCanceled, subscription.StateExpired, subscription.StateTrialExpired} {
		if states[state] < 2 {
			t.Errorf("%d subscriptions are %s", states[state], state)
		}
	}
	if schedules["cancellation"] == 0 || schedules["plan"] == 0 {
		t.Errorf("nothing is scheduled: %v", schedules)
	}
}

func checkCatalog(t *testing.T, q store.Queries) {
	t.Helper()
	platforms, err := store.Platforms.List(t.Context(), q, store.Page{Limit: 10})
	if err != nil || len(platforms) != 2 {
		t.Errorf("%d platforms, %v", len(platforms), err)
	}
	products, err := store.Products.List(t.Context(), q, store.Page{Limit: 10})
	if err != nil || len(products) != 3 {
		t.Errorf("%d products, %v", len(products), err)
	}
	lists, err := store.PriceLists.List(t.Context(), q, store.Page{Limit: 100})
	if err != nil || len(lists) != 16 {
		t.Errorf("%d price lists, %v", len(lists), err)
	}
	months := map[int]int{}
	for _, l := range lists {
		months[l.RenewalTermMonths]++
		if !l.TrialAllowed {
			t.Errorf("%s has no trial", l.Code)
		}
	}
	if want := map[int]int{1: 8, 12: 8}; !maps.Equal(months, want) {
		t.Errorf("the terms are %v", months)
	}
}

func checkClock(t *testing.T, q store.Queries, today string) {
	t.Helper()
	clocks, err := store.TestClocks.List(t.Context(), q, store.Page{Limit: 10})
	if err != nil || len(clocks) != 1 || clocks[0].Name != ClockName || clocks[0].Now.Format(time.RFC3339) != today {
		t.Fatalf("the clocks are %v, %v", clocks, err)
	}
	accounts, err := store.Accounts.List(t.Context(), q, store.Page{Limit: 100})
	if err != nil || len(accounts) != 40 {
		t.Fatalf("%d accounts, %v", len(accounts), err)
	}
	for _, a := range accounts {
		if a.TestClockID == nil || *a.TestClockID != clocks[0].ID || a.BillingContactID == nil {
			t.Errorf("%s is on no clock or has no contact", a.Name)
		}
	}
}

func checkExample(t *testing.T, q store.Queries, b *Business) {
	t.Helper()
	sub, err := store.Subscriptions.Get(t.Context(), q, b.Example.Subscription)
	if err != nil || sub == nil || sub.State != subscription.StateActive {
		t.Fatalf("the example is %v, %v", sub, err)
	}
	if codes := slices.Sorted(maps.Keys(b.Secrets)); !slices.Equal(codes, []string{"beacon", "harbour"}) {
		t.Errorf("there are secrets of %v", codes)
	}
}

func TestItIsTheSameBusinessEachTime(t *testing.T) {
	t.Parallel()
	const today = "2026-11-15T08:30:00Z"
	business, one := made(t, today)
	check(t, business, one, today)
	_, other := made(t, today)
	a, b := bodies(t, one.Read()), bodies(t, other.Read())
	if len(a) < 300 {
		t.Errorf("a year has only %d webhooks", len(a))
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("webhook %d is once\n%s\nand once\n%s", i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("there are %d and %d webhooks", len(a), len(b))
	}
}

// bodies are all webhooks, those of each tenant in their order. How tenants that
// have something due on the same day take turns is nobody's promise.
func bodies(t *testing.T, q store.Queries) (texts []string) {
	t.Helper()
	events, err := log.ListEvents(t.Context(), q, store.Page{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(events, func(a, b log.LoggedEvent) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	ids := make([]billing.EventID, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	found, err := log.EventBodies(t.Context(), q, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		texts = append(texts, events[i].Reason+" "+found[e.ID].Body)
	}
	return texts
}
