package store_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// shelf is a price list that a test looks at and changes.
type shelf struct {
	t *testing.T
	offered
	list catalog.PriceList
}

func newShelf(t *testing.T, s *store.Store) *shelf {
	t.Helper()
	sh := &shelf{t: t}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		sh.offered = m.offer()
		f := m.feature(sh.product)
		m.planFeature(sh.plan, f.ID)
		m.charge(sh.offered.list, &f.ID)
		list, err := store.PriceLists.Get(ctx, tx.Queries, sh.offered.list)
		must(err)
		sh.list = *list
	})
	return sh
}

// rename changes the price list's name and returns an error afterwards, if it
// is to be taken back.
func (sh *shelf) rename(s *store.Store, name string, back error) error {
	return s.Write(sh.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := store.LockCatalog(ctx, tx); err != nil {
			return err
		}
		list := sh.list
		list.Name = name
		if err := store.PriceLists.Update(ctx, tx, &list); err != nil {
			return err
		}
		offer, err := store.LoadOffer(ctx, tx.Queries, list.ID)
		if err == nil && offer.PriceList.Name != name {
			err = errors.New("who changes the catalog does not see it as it leaves it")
		}
		return errors.Join(err, back)
	})
}

// name returns the name that a transaction finds, and how many statements it
// took.
func (sh *shelf) name(s *store.Store) (name string, statements int64) {
	sh.t.Helper()
	before := s.Statements()
	write(sh.t, s, func(ctx context.Context, tx *store.Tx) {
		offer, err := store.LoadOfferByCode(ctx, tx.Queries, sh.list.Code)
		must(err)
		same(sh.t, "charges", len(offer.Charges), 1)
		name = offer.PriceList.Name
	})
	return name, s.Statements() - before
}

func testCatalogRemembered(t *testing.T, db *storetest.Database) {
	s, other := db.Open(t), db.Open(t)
	sh := newShelf(t, s)
	check := func(what string, want string) {
		t.Helper()
		for _, on := range []*store.Store{s, other} {
			have, _ := sh.name(on) // which is then remembered
			same(t, what, have, want)
			have, statements := sh.name(on)
			same(t, what+", again", have, want)
			if statements != 1 {
				t.Errorf("%s: %d statements, want one that asks whether anything changed", what, statements)
			}
		}
	}
	check("at first", sh.list.Name)
	must(sh.rename(s, "changed here", nil))
	check("changed here", "changed here")
	must(sh.rename(other, "changed elsewhere", nil))
	check("changed elsewhere", "changed elsewhere")

	// A change that is taken back gives its number to the next one.
	taken := errors.New("taken back")
	if err := sh.rename(s, "never", taken); !errors.Is(err, taken) {
		t.Fatal(err)
	}
	check("after a change that was taken back", "changed elsewhere")
	must(sh.rename(other, "the next", nil))
	check("the next one", "the next")

	// Others read what was committed, whatever somebody rehearses.
	must(s.Rehearse(t.Context(), func(ctx context.Context) error {
		must(s.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			must(store.LockCatalog(ctx, tx))
			list := sh.list
			list.Name = "rehearsed"
			return store.PriceLists.Update(ctx, tx, &list)
		}))
		before := s.Statements()
		offer := got[*subscription.Offer](t)(store.LoadOffer(store.WithoutRehearsal(ctx), s.Committed().Queries, sh.list.ID))
		same(t, "what was committed", offer.PriceList.Name, "the next")
		same(t, "statements for what was committed", s.Statements()-before, int64(1))
		offer = got[*subscription.Offer](t)(store.LoadOffer(ctx, s.Snapshot().Queries, sh.list.ID))
		same(t, "what is rehearsed", offer.PriceList.Name, "rehearsed")
		return nil
	}))

	// A database that is put back from a backup counts from where it was then.
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, `UPDATE counter SET value = 1 WHERE name = 'catalog'`)
		must(err)
	})
	check("put back", "the next")
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, find := range []func() (*subscription.Offer, error){
			func() (*subscription.Offer, error) { return store.LoadOffer(ctx, tx.Queries, 1<<40) },
			func() (*subscription.Offer, error) { return store.LoadOfferByCode(ctx, tx.Queries, "none") },
		} {
			offer, err := find()
			must(err)
			same(t, "what does not exist", offer, (*subscription.Offer)(nil))
		}
	})
	checkWaits(t, s, "the catalog",
		func(ctx context.Context, tx *store.Tx) { must(store.LockCatalog(ctx, tx)) },
		func(ctx context.Context, tx *store.Tx) { must(store.LockCatalog(ctx, tx)) })
}

// TestCatalogVersion changes each table of the catalog in each way, with plain
// SQL: nobody can forget to say so.
func TestCatalogVersion(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		newShelf(t, s)
		version := func() string {
			return got[[]string](t)(store.Rows(t.Context(), s.Queries(), `SELECT value FROM counter WHERE name = 'catalog'`))[0]
		}
		run := func(counts bool, text string, args ...any) {
			t.Helper()
			before := version()
			write(t, s, func(ctx context.Context, tx *store.Tx) {
				n, err := store.Exec(ctx, tx, text, args...)
				must(err)
				if n == 0 {
					t.Errorf("nothing was changed by %s", text)
				}
			})
			if counted := version() != before; counted != counts {
				t.Errorf("the version was raised: %v, want %v: %s", counted, counts, text)
			}
		}
		tables := []string{"product", "feature", "plan", "plan_feature", "price_list", "price_list_charge"}
		for i, text := range []string{
			`INSERT INTO product (code, name, created_at, updated_at, search) VALUES ('new', 'new', 0, 0, $1)`,
			`INSERT INTO feature (product_id, code, name, kind, position, is_provisioned, created_at, updated_at, search)
				SELECT max(id), 'new', 'new', 'BOOLEAN', 1, $2, 0, 0, $1 FROM product`,
			`INSERT INTO plan (product_id, code, name, addon, is_visible, created_at, updated_at, search)
				SELECT max(id), 'new', 'new', $2, $2, 0, 0, $1 FROM product`,
			`INSERT INTO plan_feature (plan_id, feature_id, value, created_at, updated_at, search)
				SELECT max(plan.id), max(feature.id), '', 0, 0, $1 FROM plan, feature`,
			`INSERT INTO price_list (plan_id, code, name, currency_id, renewal_term_months, trial_allowed, is_visible, created_at, updated_at, search)
				SELECT max(id), 'new', 'new', 'EUR', 1, $2, $2, 0, 0, $1 FROM plan`,
			`INSERT INTO price_list_charge (price_list_id, code, name, charge_type, billing_period, pricing_model, tiers, created_at, updated_at, search)
				SELECT max(id), 'new', 'new', 'RECURRING', 'MONTHLY', 'FLAT', '[]', 0, 0, $1 FROM price_list`,
		} {
			args := []any{"new"}
			if strings.Contains(text, "$2") {
				args = append(args, true)
			}
			run(true, text, args...)
			run(true, `UPDATE `+tables[i]+` SET updated_at = 1 WHERE search = 'new'`)
		}
		for _, table := range slices.Backward(tables) {
			run(true, `DELETE FROM `+table+` WHERE search = 'new'`)
		}
		write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("A") })
		run(false, `UPDATE account SET name = 'B'`)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			maker{ctx, tx}.entity()
			must(store.DunningPolicies.Insert(ctx, tx, new(dunning.NewPolicy())))
			must(store.EmailTemplates.Insert(ctx, tx, &email.Template{Name: "invoice", Locale: "de"}))
		})
		for _, table := range []string{"entity", "tax_rate", "dunning_policy", "email_template"} {
			run(true, `UPDATE `+table+` SET updated_at = 1`)
			run(true, `DELETE FROM `+table)
		}
	})
}

// testSellers reads who sells, which is remembered until it changes, whoever changes
// it.
func testSellers(t *testing.T, db *storetest.Database) {
	s, other := db.Open(t), db.Open(t)
	load := func() (all *store.Sellers) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			all = got[*store.Sellers](t)(store.LoadSellers(ctx, tx.Queries))
		})
		return all
	}
	same(t, "nobody sells", *load(), store.Sellers{})
	var first, second *billing.Entity
	write(t, other, func(ctx context.Context, tx *store.Tx) {
		first, second = maker{ctx, tx}.entity(), maker{ctx, tx}.entity()
	})
	same(t, "two entities", load().Entities, []billing.Entity{*first, *second})
	if known := load(); load() != known {
		t.Error("sellers are read again although nothing changed")
	}
	outside := got[*store.Sellers](t)(store.LoadSellers(t.Context(), s.Queries()))
	same(t, "outside of transactions", *outside, *load())
	same(t, "all tax rates", len(load().Rates), len(got[tax.Rates](t)(store.AllTaxRates(t.Context(), s.Queries()))))
	for n, on := range []*store.Store{s, other} {
		write(t, on, func(ctx context.Context, tx *store.Tx) {
			must(store.LockCatalog(ctx, tx))
			first.Name = strconv.Itoa(n)
			must(store.Entities.Update(ctx, tx, first))
			same(t, "in the transaction", got[*store.Sellers](t)(store.LoadSellers(ctx, tx.Queries)).Entities[0].Name, first.Name)
		})
		same(t, "after it", load().Entities[0].Name, first.Name)
	}
	rate := load().Rates[0]
	write(t, other, func(ctx context.Context, tx *store.Tx) {
		must(store.LockCatalog(ctx, tx))
		must(store.TaxRates.Delete(ctx, tx, &rate))
	})
	if load().Rates[0].ID == rate.ID {
		t.Error("a rate that was deleted is still there")
	}
	err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		must(store.LockCatalog(ctx, tx))
		second.Name = "taken back"
		return errors.Join(store.Entities.Update(ctx, tx, second), errors.New("taken back"))
	})
	if err == nil || load().Entities[1].Name == "taken back" {
		t.Errorf("what was taken back is remembered: %v", err)
	}
}

// testCatalogChanging has one process change a price list while others look at
// it. Nobody finds less than was committed before it began, and nobody ever
// finds what was taken back.
func testCatalogChanging(t *testing.T, db *storetest.Database) {
	s, other := db.Open(t), db.Open(t)
	sh := newShelf(t, s)
	must(sh.rename(s, "0", nil))
	const changes, looks = 60, 4
	taken := errors.New("taken back")
	var committed atomic.Int64
	look := func(on *store.Store) {
		least := committed.Load()
		name := ""
		err := on.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			offer, err := store.LoadOffer(ctx, tx.Queries, sh.list.ID)
			if err == nil {
				name = offer.PriceList.Name
			}
			return err
		})
		if n, bad := strconv.ParseInt(name, 10, 64); err != nil || bad != nil || n < least {
			t.Errorf("found %q after %d was committed (%v)", name, least, err)
		}
	}
	for n := int64(1); n <= changes; n++ {
		var group sync.WaitGroup
		for _, on := range []*store.Store{s, s, s, other, other} {
			group.Go(func() {
				for range looks {
					look(on)
				}
			})
		}
		on := s
		if n%2 == 0 {
			on = other
		}
		if err := sh.rename(on, "-1", taken); !errors.Is(err, taken) {
			t.Error(err)
		}
		must(sh.rename(on, strconv.FormatInt(n, 10), nil))
		committed.Store(n)
		group.Wait()
	}
	have, _ := sh.name(s)
	same(t, "the name at the end", have, strconv.Itoa(changes))
}
