package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

const (
	// MostCustomers is up to how many accounts a word may name for what was
	// done to them to be found by it.
	MostCustomers = 100
	// mostSubjects is how many things of one type are looked up of the accounts
	// that a word names.
	mostSubjects = 1000
	// mostNaming is up to how many words are looked up one by one.
	mostNaming = 8
)

// ofCustomers are the types of subjects that belong to an account, and how those
// of some accounts are found.
var ofCustomers = []struct{ subject, table, account string }{
	{"Account", "account", "id"}, {"Contact", "contact", "account_id"}, {"Tenant", "tenant", "account_id"}, {"Subscription", "subscription", "account_id"},
}

// auditWord is a word of a filter with what it names: an entry has the word if
// the account of its subject has it in its name, its code or the address of a
// contact.
type auditWord struct {
	text     string
	accounts []int64
	crowded  bool // too many accounts have it to look at each
	// subjects are in the order of ofCustomers, nil if there are none.
	subjects [][]int64
}

// nameCustomers looks the words up in the accounts. What is done to a customer is
// found by any word of it that few have; what many have is then looked for among
// those.
func (f *auditSearch) nameCustomers(ctx context.Context, q Queries) error {
	for _, word := range f.filter.Words {
		f.words = append(f.words, &auditWord{text: billing.Fold(word)})
	}
	var named []int64
	crowded := 0
	for _, w := range f.words {
		ids, err := accountsNamed(ctx, q, w.text)
		if err != nil {
			return err
		}
		if w.crowded = len(ids) > MostCustomers || len(f.words) > mostNaming; w.crowded {
			crowded++
			continue
		}
		w.accounts, named = ids, append(named, ids...)
	}
	if crowded == len(f.words) && crowded > 1 {
		// All of them together may name few.
		ids, err := accountsNamed(ctx, q, f.filter.Words...)
		if err != nil {
			return err
		}
		if len(ids) <= MostCustomers {
			named = ids
		}
	}
	f.crowd = crowded > 0 && len(named) == 0
	for _, w := range f.words {
		if err := w.find(ctx, q, named); err != nil {
			return err
		}
	}
	return nil
}

// accountsNamed returns the accounts that have all words, one more than may be
// meant if there are more.
func accountsNamed(ctx context.Context, q Queries, words ...string) (ids []int64, err error) {
	rows, err := Accounts.List(ctx, q, Page{Filter: billing.Filter{Words: words}, Limit: MostCustomers + 1, Only: []string{"id"}})
	for i := range rows {
		ids = append(ids, int64(rows[i].ID))
	}
	return ids, err
}

// find looks up the subjects that the word names. One that many accounts have is
// looked for among those that other words name.
func (w *auditWord) find(ctx context.Context, q Queries, named []int64) error {
	if w.crowded && len(named) > 0 {
		s := &db.Select{}
		s.WhereIn("account.id", db.JSONList(named))
		s.Where(q.Dialect.Position+"(account.search, CAST(%s AS TEXT)) > 0", w.text)
		if err := q.Each(ctx, "SELECT id FROM account"+s.Clause(), s.Args, column.Collect(&w.accounts)); err != nil {
			return err
		}
	}
	if len(w.accounts) == 0 {
		return nil
	}
	w.subjects = make([][]int64, len(ofCustomers))
	for i, of := range ofCustomers {
		// In no order: an engine would read another index for the sake of it.
		text := fmt.Sprintf("SELECT %s.id FROM json_each(CAST($1 AS TEXT)) AS wanted JOIN %s ON %s.%s = wanted.value LIMIT %d", of.table, of.table, of.table, of.account, mostSubjects)
		if err := q.Each(ctx, text, []any{db.JSONList(w.accounts)}, column.Collect(&w.subjects[i])); err != nil {
			return err
		}
	}
	return nil
}

// matchWords keeps the entries that have every word: in their kind, as the id of
// their subject, or as what names the customer of it.
func (f *auditSearch) matchWords(s *db.Select, d *db.Dialect) {
	for _, w := range f.words {
		at := len(s.Conditions)
		matchAuditWord(s, d, w.text)
		either := []string{s.Conditions[at]}
		for i, ids := range w.subjects {
			if len(ids) > 0 {
				either = append(either, s.Condition("audit_entry.subject_type = '"+ofCustomers[i].subject+"' AND audit_entry.subject_id IN (SELECT value FROM json_each(CAST(%s AS TEXT)))", db.JSONList(ids)))
			}
		}
		s.Conditions[at] = "(" + strings.Join(either, " OR ") + ")"
	}
}

// subjectsNamed are the subjects of a type that any of the words names.
func (f *auditSearch) subjectsNamed(ofType int) (ids []int64) {
	for _, w := range f.words {
		if w.subjects != nil {
			ids = append(ids, w.subjects[ofType]...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ofCustomer are the entries of subjects of one type that match.
func (f *auditSearch) ofCustomer(ctx context.Context, q Queries, ofType int) (*search.Ranges, error) {
	s, err := f.ofSubjects(ctx, q)
	if err != nil {
		return nil, err
	}
	s.From = "json_each(%s) AS wanted"
	s.Keys = []string{"'" + ofCustomers[ofType].subject + "'", "wanted.value"}
	return s, nil
}

// firstOfCustomers returns the first entries of customers that match.
func (f *auditSearch) firstOfCustomers(ctx context.Context, q Queries, within search.Bounds, limit int, backwards bool) (ids []int64, err error) {
	for i := range ofCustomers {
		subjects := f.subjectsNamed(i)
		if len(subjects) == 0 {
			continue
		}
		s, err := f.ofCustomer(ctx, q, i)
		if err != nil {
			return nil, err
		}
		more, err := s.Merge(ctx, q, subjects, within, limit, backwards)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return ids, nil
}

// countOfCustomers counts the entries of customers that match, but for those
// whose kind has every word.
func (f *auditSearch) countOfCustomers(ctx context.Context, q Queries, within search.Bounds) (n int, err error) {
	for i := range ofCustomers {
		subjects := f.subjectsNamed(i)
		if len(subjects) == 0 {
			continue
		}
		s, err := f.ofCustomer(ctx, q, i)
		if err != nil {
			return 0, err
		}
		var inKind []string
		for _, w := range f.words {
			inKind = append(inKind, s.Rest.Condition(q.Dialect.Position+"(rtrim(audit_entry.search, '"+idSigns+"'), CAST(%s AS TEXT)) > 0", w.text))
		}
		s.Rest.Conditions = append(s.Rest.Conditions, "NOT ("+strings.Join(inKind, " AND ")+")")
		more, err := s.Count(ctx, q, subjects, within)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}

// AuditCrowd reports whether words of a filter name so many customers that what
// was done to these is not found by it.
func AuditCrowd(ctx context.Context, q Queries, filter billing.Filter) (bool, error) {
	f := &auditSearch{filter: filter}
	err := f.nameCustomers(ctx, q)
	return f.crowd, err
}
