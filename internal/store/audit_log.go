package store

import (
	"context"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/search"
)

// aFewEntries are looked at in less time than many kinds are looked up.
const aFewEntries = 500

// ListAudit is AuditEntries.List by the indexes of kinds and subjects. Where
// they do not help it looks at about most entries and no more, if most is not
// 0: if subjects are compared, and if very many kinds match. It returns how far
// it looked: rest is the entry to go on behind, 0 if there is nothing beyond.
// Times become bounds of ids first, because entries are as good as in the order
// of time.
func ListAudit(ctx context.Context, q Queries, p Page, most int) (rows []billing.AuditEntry, rest int64, err error) {
	f, err := searchAudit(ctx, q, p.Filter)
	if err != nil {
		return nil, 0, err
	}
	within, err := auditBounds(ctx, q, p.Filter)
	if err != nil {
		return nil, 0, err
	}
	if p.After > 0 && p.Backwards {
		within.High = min(within.High, p.After)
	} else if p.After > 0 {
		within.Low = max(within.Low, p.After)
	}
	if f.walks() || f.all() {
		if f.all() {
			most = 0
		}
		return f.walk(ctx, q, p, within, most)
	}
	if len(f.kinds) > search.MergedAtOnce {
		// What so many have in common is often among the first entries.
		if rows, _, err = f.walk(ctx, q, p, within, aFewEntries+p.Limit); err != nil || len(rows) == p.Limit {
			return rows, 0, err
		}
	}
	ids, err := f.first(ctx, q, within, p.Limit, p.Backwards)
	if err != nil || len(ids) == 0 {
		return []billing.AuditEntry{}, 0, err
	}
	found := make([]billing.AuditID, len(ids))
	for i, id := range ids {
		found[i] = billing.AuditID(id)
	}
	rows, err = AuditEntries.ByIDs(ctx, q, found)
	if p.Backwards {
		slices.Reverse(rows)
	}
	return rows, 0, err
}

// walk goes through the entries one by one, most of them if that is not 0.
func (f *auditSearch) walk(ctx context.Context, q Queries, p Page, within search.Bounds, most int) (rows []billing.AuditEntry, rest int64, err error) {
	edge := within.Low + int64(most)
	more := edge < within.High-1
	if p.Backwards {
		edge = within.High - int64(most)
		more = edge > within.Low+1
	}
	if more = more && most > 0; more && p.Backwards {
		within.Low = edge - 1
	} else if more {
		within.High = edge + 1
	}
	s, err := f.selection(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	s.Backwards = p.Backwards
	within.Narrow(&s.Select, s.Key)
	columns, scan := AuditEntries.Projection(p.Only)
	text := s.Page(q.Dialect, columns, p.Limit)
	rows, err = AuditEntries.rows(ctx, q, text, s.Args, min(p.Limit, 100), scan)
	if more && len(rows) < p.Limit {
		rest = edge
	}
	return rows, rest, err
}

// auditBounds are the ids between which the entries are that a filter's times
// and ids allow.
func auditBounds(ctx context.Context, q Queries, f billing.Filter) (within search.Bounds, err error) {
	first, last, err := ends(ctx, q, "audit_entry")
	if err != nil {
		return within, err
	}
	within = search.Bounds{Low: first - 1, High: last + 1}
	for _, term := range f.Terms {
		switch term.Field {
		case "id":
			err = narrowIDs(&within, term)
		case "at", "created":
			err = narrowTime(ctx, q, &within, "audit_entry", "at", term, first, last)
		}
		if err != nil {
			return within, err
		}
	}
	return within, nil
}

// narrowIDs keeps to the ids that a term wants.
func narrowIDs(b *search.Bounds, term billing.Term) error {
	id, err := strconv.ParseInt(term.Value, 10, 64)
	if err != nil {
		return err
	}
	id = min(max(id, b.Low), b.High) // there is nothing beyond
	switch term.Op {
	case billing.Greater:
		b.Low = id
	case billing.GreaterEqual:
		b.Low = max(b.Low, id-1)
	case billing.Less:
		b.High = id
	case billing.LessEqual:
		b.High = min(b.High, id+1)
	default:
		b.Low, b.High = max(b.Low, id-1), min(b.High, id+1)
	}
	return nil
}
