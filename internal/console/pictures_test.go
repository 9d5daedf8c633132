package console_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/log"
	business "github.com/tenantry/tenantry/internal/demo"
	"github.com/tenantry/tenantry/internal/store"
)

// TestPictures makes the pictures of the documents, in the folder that
// TENANTRY_PICTURES names; with TENANTRY_PICTURES_ALL, those of every page, wide
// and narrow, light and dark.
func TestPictures(t *testing.T) {
	folder := os.Getenv("TENANTRY_PICTURES")
	if folder == "" {
		t.Skip("TENANTRY_PICTURES names no folder for pictures: skipped")
	}
	s := open(t, "sqlite")
	b := s.browse(t)
	if os.Getenv("TENANTRY_PICTURES_ALL") != "" {
		b.takeAll(folder)
		return
	}
	s.receive()
	b.signIn(adminEmail)
	made := s.openDemo()
	s.settled("delivered")
	s.pastDays()
	trial := s.first("state:trial")
	for _, p := range []struct {
		name, path string
		dark       bool
	}{
		{"home", "/", false}, {"home", "/", true}, {"subscription", fmt.Sprintf("/subscriptions/%d", made.Example.Subscription), false},
		{"matrix", "/products/1/matrix", false}, {"preview", fmt.Sprintf("/subscriptions/%d/convert-trial", trial), false},
		{"event", fmt.Sprintf("/events/%d", s.newestEvent(made.Example.TenantID).ID), false},
		{"invoice", fmt.Sprintf("/invoices/%d", s.difference(made.Example.Subscription)), false}, {"billing", fmt.Sprintf("/accounts/%d/billing", made.Debtor.Account), false},
	} {
		b.size(1180, p.dark)
		b.open(p.path)
		if p.name == "preview" {
			b.presses("Preview")
		}
		if p.name == "invoice" {
			eval[bool](b, `document.querySelector(".why details").open = true`)
		}
		b.picture(filepath.Join(folder, p.name+"-"+shade(p.dark)+".png"))
	}
}

// openDemo makes what tenantry demo shows.
func (s *site) openDemo() *business.Business {
	s.t.Helper()
	return must[*business.Business](s)(business.Make(s.ctx, business.Options{
		Service: s.service, Now: s.clock.Now(), WebhookURL: func(string) string { return s.hooks }, Progress: func(int, int) {},
	}))
}

// first is the first subscription of a filter.
func (s *site) first(text string) billing.SubscriptionID {
	s.t.Helper()
	filter := must[billing.Filter](s)(billing.ParseFilter(text))
	return must[[]subscription.Subscription](s)(store.Subscriptions.List(s.ctx, s.service.Read(), store.Page{Filter: filter, Limit: 1}))[0].ID
}

// difference is an invoice with what a change of a subscription added.
func (s *site) difference(id billing.SubscriptionID) billing.InvoiceID {
	s.t.Helper()
	items := must[[]document.Item](s)(store.InvoiceItems.List(s.ctx, s.service.Read(), store.Page{Limit: 100, Backwards: true, Filter: billing.Filter{
		Terms: []billing.Term{{Field: "subscription", Op: billing.Equal, Value: fmt.Sprint(id)}}}}))
	for n := range items {
		if items[n].Kind == document.DifferenceItem && items[n].PreviousQuantity != nil {
			return items[n].InvoiceID
		}
	}
	s.t.Fatalf("no change of subscription %d was invoiced", id)
	return 0
}

// pastDays makes up what became of webhooks before the demo began, and has those
// of today counted.
func (s *site) pastDays() {
	s.t.Helper()
	s.clock.Advance(time.Minute)
	if err := s.service.Delivery.CountEventDays(s.ctx, 24*time.Hour); err != nil {
		s.t.Fatal(err)
	}
	today := billing.DateOf(s.clock.Now(), time.UTC)
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		for i, n := range []int{18, 24, 9, 4, 31, 27, 22, 35, 26, 11, 6, 29, 24} {
			d := log.EventDay{Day: today.AddDays(i - 13), CountedAt: tx.Now, EventCounts: log.EventCounts{Delivered: 9 * n, Replaced: i % 2}}
			if i == 7 {
				d.Failed, d.Waiting = 21, 12
			}
			if err := log.SaveEventDay(ctx, tx, &d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func shade(dark bool) string { return map[bool]string{false: "light", true: "dark"}[dark] }

// takeAll is for looking at everything: what is empty, what is there, and what
// is long and much.
func (b *browser) takeAll(folder string) {
	shoot := func(data, name string) {
		for _, width := range []int64{1280, 390} {
			for _, dark := range []bool{false, true} {
				b.size(width, dark)
				b.picture(filepath.Join(folder, data, fmt.Sprintf("%s-%d-%s.png", name, width, shade(dark))))
			}
		}
	}
	take := func(data, path string) {
		name := strings.NewReplacer("/", "-", "?", "-", "&", "-", "=", "-").Replace(strings.Trim(path, "/"))
		if name == "" {
			name = "home"
		}
		b.open(path)
		shoot(data, name)
	}
	take("empty", "/sign-in")
	b.signIn(adminEmail)
	for _, path := range []string{"/", "/accounts", "/contacts", "/subscriptions", "/subscriptions/new", "/tenants", "/platforms", "/workflows", "/products", "/features", "/plans",
		"/price-lists", "/charges", "/events", "/jobs", "/test-clocks", "/audit", "/products/new", "/features/new", "/plans/new", "/price-lists/new", "/charges/new", "/contacts/new", "/nowhere"} {
		take("empty", path)
	}
	b.receive()
	b.fill()
	b.bill()
	b.settled("delivered")
	b.pastDays()
	pages := append(b.everyPage(), "/accounts?q=nobody", "/accounts?q=size:3")
	for _, path := range pages {
		take("demo", path)
	}
	b.unusual(func(name string) { shoot("unusual", name) })
	b.harden()
	b.as(billing.Admin).hardenWorkflow()
	for _, path := range append(pages, "/jobs/1") {
		take("hard", path)
	}
}
