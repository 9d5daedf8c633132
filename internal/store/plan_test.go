package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// plan says how the engines must go about a question. Parts of a plan stand
// with ; between them, and a part after ! must not be in it.
type plan struct {
	name             string
	ask              func(ctx context.Context, q store.Queries) error
	sqlite, postgres string
}

const (
	byKey     = "Index Scan using account_pkey; ! Sort" // in order already
	bySearch  = "SCAN account_search VIRTUAL TABLE; SEARCH account USING INTEGER PRIMARY KEY (rowid=?); ! ORDER BY"
	notSorted = "; ! ORDER BY"
	byWindows = "Bitmap Index Scan on account_search; Append"
	byPairs   = "Bitmap Index Scan on account_pairs; Append; ! Bitmap Index Scan on account_search"
)

var plans = []plan{
	{"all", accountsLike(store.Page{}), "SCAN account" + notSorted, byKey},
	{"all, a later page", accountsLike(store.Page{After: 25_000}), "SEARCH account USING INTEGER PRIMARY KEY (rowid>?)" + notSorted, "Index Cond: (id >; " + byKey},
	{"a rare word", accountsLike(store.Page{Filter: words("zzz")}), bySearch, byWindows + "; ! Limit (never executed)"},
	{"a common word", accountsLike(store.Page{Filter: words("cus")}), bySearch, byWindows + "; Limit (never executed); rows=2047"},
	{"a common word, a later page", accountsLike(store.Page{Filter: words("cus"), After: 25_000}), bySearch, byWindows + "; Limit (never executed)"},
	{"a rare word of two letters", accountsLike(store.Page{Filter: words("zz")}), bySearch, byPairs + "; ! Limit (never executed)"},
	{"a letter that nothing has", accountsLike(store.Page{Filter: words("q")}), bySearch, byPairs + "; ! Limit (never executed); ! rows=2047"},
	{"a common letter", accountsLike(store.Page{Filter: words("c")}), bySearch, byPairs + "; Limit (never executed); rows=2047"},
	{"a common letter, a later page", accountsLike(store.Page{Filter: words("c"), After: 25_000}), bySearch, byPairs + "; Limit (never executed)"},
	{"a common letter, the newest first", accountsLike(store.Page{Filter: words("c"), Backwards: true}), bySearch, byPairs + "; Limit (never executed)"},
	{"short words", accountsLike(store.Page{Filter: words("z", "us")}), bySearch, byPairs + "; ! Limit (never executed)"},
	{"a short word beside a long one", accountsLike(store.Page{Filter: words("c", "zzz")}), bySearch, byWindows + "; ! account_pairs"},
	{"a short word and a code", accountsLike(store.Page{Filter: both(words("c"), term("code", "A-42"))}), bySearch, "Index Scan using account_code_key"},
	{"names by a letter that nothing else begins with", accountsLike(store.Page{Filter: term("name", "u*")}), bySearch, byPairs + "; ! Limit (never executed); ! rows=2047"},
	{"a count", func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.Count(ctx, q, words("zz"))
		return err
	}, "SCAN account_search VIRTUAL TABLE", "Bitmap Index Scan on account_pairs"},
	{"a contact by two letters", func(ctx context.Context, q store.Queries) error {
		_, err := store.Contacts.List(ctx, q, store.Page{Filter: words("zz"), Limit: 51})
		return err
	}, "SCAN contact_search VIRTUAL TABLE; ! ORDER BY", "Bitmap Index Scan on contact_pairs"},
	{"all, the newest first", accountsLike(store.Page{Backwards: true}), "SCAN account" + notSorted, "Index Scan Backward using account_pkey; ! Sort"},
	{"a common word, the newest first", accountsLike(store.Page{Filter: words("cus"), Backwards: true}), bySearch, byWindows + "; Limit (never executed)"},
	{"the newest tenants of a platform", func(ctx context.Context, q store.Queries) error {
		_, err := store.Tenants.List(ctx, q, store.Page{Filter: byID("platform", "42"), Backwards: true, Limit: 21})
		return err
	}, "SEARCH tenant USING INDEX tenant_platform (platform_id=?)" + notSorted, ""},
	{"the newest subscriptions on a price list", func(ctx context.Context, q store.Queries) error {
		_, err := store.Subscriptions.List(ctx, q, store.Page{Filter: byID("priceList", "42"), Backwards: true, Limit: 21})
		return err
	}, "SEARCH subscription USING INDEX subscription_price_list (price_list_id=?)" + notSorted, ""},
	{"the newest active subscriptions", func(ctx context.Context, q store.Queries) error {
		_, err := store.Subscriptions.List(ctx, q, store.Page{Filter: term("state", "active"), Backwards: true, Limit: 51})
		return err
	}, "SEARCH subscription USING INDEX subscription_state (state=?)" + notSorted, ""},
	{"subscriptions set aside", func(ctx context.Context, q store.Queries) error {
		_, err := store.SubscriptionsSetAside(ctx, q, 21)
		return err
	}, "subscription_problem" + notSorted, ""},
	{"how many subscriptions use a price list", func(ctx context.Context, q store.Queries) error {
		_, err := store.SubscriptionsOnPriceList(ctx, q, 42)
		return err
	}, "SEARCH subscription USING COVERING INDEX subscription_price_list (price_list_id=?); SEARCH subscription USING INDEX subscription_next_price_list (next_price_list_id=?); ! SCAN subscription",
		"subscription_price_list; subscription_next_price_list; ! Seq Scan on subscription"},
	{"which subscriptions are to change to a price list", func(ctx context.Context, q store.Queries) error {
		_, err := store.SubscriptionsPlannedFor(ctx, q, 42, 4)
		return err
	}, "SEARCH subscription USING INDEX subscription_next_price_list (next_price_list_id=?); ! SCAN subscription", "subscription_next_price_list; ! Seq Scan on subscription"},
	{"active subscriptions with a bad standing", func(ctx context.Context, q store.Queries) error {
		_, err := store.CountStanding(ctx, q, billing.Suspended, 10)
		return err
	}, "USING COVERING INDEX subscription_bad_standing (standing=?)", "subscription_bad_standing; ! Seq Scan on subscription"},
	{"features, a later page", sortedPage(store.Features, 50, 5, 500), "SEARCH feature USING INDEX feature_sorted ((product_id,position)>(?,?))" + notSorted, "Index Scan using feature_sorted; Index Cond; ! Sort"},
	{"plans, a later page", sortedPage(store.Plans, 50, 500), "SEARCH plan USING INDEX plan_sorted (product_id>?)" + notSorted, "Index Scan using plan_sorted; Index Cond; ! Sort"},
	{"price lists, a later page", sortedPage(store.PriceLists, 50, 500, 5000), "plan USING COVERING INDEX plan_sorted (product_id>?); SEARCH price_list USING INDEX price_list_plan (plan_id=?)" + notSorted,
		"Index Only Scan using plan_sorted; Index Scan using price_list_plan; Presorted Key: plan.product_id; ! Seq Scan"},
	{"charges, a later page", sortedPage(store.Charges, 50, 500), "SEARCH price_list_charge USING INDEX price_list_charge_sorted (price_list_id>?)" + notSorted, ""},
	{"the tenants that a plan reaches", func(ctx context.Context, q store.Queries) error {
		_, err := store.ReachOfPlans(ctx, q, []billing.PlanID{42})
		return err
	}, "SEARCH subscription USING COVERING INDEX subscription_live (price_list_id=? AND tenant_id>?); ! SCAN subscription", "subscription_live; ! Seq Scan on subscription"},
	{"the tenants that a product reaches", func(ctx context.Context, q store.Queries) error {
		_, err := store.ReachOfProduct(ctx, q, 42)
		return err
	}, "SEARCH subscription USING COVERING INDEX subscription_live (price_list_id=? AND tenant_id>?); ! SCAN subscription", "subscription_live; ! Seq Scan on subscription"},
	{"created on a day", accountsLike(store.Page{Filter: term("created", "1970-01-09")}), "account_created_16h (<expr>=? AND id>? AND id<?)",
		"Index Scan using account_created_16h; Index Cond: ((ROW((created_at / 57600000), id); " + byKey},
	{"created on a day, with a common word", accountsLike(store.Page{Filter: wordOn("cus", "created", "1970-01-09")}), "account_created_16h (<expr>=? AND id>? AND id<?); account_search",
		"Index Scan using account_created_16h; " + byWindows},
	{"changed on a day", accountsLike(store.Page{Filter: term("updated", "1970-01-09")}), "last_change_16h (list=? AND <expr>=? AND id>? AND id<?); SEARCH account USING INTEGER PRIMARY KEY",
		"last_change_16h; Index Cond: ((list = 'account'::text) AND (ROW((hour / 16), id) >; Index Scan using account_pkey"},
	{"changed on a day, with a common word", accountsLike(store.Page{Filter: wordOn("cus", "updated", "1970-01-09")}), "SEARCH last_change USING PRIMARY KEY (list=? AND hour>? AND hour<?)", byWindows},
	{"changed at any time, of one account", func(ctx context.Context, q store.Queries) error {
		_, err := store.Contacts.List(ctx, q, store.Page{Filter: both(byID("account", "42"), filterSince("updated", "1970-01-01")), Limit: 51})
		return err
	}, "", "Index Scan using contact_account; ! last_change_"},
	{"how many have a common word and were changed at any time", func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.Count(ctx, q, both(words("cus"), filterSince("updated", "1970-01-01")))
		return err
	}, "SCAN account_search VIRTUAL TABLE INDEX 0:M1; SEARCH account USING INTEGER PRIMARY KEY (rowid=?)", "account_search; ! last_change.id"},
	{"a code", accountsLike(store.Page{Filter: term("code", "A-42")}), "SEARCH account USING INDEX sqlite_autoindex_account_1 (code=?)", "Index Scan using account_code_key"},
	{"an address", func(ctx context.Context, q store.Queries) error {
		_, err := store.Contacts.List(ctx, q, store.Page{Filter: term("email", "c42@example.com"), Limit: 51})
		return err
	}, "SCAN contact_search VIRTUAL TABLE; ! ORDER BY", "Bitmap Index Scan on contact_search"},
	{"the contacts of an account", func(ctx context.Context, q store.Queries) error {
		_, err := store.Contacts.List(ctx, q, store.Page{Filter: term("account", "A-42"), Limit: 51})
		return err
	}, "SEARCH contact USING INDEX contact_account (account_id=?); SEARCH account USING COVERING INDEX", "Index Scan using contact_account; Index Scan using account_code_key"},
	{"nested contacts", func(ctx context.Context, q store.Queries) error {
		_, err := store.ChildrenOf(ctx, q, store.Contacts, "accountId", []billing.AccountID{49_998, 49_999}, billing.Filter{})
		return err
	}, "SEARCH contact USING INDEX contact_account (account_id=?)", "Index Scan using contact_account"},
	{"by ids", func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.ByIDs(ctx, q, []billing.AccountID{49_998, 49_999})
		return err
	}, "SEARCH account USING INTEGER PRIMARY KEY (rowid=?)" + notSorted, "Index Scan using account_pkey; Index Cond: (id = json_each.value)"},
	{"by id", func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.Get(ctx, q, 42)
		return err
	}, "SEARCH account USING INTEGER PRIMARY KEY (rowid=?)", "Index Scan using account_pkey"},
	{"by code", func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.ByCode(ctx, q, "A-42")
		return err
	}, "SEARCH account USING INDEX sqlite_autoindex_account_1 (code=?)", "Index Scan using account_code_key"},
	{"a contact by code", func(ctx context.Context, q store.Queries) error {
		_, err := store.Contacts.ByCode(ctx, q, "C-42")
		return err
	}, "SEARCH contact USING INDEX contact_code (code=?)" + notSorted, "Index Scan using contact_code"},
	{"what was done to a customer", func(ctx context.Context, q store.Queries) error {
		_, _, err := store.ListAudit(ctx, q, store.Page{Filter: words("zzz"), Limit: 51, Backwards: true}, 0)
		return err
	}, "SCAN account_search VIRTUAL TABLE; SEARCH contact USING COVERING INDEX contact_account (account_id=?); SEARCH subscription USING COVERING INDEX subscription_account (account_id=?); " +
		"SEARCH audit_entry USING INDEX audit_entry_subject (subject_type=? AND subject_id=? AND id>? AND id<?)", byWindows + "; Index Scan using contact_account"},
	{"changed clients", func(ctx context.Context, q store.Queries) error {
		_, err := store.ClientsSince(ctx, q, 42)
		return err
	}, "SEARCH api_client USING INDEX api_client_version (version>?)" + notSorted, ""}, // PostgreSQL reads a small table as a whole
}

// needsPlanCounts skips a test on a PostgreSQL that cannot tell whether it kept a
// plan; pg_prepared_statements has the counts from version 14 on.
func needsPlanCounts(t *testing.T, s *store.Store) {
	t.Helper()
	if got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT current_setting('server_version_num') < '140000'"))[0] == "true" {
		t.Skip("PostgreSQL before 14 does not count its plans")
	}
}

// testPlanForWordsIsKept looks up many words on PostgreSQL: planning anew for
// each would take longer than finding it.
func testPlanForWordsIsKept(t *testing.T, s *store.Store) {
	needsPlanCounts(t, s)
	const runs = 20
	for i := range runs {
		for _, words := range []billing.Filter{
			words([]string{"zzz", "cus", "customer 12", "nothing"}[i%4]),
			words([]string{"z", "cu", "2", "q"}[i%4]),
		} {
			if err := accountsLike(store.Page{Filter: words})(t.Context(), s.Queries()); err != nil {
				t.Fatal(err)
			}
		}
	}
	// PostgreSQL tries a statement five times before it decides. One question
	// after another is asked on the same connection.
	for _, index := range []string{"search_grams", "search_pairs"} {
		kept := fmt.Sprintf(`SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE strpos(statement, '%s') > 0 AND strpos(statement, 'pg_prepared') = 0`, index)
		same(t, "plans by "+index+" that were kept, and not", got[[]string](t)(store.Rows(t.Context(), s.Queries(), kept)), []string{"15|5"})
	}
}

// testPlanForListsIsKept reads pages of a list without a filter on PostgreSQL:
// planning each anew takes a third as long as reading it.
func testPlanForListsIsKept(t *testing.T, s *store.Store) {
	needsPlanCounts(t, s)
	for i := range 20 {
		for _, p := range []store.Page{{}, {After: int64(i) + 1}} {
			if err := accountsLike(p)(t.Context(), s.Queries()); err != nil {
				t.Fatal(err)
			}
		}
	}
	const kept = `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE strpos(statement, 'SELECT account.id') = 1 ORDER BY statement`
	same(t, "plans that were kept, and not", got[[]string](t)(store.Rows(t.Context(), s.Queries(), kept)), []string{"20|0", "15|5"})
}

func accountsLike(p store.Page) func(context.Context, store.Queries) error {
	p.Limit = 51
	return func(ctx context.Context, q store.Queries) error {
		_, err := store.Accounts.List(ctx, q, p)
		return err
	}
}

func filterSince(field, day string) billing.Filter {
	return billing.Filter{Terms: []billing.Term{{Field: field, Op: billing.GreaterEqual, Value: day}}}
}

func wordOn(word, field, day string) billing.Filter {
	f := term(field, day)
	f.Words = []string{word}
	return f
}

func words(words ...string) billing.Filter { return billing.Filter{Words: words} }

func both(a, b billing.Filter) billing.Filter {
	return billing.Filter{Words: append(a.Words, b.Words...), Terms: append(a.Terms, b.Terms...)}
}

func byID(field, value string) billing.Filter {
	return billing.Filter{Terms: []billing.Term{{Field: field, Op: billing.ByID, Value: value}}}
}

func term(field, value string) billing.Filter {
	return billing.Filter{Terms: []billing.Term{{Field: field, Op: billing.Equal, Value: value}}}
}

// sortedPage asks for what follows a key in the order of a table.
func sortedPage[T any, K ~int64](table *store.Table[T, K], after ...int64) func(context.Context, store.Queries) error {
	return func(ctx context.Context, q store.Queries) error {
		_, _, err := table.ListSorted(ctx, q, store.SortedPage{After: after, Limit: 51})
		return err
	}
}

// TestPlans asks SQLite on tables with next to nothing in them, because it decides without looking at
// what is in them, and PostgreSQL on tables of some size.
func TestPlans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		if db.Engine == "postgres" {
			grow(t, s)
		} else {
			span(t, s)
		}
		t.Run("questions", func(t *testing.T) { testPlansOfQuestions(t, s) })
		if db.Engine == "postgres" { // each on connections of its own
			t.Run("kept for words", func(t *testing.T) { testPlanForWordsIsKept(t, db.Open(t)) })
			t.Run("kept for lists", func(t *testing.T) { testPlanForListsIsKept(t, db.Open(t)) })
		}
		t.Run("audit", func(t *testing.T) { testAuditPlans(t, s) })
	})
}

func testPlansOfQuestions(t *testing.T, s *store.Store) {
	for _, p := range plans {
		// PostgreSQL judges by a random sample of the rows, which now and
		// then makes one rare row look like many.
		problem := ""
		for range 3 {
			if problem = p.check(t, s); problem == "" {
				break
			}
			analyze(t, s)
		}
		if problem != "" {
			t.Error(problem)
		}
	}
}

// check returns what is wrong with how the database goes about a question.
func (p plan) check(t *testing.T, s *store.Store) string {
	t.Helper()
	q, plans := store.Explained(s)
	if err := p.ask(t.Context(), q); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return p.differs(s, *plans)
}

// differs says what of the plans is not as it must be.
func (p plan) differs(s *store.Store, plans []string) string {
	text, want := strings.Join(plans, "\n"), p.sqlite
	if s.Engine() == "postgres" {
		want = p.postgres + "; ! Seq Scan on account; ! Seq Scan on contact; ! Seq Scan on last_change"
	}
	for part := range strings.SplitSeq(want, "; ") {
		if wanted, not := strings.CutPrefix(part, "! "); strings.Contains(text, wanted) == not {
			return fmt.Sprintf("%s: want %q in the plan\n%s", p.name, part, text)
		}
	}
	return ""
}

// span adds a few accounts, some days after one another.
func span(t *testing.T, s *store.Store) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, days := range []int{0, 8, 30} {
			tx.Now = time.UnixMilli(0).AddDate(0, 0, days)
			maker{ctx, tx}.account(map[bool]string{true: "Customer zzz", false: "Customer"}[days == 30])
		}
	})
}

// grow adds 50,000 accounts with a contact each, a minute after one another. All have a common word in
// their name, one has a rare one. A thousand of them have subscriptions, most of which are over.
func grow(t *testing.T, s *store.Store) {
	t.Helper()
	const accounts = `INSERT INTO account (name, code, billing_day, created_at, updated_at, search)
		SELECT name, 'A-' || n, 1, n * CAST(60000 AS BIGINT), n * CAST(60000 AS BIGINT), name || chr(31) || 'a-' || n
		FROM generate_series(1, 50000) AS n, LATERAL (SELECT 'customer ' || n || CASE n WHEN 33333 THEN ' zzz' ELSE ' inc' END AS name) AS named`
	const contacts = `INSERT INTO contact (account_id, first_name, email, code, created_at, updated_at, search)
		SELECT id, 'Ann', 'c' || id || '@example.com', 'C-' || id, created_at, updated_at, 'ann' || chr(31) || 'c-' || id || chr(31) || 'c' || id || '@example.com' FROM account`
	const catalog = `WITH products AS (INSERT INTO product (code, name, created_at, updated_at, search)
			SELECT 'p-' || n, 'Product', 0, 0, 'product' FROM generate_series(1, 100) AS n RETURNING id),
		features AS (INSERT INTO feature (product_id, code, name, kind, position, is_provisioned, created_at, updated_at, search)
			SELECT id, 'f-' || n, 'Feature', 'BOOLEAN', n / 2, true, 0, 0, 'feature' FROM products, generate_series(1, 100) AS n),
		plans AS (INSERT INTO plan (product_id, name, addon, is_visible, created_at, updated_at, search)
			SELECT id, 'Plan', false, true, 0, 0, 'plan' FROM products, generate_series(1, 50) RETURNING id)
		INSERT INTO price_list (plan_id, code, name, currency_id, renewal_term_months, trial_allowed, is_visible, created_at, updated_at, search)
			SELECT id, 'l-' || id || '-' || n, 'List', 'EUR', 1, false, true, 0, 0, 'list' FROM plans, generate_series(1, 4) AS n`
	const tenants = `INSERT INTO tenant (platform_id, account_id, code, name, created_at, updated_at, search)
		SELECT platform.id, account.id, account.code, account.name, 0, 0, '' FROM platform, account WHERE account.id <= 1000`
	const subscriptions = `INSERT INTO subscription (account_id, product_id, price_list_id, next_price_list_id, tenant_id, state, evergreen, renewal_term_months,
			start_date, end_date, term_start_date, anchor_day, charges, as_of, created_at, updated_at, search)
		SELECT tenant.account_id, plan.product_id, price_list.id, CASE WHEN n = 1 THEN price_list.id % 4 + 1 END, tenant.id, CASE WHEN n > 17 THEN 'ACTIVE' ELSE 'EXPIRED' END, true, 1, '2026-01-01', '2026-01-31', '2026-01-01', 1, '[]', '2026-01-01', 0, 0, ''
		FROM generate_series(1, 20) AS n, price_list JOIN plan ON plan.id = price_list.plan_id JOIN tenant ON tenant.id = 1 + price_list.id % 1000 WHERE price_list.plan_id <= 250`
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		maker{ctx, tx}.platform()
		for _, text := range []string{accounts, contacts, catalog, tenants, subscriptions} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	analyze(t, s)
}

func analyze(t *testing.T, s *store.Store) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, err := store.Exec(ctx, tx, "ANALYZE")
		must(err)
	})
}
