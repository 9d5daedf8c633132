package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// filterRows are contacts of two accounts; their last names are what the cases
// below call them by.
var filterRows = []struct {
	first, label string
	code, email  string
	account      int
	created      string
}{
	{"Ann Lee", "ann", "C-1", "ann@example.com", 0, "2026-01-31T00:00:00Z"},
	{"ANNA ÖZIL", "anna", "c-1", "Anna.Özil@Example.com", 0, "2026-01-31T23:59:59.999Z"},
	{"O'Hara \"Jr\"", "hara", `50%_\`, "", 1, "2026-02-01T00:00:00Z"},
	{"ΣΊΣΥΦΟΣ", "sisyphos", "", "", 1, "2026-02-01T12:00:00Z"},
	{"Zoe\u0301 🌾", "zoe", "AND", "zoe@zoé.example", 1, "2026-02-02T00:00:00Z"},
	{"a*b (c) -d +e ^f g:h x\uffffy", "signs", "NEAR(x)", "", 0, "2026-03-01T00:00:00Z"},
}

var contactFilters = []struct{ text, want string }{
	{"", "ann anna hara sisyphos zoe signs"},
	// Exact text.
	{"code:C-1", "ann"},
	{"code:c-1", "anna"},
	{`code:"50%_\\"`, "hara"},
	{"code:C-", ""},
	// The name, whole and by its beginning, without regard to case.
	{`name:"ann lee ann"`, "ann"},
	{"name:ann", ""},
	{"name:ANN*", "ann anna"},
	{"name:an*", "ann anna"},
	{"name:a*", "ann anna signs"},
	{`name:"a**"`, "signs"},
	{"name:n*", ""}, // which others have further on
	{"name:n", ""},
	{"name:nn*", ""},
	{"name:z*", "zoe"},
	{"name:z* n", "zoe"},
	{"name:z* q", ""},
	{"name:an* il", "anna"},
	{"name:an* özil", "anna"},
	{"name:σ*", "sisyphos"},
	{`name:"o'hara \"*"`, "hara"},
	{"name:σίσυφοσ*", "sisyphos"},
	{"name:Zoé*", "zoe"},
	{"name:*", "ann anna hara sisyphos zoe signs"},
	{"name:%*", ""},
	{"name:_nn*", ""},
	// Folded text.
	{"email:ANN@EXAMPLE.COM", "ann"},
	{"email:anna.özil@example.com", "anna"},
	{"email:ANNA.ÖZIL@EXAMPLE.COM", "anna"},
	{"email:ann@example", ""},
	{"email:zoe@zoe\u0301.example", "zoe"},
	// Numbers.
	{"id:2", "anna"},
	{"id:=2", "anna"},
	{"id:<2", "ann"},
	{"id:<=2", "ann anna"},
	{"id:>5", "signs"},
	{"id:>=5", "zoe signs"},
	{"id:-1", ""},
	{"id:9223372036854775807", ""},
	// References, by id and by code: the second account's code is the first's id.
	{"account:1", "ann anna hara sisyphos zoe signs"},
	{"account:2", "hara sisyphos zoe"},
	{"account:first", "ann anna signs"},
	{"account:none", ""},
	// Times.
	{"created:2026-01-31", "ann anna"},
	{"created:<2026-01-31", ""},
	{"created:<=2026-01-31", "ann anna"},
	{"created:>2026-01-31", "hara sisyphos zoe signs"},
	{"created:>=2026-02-01", "hara sisyphos zoe signs"},
	{"created:2026-02-01T12:00:00Z", "sisyphos"},
	{"created:2026-02-01T13:00:00+01:00", "sisyphos"},
	{"created:<2026-02-01T12:00:00Z", "ann anna hara"},
	{"created:<=2026-02-01T12:00:00Z", "ann anna hara sisyphos"},
	{"created:>2026-02-01T12:00:00Z", "zoe signs"},
	{"created:>=2026-02-01T12:00:00Z", "sisyphos zoe signs"},
	{"updated:2026-03-01", "signs"},
	{"created:>=2026-02-01 created:<2026-02-02", "hara sisyphos"},
	// Words.
	{"ann", "ann anna"},
	{"NN", "ann anna"},
	{"n", "ann anna zoe signs"},
	{"özil", "anna"},
	{"ann özil", "anna"},
	{"a n ö", "anna"},
	{"example", "ann anna zoe"},
	{"ίσυφ", "sisyphos"},
	{"ΊΣ", "sisyphos"},
	{"ZOÉ", "zoe"},
	{"zoe", "zoe"}, // in the address and in the last name; the first is another word
	{"🌾", "zoe"},
	{"\"é 🌾\"", "zoe"},
	{"ann example code:C-1", "ann"},
	{"x\uffffy", "signs"},
	{"x\ufffey", ""}, // which SQLite's search tables take for the same
	{"x\ufffdy", ""},
	// Words of one and two bytes, alone, together and beside longer ones.
	{"z", "anna zoe"},
	{"q", ""},
	{"zq", ""},
	{"oe", "zoe"},
	{"é", "zoe"},
	{"ö", "anna"},
	{"ß", ""},
	{"ø", ""}, // its first byte is that of é and ö, its second that of none
	{"©", ""}, // its second byte is that of é
	{"φ", "sisyphos"},
	{"σ", "sisyphos"},
	{"z é", "zoe"},
	{"z oe", "zoe"},
	{"z il", "anna"},
	{"oe il", ""},
	{"1 -", "ann anna"},
	{"z example", "anna zoe"},
	{"il example", "anna"},
	{"q example", ""},
	{"n name:a*", "ann anna signs"},
	{"z account:first", "anna"},
	{"z account:none", ""},
	{"% code:C-1", ""},
	{"- code:C-1", "ann"},
	{"n id:>2", "zoe signs"},
	// Signs that mean something to a database are plain text.
	{`"\"jr\""`, "hara"},
	{`"\""`, "hara"},
	{"'", "hara"},
	{"o'h", "hara"},
	{"%", "hara"},
	{"_", "hara"},
	{`\`, "hara"},
	{"%_", "hara"},
	{"_%", ""},
	{`_\`, "hara"},
	{`"% \\"`, ""},
	{`% \ ' _`, "hara"},
	{`"r\""`, "hara"},
	{"'h", "hara"},
	{"''", ""},
	{`50%_\`, "hara"},
	{"5%_", ""},
	{"*", "signs"},
	{"a*b", "signs"},
	{"ann*", ""},
	{"(c)", "signs"},
	{`"(c) -d"`, "signs"},
	{"-d", "signs"},
	{"\"-d +\"", "signs"},
	{"+e", "signs"},
	{"^f", "signs"},
	{"^ann", ""},
	{`"g:h"`, "signs"},
	{"\"search:ann\"", ""},
	{"AND", "zoe"},
	{"OR", ""},
	{"NEAR", "signs"},
	{"near(x)", "signs"},
	{"\"ann OR zoe\"", ""},
	{"NOT", ""},
	{`"ann\" OR \"zoe"`, ""},
}

func TestContactFilters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			accounts := []*billing.Account{m.account("First"), m.account("Second")}
			for i, code := range []string{"first", "1"} {
				accounts[i].Code = &code
				must(store.Accounts.Update(ctx, tx, accounts[i]))
			}
			for _, r := range filterRows {
				created, err := time.Parse(time.RFC3339, r.created)
				must(err)
				tx.Now = created.UTC()
				c := billing.Contact{AccountID: accounts[r.account].ID, FirstName: r.first, LastName: ptr(r.label), Code: orNil(r.code), Email: orNil(r.email)}
				must(store.Contacts.Insert(ctx, tx, &c))
			}
		})
		for _, c := range contactFilters {
			checkFilter(t, s, store.Contacts, c.text, c.want, func(c *billing.Contact) string { return *c.LastName })
		}
	})
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// checkFilter lists and counts what matches; want has the labels of the rows.
func checkFilter[T any, K ~int64](t *testing.T, s *store.Store, table *store.Table[T, K], text, want string, label func(*T) string) {
	t.Helper()
	f := filter(t, text)
	var have []string
	for _, row := range listed(t, s, table, f) {
		have = append(have, label(&row))
	}
	if strings.Join(have, " ") != want {
		t.Errorf("%s gives %v, want [%s]", text, have, want)
	}
	if n := got[int](t)(table.Count(t.Context(), s.Queries(), f)); n != len(have) {
		t.Errorf("%s counts %d and lists %d", text, n, len(have))
	}
}

var featureFilters = []struct{ text, want string }{
	{"isProvisioned:true", "B"},
	{"isProvisioned:false", "A C"},
	{"kind:BOOLEAN", "A"},
	{"kind:boolean", "A"},
	{"kind:Value", "C"},
	{"product:other", "C"},
	{"product:2", "C"},
	{"product:other kind:quantity", ""},
	{"a", "A"}, // "Feature" is not in what is searched here
	{"name:B", "B"},
}

func TestFeatureFilters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			products := []*catalog.Product{{Code: "one", Name: "P"}, {Code: "other", Name: "P"}}
			for _, p := range products {
				must(store.Products.Insert(ctx, tx, p))
			}
			for i, kind := range []catalog.FeatureKind{catalog.Boolean, catalog.Quantity, catalog.Value} {
				f := catalog.Feature{ProductID: products[i/2].ID, Code: []string{"x", "y", "z"}[i], Name: string(rune('A' + i)), Kind: kind, IsProvisioned: i == 1}
				must(store.Features.Insert(ctx, tx, &f))
			}
		})
		for _, c := range featureFilters {
			checkFilter(t, s, store.Features, c.text, c.want, func(f *catalog.Feature) string { return f.Name })
		}
	})
}

// TestAuditFilters finds entries by an exact text, a number and a time that
// have no other table's shape.
func TestAuditFilters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			for i, action := range []string{"planCreate", "planUpdate", "planDelete"} {
				must(store.AuditEntries.Insert(ctx, tx, &billing.AuditEntry{
					At: tx.Now.Add(time.Duration(i) * time.Hour), Actor: "ada", Action: action, SubjectType: "plan", SubjectID: int64(40 + i),
				}))
			}
		})
		for _, c := range []struct{ text, want string }{
			{"action:planUpdate", "planUpdate"},
			{"actor:ada subjectType:plan", "planCreate planUpdate planDelete"},
			{"subjectId:>=41", "planUpdate planDelete"},
			{"at:>2026-01-15T12:00:00Z", "planUpdate planDelete"},
			{"created:<2026-01-15T13:00:00Z", "planCreate"},
			{"42", "planDelete"},
			{"PLAND", "planDelete"},
		} {
			checkFilter(t, s, store.AuditEntries, c.text, c.want, func(e *billing.AuditEntry) string { return e.Action })
		}
	})
}

// TestFilterProblems shows that a filter nobody can mean is explained to the
// caller, whose fault it is, and names the field.
func TestFilterProblems(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		for _, one := range []struct{ text, want string }{
			{"color:red", `"color"`},
			{"ID:1", `"ID"`},
			{"id:one", "id"},
			{"id:1.5", "id"},
			{"id:9223372036854775808", "id"},
			{"isProvisioned:yes", "isProvisioned"},
			{"isProvisioned:>true", "isProvisioned"},
			{"kind:round", "kind"},
			{"kind:<value", "kind"},
			{"code:>x", "code"},
			{"name:<=x", "name"},
			{"product:>1", "product"},
			{"created:today", "created"},
			{"created:2026-02-30", "created"},
			{"created:2026-02-01T25:00:00Z", "created"},
		} {
			f := filter(t, one.text)
			_, listErr := store.Features.List(t.Context(), s.Queries(), store.Page{Filter: f, Limit: 1})
			_, countErr := store.Features.Count(t.Context(), s.Queries(), f)
			_, nestedErr := store.FeaturesOf(t.Context(), s.Queries(), []billing.ProductID{1}, f)
			for _, err := range []error{listErr, countErr, nestedErr} {
				var problem *billing.Error
				if !errors.As(err, &problem) {
					t.Errorf("%s: %v is no problem for the caller", one.text, err)
					continue
				}
				if problem.Code != billing.Invalid || !slices.Equal(problem.Field, []string{"filter"}) || !strings.Contains(problem.Message, one.want) {
					t.Errorf("%s: %s %v %q", one.text, problem.Code, problem.Field, problem.Message)
				}
			}
		}
	})
}

// TestFilterValuesAreNoText shows that another value makes no other statement:
// each would stay compiled and take the place of one that is used again.
func TestFilterValuesAreNoText(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	for _, text := range []string{"id:>%d", "code:c%d", "name:n%d*", "word%d", "product:%d", "product:p%d", "created:>=2026-01-%02d"} {
		listed(t, s, store.Features, filter(t, fmt.Sprintf(text, 1)))
		before := s.Prepared()
		listed(t, s, store.Features, filter(t, fmt.Sprintf(text, 2)))
		same(t, "statements more for another "+text, s.Prepared()-before, 0)
	}
}
