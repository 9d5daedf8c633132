package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testPages goes through lists page by page: by id alone, and with words that
// an index knows and others.
func testPages(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	const rows = 10
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for i := range rows {
			maker{ctx, tx}.account(fmt.Sprintf("Account %d %s", i, []string{"even", "odd"}[i%2]))
		}
	})
	for text, want := range map[string]int{"": rows, "even": 5, "dd": 5, "v": 5, "a": rows, "7": 1, "a dd": 5, "v d": 0, "q": 0, "account even": 5, "account dd": 5, "name:a*": rows, "name:acc*": rows, "id:>3": 7, "none": 0} {
		f := filter(t, text)
		all := listed(t, s, store.Accounts, f)
		same(t, fmt.Sprintf("how many match %q", text), len(all), want)
		same(t, fmt.Sprintf("Count of %q", text), got[int](t)(store.Accounts.Count(t.Context(), s.Queries(), f)), want)
		for _, limit := range []int{1, 2, 3, rows, rows + 1} {
			same(t, fmt.Sprintf("%q by pages of %d", text, limit), paged(t, s, f, limit), all)
		}
		backwards := slices.Clone(all)
		slices.Reverse(backwards)
		for _, limit := range []int{1, 3, rows + 1} {
			same(t, fmt.Sprintf("%q backwards by pages of %d", text, limit), pagedBack(t, s, f, limit), backwards)
		}
		for i := 1; i < len(all); i++ {
			if all[i-1].ID >= all[i].ID {
				t.Errorf("%q is not in the order of ids", text)
			}
		}
	}
	page := store.Page{After: nobody, Limit: 10}
	same(t, "after the last", got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page)), []billing.Account{})
	page = store.Page{Limit: 0}
	same(t, "a limit of none", got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page)), []billing.Account{})
}

// testWordPages looks for words on PostgreSQL's windows of ids and around their
// edges, with large gaps before, between and behind, from any id on.
func testWordPages(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ids := spreadIDs()
	often := map[string]int{"common": 1, "co": 1, "seldom": 7, "zx": 7, "rarely": 100, "%": 100, "hardly": 1000, "ß": 1000}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		const insert = `INSERT INTO account (id, name, billing_day, created_at, updated_at, search) VALUES ($1, $2, 1, 0, 0, $3)`
		for i, id := range ids {
			name := fmt.Sprintf("common %d", i)
			for word, every := range often {
				if i%every == every/2 && every > 1 {
					name += " " + word
				}
			}
			_, err := store.Exec(ctx, tx, insert, id, name, name+"\x1f")
			must(err)
		}
	})
	sortPending(t, db)
	for word, every := range often {
		for i := 0; i < len(ids); i += 61 {
			for _, after := range []int64{ids[i] - 1, ids[i]} {
				for _, limit := range []int{1, 10, 500} {
					checkWordPage(t, s, ids, word, every, store.Page{After: after, Limit: limit})
				}
				checkWordPage(t, s, ids, word, every, store.Page{After: after + 1, Limit: 10, Backwards: true})
			}
		}
	}
}

// sortPending puts what was just written into the search indexes of PostgreSQL, as
// vacuum does sooner or later. Until then every question reads all of it.
func sortPending(t *testing.T, db *storetest.Database) {
	t.Helper()
	if db.Engine == "postgres" {
		if _, err := db.Connect(t).Exec("VACUUM account"); err != nil {
			t.Fatal(err)
		}
	}
}

// checkWordPage compares a page of the rows that have a word with what it must
// have: every so many of all.
func checkWordPage(t *testing.T, s *store.Store, ids []int64, word string, every int, page store.Page) {
	t.Helper()
	page.Filter, page.Only = words(word), []string{"name"}
	want := []int64{}
	direction := slices.All[[]int64]
	if page.Backwards {
		direction = slices.Backward[[]int64]
	}
	for j, id := range direction(ids) {
		if (id < page.After) == page.Backwards && id != page.After && j%every == every/2 && len(want) < page.Limit {
			want = append(want, id)
		}
	}
	found := []int64{}
	for _, a := range got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page)) {
		found = append(found, int64(a.ID))
	}
	if !slices.Equal(found, want) {
		t.Fatalf("%d of %s after %d, backwards %t: %v, want %v", page.Limit, word, page.After, page.Backwards, found, want)
	}
}

// spreadIDs are ids in runs that begin shortly before a window's edge.
func spreadIDs() (ids []int64) {
	for _, edge := range []int64{1_000, 1 << 11, 1 << 13, 1 << 14, 1 << 16, 1 << 17, 1<<17 + 1<<10, 1 << 18, 1 << 40} {
		first := edge - 150
		for i := range int64(300) {
			if id := first + i; len(ids) == 0 || id > ids[len(ids)-1] {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func paged(t *testing.T, s *store.Store, f billing.Filter, limit int) []billing.Account {
	t.Helper()
	all, after := []billing.Account{}, int64(0)
	for {
		page, err := store.Accounts.List(t.Context(), s.Queries(), store.Page{Filter: f, After: after, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
		if len(page) < limit {
			return all
		}
		if next := int64(page[len(page)-1].ID); next > after {
			after = next
		} else {
			t.Fatalf("the page after %d ends with %d", after, next)
		}
	}
}

func pagedBack(t *testing.T, s *store.Store, f billing.Filter, limit int) []billing.Account {
	t.Helper()
	all, page := []billing.Account{}, store.Page{Filter: f, Limit: limit, Backwards: true}
	for {
		rows := got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page))
		all = append(all, rows...)
		if len(rows) < limit || len(all) > 1000 {
			return all
		}
		page.After = int64(rows[len(rows)-1].ID)
	}
}

// testNested shows that a nested list that is too long is refused and not cut.
func testNested(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var a billing.AccountID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a = m.account("A").ID
		c := m.contact(a, "C", nil)
		const copies = `INSERT INTO contact (account_id, first_name, created_at, updated_at, search)
			WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < CAST($1 AS BIGINT))
			SELECT account_id, first_name, created_at, updated_at, search FROM contact, n WHERE id = $2`
		n, err := store.Exec(ctx, tx, copies, store.MaxNested, int64(c.ID))
		must(err)
		same(t, "copies", n, int64(store.MaxNested-1))
	})
	contacts, err := store.ChildrenOf(t.Context(), s.Queries(), store.Contacts, "accountId", []billing.AccountID{a}, billing.Filter{})
	if err != nil || len(contacts) != store.MaxNested {
		t.Errorf("as many as allowed: %d contacts, %v", len(contacts), err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.contact(a, "One too many", nil) })
	contacts, err = store.ChildrenOf(t.Context(), s.Queries(), store.Contacts, "accountId", []billing.AccountID{a}, billing.Filter{})
	if !billing.Is(err, billing.TooMany) || contacts != nil {
		t.Errorf("one too many: %d contacts, %v; want TOO_MANY", len(contacts), err)
	}
}

// testByID shows that a program can ask for what belongs to exactly one thing,
// even if another one has that id as its code.
func testByID(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var first, second *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		first, second = m.account("First"), m.account("Second")
		second.Code = ptr(fmt.Sprint(first.ID))
		must(store.Accounts.Update(ctx, tx, second))
		m.contact(first.ID, "Ann", nil)
		m.contact(second.ID, "Bob", nil)
	})
	names := func(f billing.Filter) (names []string) {
		for _, c := range listed(t, s, store.Contacts, f) {
			names = append(names, c.FirstName)
		}
		return names
	}
	id := fmt.Sprint(first.ID)
	same(t, "by id or code", names(term("account", id)), []string{"Ann", "Bob"})
	same(t, "by id alone", names(byID("account", id)), []string{"Ann"})
	_, err := store.Contacts.List(t.Context(), s.Queries(), store.Page{Filter: byID("name", "1"), Limit: 1})
	if !billing.Is(err, billing.Invalid) {
		t.Errorf("a name by id: %v", err)
	}
}

// testSorted goes through the catalog in the order of products and positions,
// page by page and back again.
func testSorted(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var first, second billing.ProductID
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		first, second = m.product().ID, m.product().ID
		for i, position := range []int{3, 1, 2, 2, 9, 1} {
			for _, product := range []billing.ProductID{second, first} {
				f := m.feature(product)
				f.Position, f.Name = position, []string{"even", "odd"}[i%2]
				must(store.Features.Update(ctx, tx, f))
			}
		}
		for range 3 {
			for _, product := range []billing.ProductID{second, first} {
				plan := m.plan(product).ID
				for range 2 {
					m.charge(m.priceList(plan).ID, nil)
				}
			}
		}
	})
	plans := listed(t, s, store.Plans, billing.Filter{})
	productOf := map[billing.PlanID]billing.ProductID{}
	for _, p := range plans {
		productOf[p.ID] = p.ProductID
	}
	checkSorted(t, s, store.Features, func(f catalog.Feature) store.SortKey {
		return store.SortKey{int64(f.ProductID), int64(f.Position), int64(f.ID)}
	})
	checkSorted(t, s, store.Plans, func(p catalog.Plan) store.SortKey { return store.SortKey{int64(p.ProductID), int64(p.ID)} })
	checkSorted(t, s, store.PriceLists, func(l catalog.PriceList) store.SortKey {
		return store.SortKey{int64(productOf[l.PlanID]), int64(l.PlanID), int64(l.ID)}
	})
	checkSorted(t, s, store.Charges, func(c catalog.Charge) store.SortKey { return store.SortKey{int64(c.PriceListID), int64(c.ID)} })

	q := s.Queries()
	rows, keys, err := store.Features.ListSorted(t.Context(), q, store.SortedPage{Filter: filter(t, fmt.Sprintf("odd product:%d", first)), Limit: 10})
	must(err)
	same(t, "with a filter", len(rows), 3)
	same(t, "a filter's first", keys[0], store.SortKey{int64(first), 1, int64(rows[0].ID)})
	lists, _, err := store.PriceLists.ListSorted(t.Context(), q, store.SortedPage{Filter: filter(t, fmt.Sprintf("plan:%d", plans[0].ID)), Limit: 10})
	must(err)
	same(t, "price lists of a plan", len(lists), 2)
	_, _, err = store.Features.ListSorted(t.Context(), q, store.SortedPage{After: store.SortKey{1}, Limit: 10})
	same(t, "a key of another table", billing.Is(err, billing.Invalid), true)
	same(t, "accounts have no order of their own", store.Accounts.IsSorted(), false)
	same(t, "features have", store.Features.IsSorted(), true)
}

// checkSorted compares a sorted list, by pages of some sizes and both ways, with
// the rows sorted here.
func checkSorted[T any, K ~int64](t *testing.T, s *store.Store, table *store.Table[T, K], key func(T) store.SortKey) {
	t.Helper()
	want := listed(t, s, table, billing.Filter{})
	slices.SortFunc(want, func(a, b T) int { return slices.Compare(key(a), key(b)) })
	for _, backwards := range []bool{false, true} {
		for _, limit := range []int{1, 3, 100} {
			var have []T
			page := store.SortedPage{Limit: limit, Backwards: backwards}
			for {
				rows, keys, err := table.ListSorted(t.Context(), s.Queries(), page)
				must(err)
				for i := range rows {
					same(t, "a key", keys[i], key(rows[i]))
				}
				if have = append(have, rows...); len(rows) < limit {
					break
				}
				page.After = keys[len(keys)-1]
			}
			if backwards {
				slices.Reverse(have)
			}
			same(t, fmt.Sprintf("%T by pages of %d, backwards %v", want, limit, backwards), have, want)
		}
	}
}
