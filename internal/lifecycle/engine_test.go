package lifecycle

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// watched is the real work, and says how much of it is done.
type watched struct {
	*subscriptions.Service
	moved chan int
}

func (w watched) RunDue(ctx context.Context, now time.Time) (int, time.Time, error) {
	n, next, err := w.Service.RunDue(ctx, now)
	if n > 0 {
		w.moved <- n
	}
	return n, next, err
}

// process is a server's engine on a database.
func process(t *testing.T, db *storetest.Database, moved chan int) *service.Service {
	t.Helper()
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	s := service.New(db.Open(t), box, nil)
	e := New(watched{s.Subscriptions, moved}, noBilling{}, noBilling{}, noBilling{}, s.Jobs, db.Clock.Now, slog.New(slog.NewTextHandler(t.Output(), nil)))
	e.Start()
	t.Cleanup(e.Stop) // before the store is closed
	return s
}

// await returns when that many steps have been done.
func await(t *testing.T, moved chan int, n int) {
	t.Helper()
	patience := time.NewTimer(30 * time.Second)
	defer patience.Stop()
	for n > 0 {
		select {
		case some := <-moved:
			n -= some
		case <-patience.C:
			t.Fatalf("%d steps were not done", n)
		}
	}
	if n < 0 {
		t.Fatalf("%d steps too many were done", -n)
	}
}

// TestEngine renews subscriptions at midnight, as soon as the clock shows it.
func TestEngine(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		moved := make(chan int, 100)
		s := process(t, db, moved)
		subscribe(t, s, 3)
		db.Clock.Set(time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC))
		await(t, moved, 3)
		checkTerms(t, s, 3, "2026-03-14")
	})
}

// TestEngines lets the engines of three processes on one PostgreSQL share the
// work. No step is done twice, none is skipped.
func TestEngines(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	moved := make(chan int, 1000)
	s := process(t, db, moved)
	process(t, db, moved)
	process(t, db, moved)
	subscribe(t, s, 60)
	db.Clock.Set(time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))
	await(t, moved, 180)
	checkTerms(t, s, 60, "2026-05-14")
	rows, err := store.Subscriptions.List(t.Context(), s.Read(), store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range rows {
		entries, err := store.HistoryOf(t.Context(), s.Read(), []billing.SubscriptionID{sub.ID})
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 4 { // made, and renewed three times
			t.Errorf("the history of subscription %d has %d entries", sub.ID, len(entries))
		}
	}
}

// subscribe makes subscriptions for a month.
func subscribe(t *testing.T, s *service.Service, n int) {
	t.Helper()
	ctx := t.Context()
	product, err := s.Catalog.ProductCreate(ctx, func(p *catalog.Product) error {
		p.Code, p.Name = "crm", "CRM"
		return nil
	}, nil)
	check(t, err)
	plan, err := s.Catalog.PlanCreate(ctx, func(p *catalog.Plan) error {
		p.ProductID, p.Name = product.ID, "Basic"
		return nil
	}, nil)
	check(t, err)
	list, err := s.Catalog.PriceListCreate(ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name, l.CurrencyID = plan.ID, "basic", "Basic", "EUR"
		return nil
	}, nil)
	check(t, err)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			order := subscriptions.NewSubscription{
				Account: &subscriptions.NewAccount{Edit: func(a *billing.Account) error {
					a.Name = fmt.Sprintf("Account %d", i)
					return nil
				}},
				PriceList: subscriptions.PriceListRef{ID: &list.ID},
			}
			order.Draft.Evergreen = true
			if _, err := s.Subscriptions.SubscriptionCreate(ctx, order); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkTerms fails the test unless there are n subscriptions whose term ends on
// that day.
func checkTerms(t *testing.T, s *service.Service, n int, end string) {
	t.Helper()
	rows, err := store.Subscriptions.List(t.Context(), s.Read(), store.Page{Limit: 1000})
	check(t, err)
	if len(rows) != n {
		t.Errorf("there are %d subscriptions, want %d", len(rows), n)
	}
	for _, sub := range rows {
		if sub.EndDate.String() != end {
			t.Errorf("the term of subscription %d ends on %s, want %s", sub.ID, sub.EndDate, end)
		}
	}
}
