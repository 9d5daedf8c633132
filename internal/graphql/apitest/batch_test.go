package apitest

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
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
			{`query ($n: Int) { priceLists(limit: $n) { product { name } plan { code } charges { price feature { code product { name } } priceList { code } } } }`, 7, 100},
			{`query ($n: Int) { priceListCharges(limit: $n) { priceList { plan { product { platform { code } } } } feature { code } } }`, 6, 100},
			{`query ($n: Int) { a: accounts(limit: $n) { contacts { id } } b: accounts(limit: $n) { c: contacts { id } d: contacts { email } } }`, 4, 1000},
		} {
			for _, n := range []int{1, shape.most} {
				if got := s.statementsOf(t, shape.document, n); got != shape.statements {
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
// what changed about API clients and keys; the least of a few counts is
// without that.
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
// that belongs to them, into the database.
func (s *server) fill(t *testing.T, accounts, products int) {
	t.Helper()
	err := s.db.Open(t).Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		f := filler{ctx, tx}
		for i := range accounts {
			f.account(i)
		}
		for i := range products {
			f.product(i)
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

func (f filler) account(i int) {
	a := billing.Account{Name: fmt.Sprintf("Account %d", i), BillingDay: 1}
	must(store.Accounts.Insert(f.ctx, f.tx, &a))
	for _, name := range []string{"Ann", "Bob"} {
		email := fmt.Sprintf("%s%d@example.com", name, i)
		c := billing.Contact{AccountID: a.ID, FirstName: name, Email: &email}
		must(store.Contacts.Insert(f.ctx, f.tx, &c))
		a.BillingContactID = &c.ID
	}
	must(store.Accounts.Update(f.ctx, f.tx, &a))
}

func (f filler) product(i int) {
	code := strconv.Itoa(i)
	platform := billing.Platform{Code: code, Name: "Platform"}
	must(store.Platforms.Insert(f.ctx, f.tx, &platform))
	product := billing.Product{Code: code, Name: "Product", PlatformID: &platform.ID}
	must(store.Products.Insert(f.ctx, f.tx, &product))
	plan := billing.Plan{ProductID: product.ID, Code: &code, Name: "Plan"}
	must(store.Plans.Insert(f.ctx, f.tx, &plan))
	list := billing.PriceList{PlanID: plan.ID, Code: code, Name: "List", CurrencyID: "EUR", RenewalTermMonths: 1}
	must(store.PriceLists.Insert(f.ctx, f.tx, &list))
	price := billing.Price("1")
	for _, code := range []string{"users", "disk"} {
		feature := billing.Feature{ProductID: product.ID, Code: code, Name: code, Kind: billing.Quantity}
		must(store.Features.Insert(f.ctx, f.tx, &feature))
		must(store.PlanFeatures.Insert(f.ctx, f.tx, &billing.PlanFeature{PlanID: plan.ID, FeatureID: feature.ID}))
		must(store.Charges.Insert(f.ctx, f.tx, &billing.Charge{
			PriceListID: list.ID, Code: code, Name: code, FeatureID: &feature.ID, ChargeType: billing.Recurring,
			BillingPeriod: billing.Monthly, PricingModel: billing.Flat, Price: &price,
		}))
	}
}
