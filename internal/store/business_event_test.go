package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// eventEndpoint returns a new endpoint for events of those types.
func (m maker) eventEndpoint(types ...webhook.BusinessType) *webhook.EventEndpoint {
	e := &webhook.EventEndpoint{Code: unique(), Name: "Books", URL: "https://books.example.com/", Types: types, Enabled: true, SigningSecretSealed: "s"}
	must(store.EventEndpoints.Insert(m.ctx, m.tx, e))
	return e
}

// happens records that an invoice of an account was issued or paid.
func (m maker) happens(account billing.AccountID, kind webhook.BusinessType, number string) {
	must(outbox.RecordBusiness(m.ctx, m.tx, webhook.InvoiceEvent(kind, &document.Invoice{ID: 7, AccountID: account, Number: number})))
}

// toldEvents are all events in the log, each as its number and what it tells.
func toldEvents(t *testing.T, s *store.Store, filter string) (told []string) {
	t.Helper()
	page := store.Page{Filter: got[billing.Filter](t)(billing.ParseFilter(filter)), Limit: 1000}
	events := got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), s.Queries(), page))
	same(t, "CountEvents "+filter, got[int](t)(log.CountEvents(t.Context(), s.Queries(), page.Filter)), len(events))
	ids := make([]billing.EventID, len(events))
	for i := range events {
		ids[i] = events[i].ID
	}
	bodies := got[map[billing.EventID]log.EventBody](t)(log.EventBodies(t.Context(), s.Queries(), ids))
	for i := range events {
		body := bodies[events[i].ID].Body
		if events[i].Subject.Kind == webhook.SubjectAccount && !strings.Contains(body, fmt.Sprintf(`"id":"%d","sequence":%d,`, events[i].ID, events[i].Sequence)) {
			t.Errorf("the body of event %d, number %d, has others: %s", events[i].ID, events[i].Sequence, body)
		}
		_, number, _ := strings.Cut(body, `"number":"`)
		number, _, _ = strings.Cut(number, `"`)
		told = append(told, fmt.Sprintf("%s %d to %d: %s %s %d", events[i].Subject.Kind, events[i].Subject.ID, events[i].PlatformID, events[i].Type, number, events[i].Sequence))
	}
	slices.Sort(told)
	return told
}

// testBusinessEvents records events for the endpoints that want them, numbered for
// each account and endpoint.
func testBusinessEvents(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ann, bob, tested billing.AccountID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ann, bob, tested = m.account("Ann").ID, m.account("Bob").ID, m.account("Test").ID
		_, err := store.Exec(ctx, tx, fmt.Sprintf("UPDATE account SET test_clock_id = %d WHERE id = %d", m.clock().ID, tested))
		must(err)
	})
	before := s.Statements()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		same(t, "HasEventEndpoints", got[bool](t)(store.HasEventEndpoints(ctx, tx.Queries)), false)
		maker{ctx, tx}.happens(ann, webhook.InvoiceIssued, "nobody hears")
		maker{ctx, tx}.happens(bob, webhook.InvoicePaid, "nobody hears")
	})
	same(t, "statements without an endpoint", s.Statements()-before, int64(1))

	var both, paid, off *webhook.EventEndpoint
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		both, paid, off = m.eventEndpoint(webhook.InvoiceIssued, webhook.InvoicePaid), m.eventEndpoint(webhook.InvoicePaid), m.eventEndpoint(webhook.InvoiceIssued)
		off.Enabled = false
		must(store.EventEndpoints.Update(ctx, tx, off))
	})
	sender := newSender()
	outbox.SetSender(s, sender)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		same(t, "HasEventEndpoints", got[bool](t)(store.HasEventEndpoints(ctx, tx.Queries)), true)
		m.happens(bob, webhook.InvoiceIssued, "B1")
		m.happens(ann, webhook.InvoiceIssued, "A1")
		m.happens(tested, webhook.InvoiceIssued, "T1")
		m.happens(ann, webhook.InvoicePaid, "A1")
		m.happens(ann, webhook.CreditNoteIssued, "nobody wants")
	})
	heard := <-sender.heard
	same(t, "what the sender hears", []any{heard.Events, heard.Platforms}, []any{4, []billing.PlatformID{billing.PlatformID(both.ID), billing.PlatformID(paid.ID)}})
	outbox.SetSender(s, nil)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.happens(ann, webhook.InvoiceIssued, "A2") })
	_ = attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.happens(ann, webhook.InvoiceIssued, "never")
		panic(context.Canceled)
	})
	of := func(account billing.AccountID, to *webhook.EventEndpoint, rest string) string {
		return fmt.Sprintf("ACCOUNT %d to %d: %s", account, to.ID, rest)
	}
	want := []string{
		of(ann, both, "InvoiceIssued A1 1"), of(ann, both, "InvoiceIssued A2 3"), of(ann, both, "InvoicePaid A1 2"), of(ann, paid, "InvoicePaid A1 1"), of(bob, both, "InvoiceIssued B1 1"),
	}
	slices.Sort(want)
	same(t, "what was recorded", toldEvents(t, s, ""), want)

	events := got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), s.Queries(), store.Page{Filter: filterOf(t, fmt.Sprintf("account:%d platform:%s", ann, both.Code)), Limit: 10}))
	first, last, err := log.Neighbours(t.Context(), s.Queries(), &events[1])
	must(err)
	same(t, "Neighbours", []billing.EventID{first, last}, []billing.EventID{events[0].ID, events[2].ID})
	_, last, err = log.Neighbours(t.Context(), s.Queries(), &events[2])
	must(err)
	same(t, "no neighbour", last, billing.EventID(0))
	streams := got[map[billing.StreamID]*webhook.Stream](t)(outbox.Streams(t.Context(), s.Queries(), []billing.StreamID{events[0].Delivery.StreamID}))
	stream := streams[events[0].Delivery.StreamID]
	same(t, "the stream", []any{stream.Subject, stream.LastSequence, stream.LastPosition, stream.NewestPosition, stream.DonePosition, *stream.DueAt},
		[]any{webhook.OfAccount(ann), 3, int64(3), int64(3), int64(0), events[0].CreatedAt})
	recipients := got[[]webhook.Platform](t)(store.Recipients(t.Context(), s.Queries(), []billing.PlatformID{billing.PlatformID(both.ID), 1 << 40}))
	same(t, "Recipients", []any{len(recipients), recipients[0].Code}, []any{1, both.Code})

	checkWaits(t, s, "who deletes an endpoint while something happens", func(ctx context.Context, tx *store.Tx) {
		must(outbox.DeleteEventsTo(ctx, tx, got[*webhook.EventEndpoint](t)(store.EventEndpoints.Lock(ctx, tx, both.ID)).ID))
		must(store.EventEndpoints.Delete(ctx, tx, both))
	}, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.happens(ann, webhook.InvoicePaid, "A3")
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.DeleteEventsOfAccount(ctx, tx, bob)) })
	same(t, "after DeleteEventsTo", toldEvents(t, s, ""), []string{of(ann, paid, "InvoicePaid A1 1"), of(ann, paid, "InvoicePaid A3 2")})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(outbox.DeleteEventsOfAccount(ctx, tx, ann)) })
	same(t, "after DeleteEventsOfAccount", toldEvents(t, s, ""), []string(nil))
}

func filterOf(t *testing.T, text string) billing.Filter {
	t.Helper()
	return got[billing.Filter](t)(billing.ParseFilter(text))
}

// testBusinessAtOnce numbers the events of each account without a gap, in the order
// of commits, however many transactions tell of several accounts in whatever order.
func testBusinessAtOnce(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	const each, workers = 12, 6
	var accounts [3]billing.AccountID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		for i := range accounts {
			accounts[i] = m.account(unique()).ID
		}
		m.eventEndpoint(webhook.InvoiceIssued)
		m.eventEndpoint(webhook.InvoiceIssued)
	})
	var group sync.WaitGroup
	for n := range workers {
		group.Go(func() {
			for range each {
				err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
					for i := range accounts {
						maker{ctx, tx}.happens(accounts[(i*n+n)%len(accounts)], webhook.InvoiceIssued, "n")
					}
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	events := got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), s.Queries(), store.Page{Limit: 1000}))
	last := map[billing.StreamID]int{}
	slices.SortFunc(events, func(a, b log.LoggedEvent) int { return a.Sequence - b.Sequence })
	for _, e := range events {
		if last[e.Delivery.StreamID]++; e.Sequence != last[e.Delivery.StreamID] || e.Delivery.Position != int64(e.Sequence) {
			t.Fatalf("event %d has the number %d at %d, and is the %d. of its stream", e.ID, e.Sequence, e.Delivery.Position, last[e.Delivery.StreamID])
		}
	}
	same(t, "how many", len(events), each*workers*len(accounts)*2)
}

// testBusinessLog finds business events beside those of tenants.
func testBusinessLog(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ann, bob *billing.Account
	var tenant *billing.Tenant
	var endpoint *webhook.EventEndpoint
	var platform *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ann, bob = m.account("Ann Invoice"), m.account("Bob")
		platform = m.provisioningPlatform()
		tenant = m.tenant(platform.ID, ann.ID)
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.tell(tenant) })
	same(t, "a type without endpoints", len(toldEvents(t, s, "type:tenantprovisioningchange")), 1)
	same(t, "a business type without endpoints", len(toldEvents(t, s, "type:InvoicePaid")), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		endpoint = maker{ctx, tx}.eventEndpoint(webhook.InvoiceIssued, webhook.InvoicePaid)
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		m.happens(ann.ID, webhook.InvoiceIssued, "A1")
		m.happens(ann.ID, webhook.InvoicePaid, "A1")
		m.happens(bob.ID, webhook.InvoicePaid, "B1")
	})
	change := fmt.Sprintf("TENANT %d to %d: TenantProvisioningChange  1", tenant.ID, platform.ID)
	issued, paid, other := fmt.Sprintf("ACCOUNT %d to %d: InvoiceIssued A1 1", ann.ID, endpoint.ID), fmt.Sprintf("ACCOUNT %d to %d: InvoicePaid A1 2", ann.ID, endpoint.ID),
		fmt.Sprintf("ACCOUNT %d to %d: InvoicePaid B1 1", bob.ID, endpoint.ID)
	all := []string{change, issued, paid, other}
	for filter, want := range map[string][]string{
		"":                                    all,
		"type:invoicepaid":                    {paid, other},
		"type:TenantProvisioningChange":       {change},
		"type:InvoiceIssued type:InvoicePaid": nil,
		"state:pending":                       {issued, paid, other}, "state:held": {change},
		"state:pending type:InvoicePaid":                   {paid, other},
		"state:delivered type:InvoicePaid":                 nil,
		fmt.Sprintf("account:%d", ann.ID):                  {change, issued, paid},
		fmt.Sprintf("account:%d type:InvoicePaid", ann.ID): {paid},
		fmt.Sprintf("account:%d state:pending", bob.ID):    {other},
		"account:nobody":                                   nil,
		"platform:" + endpoint.Code:                        {issued, paid, other},
		"invoicepaid":                                      {paid, other},
		"bob":                                              {other},
		"bob invoice":                                      {other},
		"tenant:" + tenant.Code:                            {change},
		"created:>=2000-01-01 type:InvoicePaid bob":        {other},
	} {
		slices.Sort(want)
		same(t, filter, toldEvents(t, s, filter), want)
	}
	_, err := log.ListEvents(t.Context(), s.Queries(), store.Page{Filter: filterOf(t, "type:Invoice"), Limit: 1})
	if err == nil || !strings.Contains(err.Error(), strings.Join(log.Types(), ", ")) {
		t.Errorf("a type that there is not: %v", err)
	}
	if listed(t, s, store.Platforms, billing.Filter{})[0].ID != platform.ID || len(listed(t, s, store.Platforms, billing.Filter{})) != 1 {
		t.Error("an endpoint is listed among the platforms")
	}
	if p := got[*webhook.Platform](t)(store.Platforms.Get(t.Context(), s.Queries(), billing.PlatformID(endpoint.ID))); p != nil {
		t.Error("an endpoint is found as a platform")
	}
	if p := got[*webhook.Platform](t)(store.Platforms.ByCode(t.Context(), s.Queries(), endpoint.Code)); p != nil {
		t.Error("an endpoint is found as a platform by its code")
	}
	if e := got[*webhook.EventEndpoint](t)(store.EventEndpoints.Get(t.Context(), s.Queries(), billing.EventEndpointID(platform.ID))); e != nil {
		t.Error("a platform is found as an endpoint")
	}
	same(t, "workflows", len(listed(t, s, store.Workflows, billing.Filter{})), 1)
}

// testHoldStreams lets nobody else work on streams.
func testHoldStreams(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ids []billing.StreamID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ids = nil
		for _, tenant := range m.tenants(m.provisioningPlatform().ID, 2) {
			m.tell(tenant)
			ids = append(ids, m.streams(tenant.ID)[tenant.ID].ID)
		}
	})
	hold := func(ctx context.Context, tx *store.Tx) {
		held := got[map[billing.StreamID]*webhook.Stream](t)(outbox.HoldStreams(ctx, tx, append(ids, 1<<40)))
		same(t, "HoldStreams", []any{len(held), held[ids[0]].LastSequence}, []any{2, 1})
	}
	checkWaits(t, s, "two who hold streams", hold, hold)
}

func testSubscriptionNames(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		product := m.product()
		plan := m.plan(product.ID)
		list := m.priceList(plan.ID)
		tenant := m.tenants(m.platform().ID, 1)[0]
		want := store.SubscriptionNames{PlanID: plan.ID, Product: product.Code, PriceList: list.Code, Plan: plan.Code}
		same(t, "without a tenant", got[store.SubscriptionNames](t)(store.NamesOf(ctx, tx.Queries, list.ID, nil)), want)
		want.Tenant = &tenant.Code
		same(t, "with a tenant", got[store.SubscriptionNames](t)(store.NamesOf(ctx, tx.Queries, list.ID, &tenant.ID)), want)
		same(t, "of nothing", got[store.SubscriptionNames](t)(store.NamesOf(ctx, tx.Queries, 1<<40, nil)), store.SubscriptionNames{})
	})
}
