package apitest

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// TestBatches: how many SQL statements a query takes depends on its shape and
// not on how much it finds.
func TestBatches(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.fill(t, 1000, 100)
		for _, shape := range []struct {
			document   string
			statements int
			most       int
		}{
			{`query ($n: Int) { accounts(limit: $n) { id name } }`, 1, 1000},
			{`query ($n: Int) { accounts(limit: $n) { id contacts { id } billingContact { id } } }`, 3, 1000},
			{`query ($n: Int) { accounts(limit: $n) { contacts { account { name } } billingContact { account { contacts { email } } } } }`, 6, 1000},
			{`query ($n: Int) { accountsConnection(first: $n) { nodes { id } pageInfo { hasNextPage } } }`, 1, 1000},
			{`query ($n: Int) { accountsConnection(first: $n) { totalCount edges { node { contacts { email } } } nodes { billingContact { email } } } }`, 4, 1000},
			{`query ($n: Int) { contacts(limit: $n) { account { contacts { fullName } billingContact { id } } } }`, 4, 1000},
			{`query ($n: Int) { products(limit: $n) { platform { name } features { code } plans { code } } }`, 4, 100},
			{`query ($n: Int) { products(limit: $n) { plans { planFeatures { value feature { code } } } } }`, 4, 100},
			{`query ($n: Int) { products(limit: $n) { plans { features { code } priceLists { charges { feature { code } } } } } }`, 7, 100},
			{`query ($n: Int) { platforms(limit: $n) { products { plans { priceLists { code } } } } }`, 4, 100},
			{`query ($n: Int) { features(limit: $n) { product { code } plans { product { name } } } }`, 5, 100},
			{`query ($n: Int) { plans(limit: $n) { product { platform { name } } planFeatures { plan { code } feature { plans { code } } } } }`, 8, 100},
			{`query ($n: Int) { planFeatures(limit: $n) { plan { product { name } } feature { product { name } } } }`, 5, 100},
			{`query ($n: Int) { priceLists(limit: $n) { product { name } plan { code } charges { price feature { code product { name } } priceList { code } } } }`, 6, 100},
			{`query ($n: Int) { priceListCharges(limit: $n) { priceList { plan { product { platform { code } } } } feature { code } } }`, 6, 100},
			{`query ($n: Int) { a: accounts(limit: $n) { contacts { id } } b: accounts(limit: $n) { c: contacts { id } d: contacts { email } } }`, 4, 1000},
			{`query ($n: Int) { subscriptions(limit: $n) { id state account { name } priceList { code } plan { code } product { code } tenant { code } } }`, 6, 100},
			{`query ($n: Int) { subscriptions(limit: $n) { charges { code feature { code } } features { code quantity } history { kind actor } } }`, 10, 100},
			{`query ($n: Int) { subscriptions(limit: $n) { charges { code price } } }`, 1, 100},
			{`query ($n: Int) { subscriptions(limit: $n) { nextTransition { at state } priceList { plan { product { platform { code } } } } } }`, 6, 100},
			{`query ($n: Int) { subscriptionsConnection(first: $n) { totalCount nodes { account { contacts { email } } tenant { platform { code } } } } }`, 6, 100},
			{`query ($n: Int) { tenants(limit: $n) { account { name } platform { code } subscriptions { state plan { code } } } }`, 6, 100},
			{`query ($n: Int) { tenants(limit: $n) { features { code quantity } latestProvisioningChange { change features } } }`, 12, 100},
			{`query ($n: Int) { testClocks(limit: $n) { now accounts { name contacts { email } subscriptions { state tenant { code } } } } }`, 5, 100},
			{`query ($n: Int) { jobs(limit: $n) { kind state done total error } }`, 1, 100},
		} {
			for _, n := range []int{1, shape.most} {
				got := s.statementsOf(t, shape.document, n)
				for again := 0; got > shape.statements && again < 30; again++ {
					// On a busy machine a query takes so long that something else
					// of the server always falls into it.
					got = min(got, s.statementsOf(t, shape.document, n))
				}
				if got != shape.statements {
					t.Errorf("%d statements for %d, want %d: %s", got, n, shape.statements, shape.document)
				}
			}
		}
	})
}

// TestDefaultLimit: a list has fifty unless the caller says otherwise.
func TestDefaultLimit(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.fill(t, 60, 0)
		got := s.do(t, `{ accounts { id } connection: accountsConnection { nodes { id } pageInfo { hasNextPage endCursor } totalCount } }`)
		accounts, nodes := got.at("accounts").list(), got.at("connection.nodes").list()
		if len(accounts) != 50 || len(nodes) != 50 || got.at("connection.totalCount").text() != "60" || got.at("connection.pageInfo.hasNextPage").text() != "true" {
			t.Errorf("%d accounts, %d nodes: %s", len(accounts), len(nodes), got.text())
		}
		rest := s.do(t, `query ($after: String!) { accountsConnection(after: $after) { nodes { id } pageInfo { hasNextPage } } }`, "after", got.at("connection.pageInfo.endCursor").text())
		if n := len(rest.at("accountsConnection.nodes").list()); n != 10 || rest.at("accountsConnection.pageInfo.hasNextPage").text() != "false" {
			t.Errorf("the second page has %d: %s", n, rest.text())
		}
	})
}

// statementsOf counts the statements of a query. Now and then a request reads
// what changed about API clients and keys, and the engine looks for what is due;
// the least of a few counts is without that.
func (s *server) statementsOf(t *testing.T, document string, n int) int {
	t.Helper()
	least := 1 << 30
	for range 3 {
		before := s.statements(t)
		found := s.do(t, document, "n", n)
		least = min(least, s.statements(t)-before)
		for _, list := range found.value.(map[string]any) {
			if list, isList := list.([]any); isList && len(list) != n {
				t.Fatalf("%d rows, want %d: %s", len(list), n, document)
			}
		}
	}
	return least
}

func (s *server) statements(t *testing.T) int {
	t.Helper()
	response, err := s.http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "tenantry_sql_statements_total "); ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
	}
	t.Fatal("/metrics does not say how many statements were run")
	return 0
}

// fill puts that many accounts with two contacts each, and products with all
// that belongs to them, into the database. Each product has a subscription, of
// an account on a test clock, and a tenant that was told something.
func (s *server) fill(t *testing.T, accounts, products int) {
	t.Helper()
	err := s.db.Open(t).Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		f := filler{ctx, tx}
		for i := range accounts {
			f.account(i)
		}
		for i := range products {
			f.subscription(i, f.product(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type filler struct {
	ctx context.Context
	tx  *store.Tx
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (f filler) account(i int) { f.accountOn(i, nil) }

func (f filler) accountOn(i int, clock *billing.TestClockID) billing.AccountID {
	a := billing.Account{Name: fmt.Sprintf("Account %d", i), BillingDay: 1, TestClockID: clock}
	must(store.Accounts.Insert(f.ctx, f.tx, &a))
	for _, name := range []string{"Ann", "Bob"} {
		email := fmt.Sprintf("%s%d@example.com", name, i)
		c := billing.Contact{AccountID: a.ID, FirstName: name, Email: &email}
		must(store.Contacts.Insert(f.ctx, f.tx, &c))
		a.BillingContactID = &c.ID
	}
	must(store.Accounts.Update(f.ctx, f.tx, &a))
	return a.ID
}

// offered is what a subscription is made of.
type offered struct {
	platform billing.PlatformID
	product  billing.ProductID
	list     billing.PriceListID
	charge   catalog.Charge
}

// subscription is not due for a long time: nobody moves it meanwhile.
func (f filler) subscription(i int, o offered) {
	clock := billing.TestClock{Name: "Clock", Now: f.tx.Now}
	must(store.TestClocks.Insert(f.ctx, f.tx, &clock))
	account := f.accountOn(i, &clock.ID)
	tenant := billing.Tenant{PlatformID: o.platform, AccountID: account, Code: strconv.Itoa(i), Name: "Tenant"}
	must(store.Tenants.Insert(f.ctx, f.tx, &tenant))
	first, last := billing.Date{Year: 2020, Month: 1, Day: 1}, billing.Date{Year: 2099, Month: 12, Day: 31}
	quantity := 3
	sub := subscription.Subscription{
		AccountID: account, ProductID: o.product, PriceListID: o.list, TenantID: &tenant.ID, State: subscription.StateActive, RenewalTermMonths: 1,
		StartDate: first, TermStartDate: first, EndDate: last, AnchorDay: 1, AsOf: first, TestClockID: &clock.ID,
		Charges: []subscription.Line{{
			ID: 1, PriceListID: o.list, ChargeID: o.charge.ID, Code: o.charge.Code, FeatureID: o.charge.FeatureID, Type: o.charge.ChargeType,
			Quantity: &quantity, Price: o.charge.Price, StartDate: first, EndDate: last,
		}},
	}
	must(store.Subscriptions.Insert(f.ctx, f.tx, &sub))
	must(store.InsertHistory(f.ctx, f.tx, &subscription.HistoryEntry{SubscriptionID: sub.ID, At: f.tx.Now, EffectiveAt: f.tx.Now, Kind: subscription.KindCreated, To: sub.State}))
	position, err := outbox.NextPosition(f.ctx, f.tx, tenant.ID)
	must(err)
	must(outbox.InsertEvent(f.ctx, f.tx, &webhook.Event{
		Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: o.platform, Sequence: position.Sequence, Reason: subscription.KindCreated,
		Body: `{"type":"TenantProvisioningChange","payload":{"tenant":{},"change":{"features":[],"subscriptions":[]}}}`,
	}, position))
	must(store.Jobs.Insert(f.ctx, f.tx, &billing.Job{Kind: billing.JobFanOut, State: billing.JobDone, FinishedAt: &f.tx.Now}))
}

func (f filler) product(i int) (o offered) {
	code := strconv.Itoa(i)
	platform := webhook.Platform{Code: code, Name: "Platform", ProvisioningEnabled: true}
	must(store.Platforms.Insert(f.ctx, f.tx, &platform))
	product := catalog.Product{Code: code, Name: "Product", PlatformID: &platform.ID}
	must(store.Products.Insert(f.ctx, f.tx, &product))
	plan := catalog.Plan{ProductID: product.ID, Code: &code, Name: "Plan"}
	must(store.Plans.Insert(f.ctx, f.tx, &plan))
	list := catalog.PriceList{PlanID: plan.ID, Code: code, Name: "List", CurrencyID: "EUR", RenewalTermMonths: 1}
	must(store.PriceLists.Insert(f.ctx, f.tx, &list))
	price := billing.Price("1")
	for _, code := range []string{"users", "disk"} {
		feature := catalog.Feature{ProductID: product.ID, Code: code, Name: code, Kind: catalog.Quantity}
		must(store.Features.Insert(f.ctx, f.tx, &feature))
		must(store.PlanFeatures.Insert(f.ctx, f.tx, new(catalog.NewPlanFeature(plan.ID, feature.ID, ""))))
		o.charge = catalog.Charge{
			PriceListID: list.ID, Code: code, Name: code, FeatureID: &feature.ID, ChargeType: catalog.Recurring,
			BillingPeriod: catalog.Monthly, PricingModel: catalog.Flat, Price: &price,
		}
		must(store.Charges.Insert(f.ctx, f.tx, &o.charge))
	}
	o.platform, o.product, o.list = platform.ID, product.ID, list.ID
	return o
}
