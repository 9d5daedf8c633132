package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

// mostKinds is up to how many kinds of entries are looked up one by one. What
// more of them have in common is soon found without.
const mostKinds = 1000

// auditSearch is a filter of the audit log in terms of what indexes know. The
// kind of an entry is who did what to which type of thing: there are few kinds,
// and the entries of each are in the order of ids, as those of each subject are.
type auditSearch struct {
	filter billing.Filter
	// ofKind are the terms that kinds decide, others the rest of them but for
	// the subject, which may be named or compared.
	ofKind, others []billing.Term
	named          []int64
	compared       bool
	// words are those of the filter with the customers they name; crowd says
	// that these are too many.
	words []*auditWord
	crowd bool
	// ids are the words that may also be the id of a subject.
	ids []int64
	// kinds are those whose entries all match, whatever their subject is;
	// there are too many to look up if tooMany says so.
	kinds   []int64
	tooMany bool
}

// kindColumns are the fields of a filter that kinds decide.
var kindColumns = map[string]string{"actor": "actor", "action": "action", "subjectType": "subject_type"}

func searchAudit(ctx context.Context, q Queries, filter billing.Filter) (*auditSearch, error) {
	if _, err := AuditEntries.selection(ctx, q, filter); err != nil {
		return nil, err // it has something that no list understands
	}
	f := &auditSearch{filter: filter}
	for _, term := range filter.Terms {
		switch {
		case kindColumns[term.Field] != "":
			f.ofKind = append(f.ofKind, term)
		case term.Field != "subjectId":
			f.others = append(f.others, term)
		case term.Op == billing.Equal:
			id, err := strconv.ParseInt(term.Value, 10, 64)
			if err != nil {
				return nil, err
			}
			f.named = append(f.named, id)
		default:
			f.compared = true
		}
	}
	for _, word := range filter.Words {
		if id, is := subjectNamed(billing.Fold(word)); is {
			f.ids = append(f.ids, id)
		}
	}
	if err := f.nameCustomers(ctx, q); err != nil {
		return nil, err
	}
	if f.named != nil || f.compared || f.all() {
		return f, nil
	}
	return f, f.findKinds(ctx, q)
}

// all says that nothing but times and ids is asked for.
func (f *auditSearch) all() bool {
	return len(f.filter.Words)+len(f.ofKind)+len(f.named) == 0 && !f.compared
}

// walks says that entries are looked at that do not match.
func (f *auditSearch) walks() bool { return f.named == nil && (f.compared || f.tooMany) }

// ofAKind is what a kind is. It may be there twice, if two replicas wrote the
// first entries of it at once.
const ofAKind = "actor, action, subject_type"

func (f *auditSearch) findKinds(ctx context.Context, q Queries) error {
	s := &db.Select{}
	f.matchKinds(s, q.Dialect)
	text := fmt.Sprintf("SELECT min(id) FROM audit_kind%s GROUP BY %s LIMIT %d", s.Clause(), ofAKind, mostKinds+1)
	err := q.Each(ctx, text, s.Args, column.Collect(&f.kinds))
	f.tooMany = len(f.kinds) > mostKinds
	return err
}

// matchKinds keeps the kinds that the filter means.
func (f *auditSearch) matchKinds(s *db.Select, d *db.Dialect) {
	for _, term := range f.ofKind {
		s.Where("audit_kind."+kindColumns[term.Field]+" = %s", term.Value)
	}
	for _, word := range f.filter.Words {
		s.Where(d.Position+"(audit_kind.search, CAST(%s AS TEXT)) > 0", billing.Fold(word))
	}
}

// first returns the first entries that match.
func (f *auditSearch) first(ctx context.Context, q Queries, within search.Bounds, limit int, backwards bool) (ids []int64, err error) {
	if len(f.kinds) > 0 {
		s, err := f.ofKinds(ctx, q)
		if err != nil {
			return nil, err
		}
		if ids, err = s.Merge(ctx, q, f.kinds, within, limit, backwards); err != nil {
			return nil, err
		}
	}
	subjects := slices.Sorted(slices.Values(f.ids))
	if f.named != nil {
		if subjects = f.oneNamed(); subjects == nil {
			return nil, nil
		}
	}
	if len(subjects) > 0 {
		s, err := f.ofSubjects(ctx, q)
		if err != nil {
			return nil, err
		}
		more, err := s.Merge(ctx, q, slices.Compact(subjects), within, limit, backwards)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	if f.named == nil {
		more, err := f.firstOfCustomers(ctx, q, within, limit, backwards)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	ids = search.InOrder(ids, backwards)
	return ids[:min(len(ids), limit)], nil
}

// oneNamed is the subject that terms name, nil if they name several: an entry
// has one only.
func (f *auditSearch) oneNamed() []int64 {
	for _, id := range f.named {
		if id != f.named[0] {
			return nil
		}
	}
	return f.named[:1]
}

// ofKinds are the entries of kinds.
func (f *auditSearch) ofKinds(ctx context.Context, q Queries) (*search.Ranges, error) {
	rest, err := AuditEntries.selection(ctx, q, billing.Filter{Terms: f.others})
	if err != nil {
		return nil, err
	}
	return &search.Ranges{
		From: "json_each(%s) AS wanted JOIN audit_kind ON audit_kind.id = wanted.value", Number: "audit_kind.id", Table: "audit_entry",
		Columns: []string{"actor", "action", "subject_type"}, Keys: []string{"audit_kind.actor", "audit_kind.action", "audit_kind.subject_type"},
		Rest: rest.Select,
	}, nil
}

// ofSubjects are the entries of subjects that match, whatever their type is.
func (f *auditSearch) ofSubjects(ctx context.Context, q Queries) (*search.Ranges, error) {
	terms := slices.Clone(f.others)
	for _, term := range f.filter.Terms {
		if term.Field == "subjectId" && term.Op != billing.Equal {
			terms = append(terms, term)
		}
	}
	rest, err := AuditEntries.selection(ctx, q, billing.Filter{Terms: terms})
	if err != nil {
		return nil, err
	}
	f.matchWords(&rest.Select, q.Dialect)
	for _, term := range f.ofKind {
		// "|| ''" keeps PostgreSQL from beginning with these.
		rest.Where("audit_entry."+kindColumns[term.Field]+" || '' = %s", term.Value)
	}
	return &search.Ranges{
		From: "json_each(%s) AS wanted CROSS JOIN (SELECT DISTINCT subject_type FROM audit_kind) AS known", Number: "wanted.value", Table: "audit_entry",
		Columns: []string{"subject_type", "subject_id"}, Keys: []string{"known.subject_type", "wanted.value"}, Rest: rest.Select,
	}, nil
}

// selection is what the filter means without the help of an index.
func (f *auditSearch) selection(ctx context.Context, q Queries) (*search.Query, error) {
	s, err := AuditEntries.selection(ctx, q, billing.Filter{Terms: f.filter.Terms})
	if err == nil {
		f.matchWords(&s.Select, q.Dialect)
	}
	return s, err
}

// CountAudit returns how many entries match the filter. Those of kinds and of a
// subject are counted by their indexes, if nothing is in both.
func CountAudit(ctx context.Context, q Queries, filter billing.Filter) (int, error) {
	f, err := searchAudit(ctx, q, filter)
	if err != nil {
		return 0, err
	}
	within, err := auditBounds(ctx, q, filter)
	if err != nil {
		return 0, err
	}
	var s *search.Ranges
	numbers := f.kinds
	switch {
	case f.named != nil:
		numbers = f.oneNamed()
		s, err = f.ofSubjects(ctx, q)
	case f.all() || f.walks() || len(f.ids) > 0:
		return f.countWhole(ctx, q, within)
	default:
		s, err = f.ofKinds(ctx, q)
	}
	if err != nil {
		return 0, err
	}
	count := 0
	if len(numbers) > 0 {
		if count, err = s.Count(ctx, q, numbers, within); err != nil {
			return 0, err
		}
	}
	if f.named != nil {
		return count, nil
	}
	more, err := f.countOfCustomers(ctx, q, within)
	return count + more, err
}

func (f *auditSearch) countWhole(ctx context.Context, q Queries, within search.Bounds) (int, error) {
	s, err := f.selection(ctx, q)
	if err != nil {
		return 0, err
	}
	s.Where("audit_entry.id > %s", within.Low)
	s.Where("audit_entry.id < %s", within.High)
	return q.Number(ctx, "SELECT count(*) FROM "+s.From+s.Clause(), s.Args...)
}
