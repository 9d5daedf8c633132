package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// ListAudit is AuditEntries.List that looks at about most entries and no more.
// Words, actors and actions of the audit log have no index: that would make
// every mutation a third dearer. It returns how far it looked: rest is the entry
// to go on behind, 0 if there is nothing beyond. Times become bounds of ids
// first, because entries are as good as in the order of time.
func ListAudit(ctx context.Context, q Queries, p Page, most int) (rows []billing.AuditEntry, rest int64, err error) {
	low, high, err := auditBounds(ctx, q, p.Filter)
	if err != nil {
		return nil, 0, err
	}
	if p.After > 0 && p.Backwards {
		high = min(high, p.After)
	} else if p.After > 0 {
		low = max(low, p.After)
	}
	if p.After = low; p.Backwards {
		p.After = high
	}
	if auditIsIndexed(p.Filter) {
		rows, err = AuditEntries.List(ctx, q, p)
		return rows, 0, err
	}
	edge, term := low+int64(most), billing.Term{Field: "id", Op: billing.LessEqual}
	more := edge < high-1
	if p.Backwards {
		edge, term.Op = high-int64(most), billing.GreaterEqual
		more = edge > low+1
	}
	if more {
		term.Value = strconv.FormatInt(edge, 10)
		p.Filter.Terms = append(slices.Clone(p.Filter.Terms), term)
	}
	rows, err = AuditEntries.List(ctx, q, p)
	if more && len(rows) < p.Limit {
		rest = edge
	}
	return rows, rest, err
}

// auditIsIndexed says whether a page is found without looking at much else:
// everything matches, or an index knows what does.
func auditIsIndexed(f billing.Filter) bool {
	if len(f.Words) > 0 {
		return false
	}
	subject := 0
	for _, term := range f.Terms {
		switch {
		case term.Op == billing.Equal && (term.Field == "subjectType" || term.Field == "subjectId"):
			subject++
		case term.Field == "actor" || term.Field == "action" || term.Field == "subjectId" || term.Field == "subjectType":
			return false
		}
	}
	return subject != 1 // of one without the other there may be few
}

// auditBounds are the ids between which the entries are that a filter's times
// allow, both excluded.
func auditBounds(ctx context.Context, q Queries, f billing.Filter) (low, high int64, err error) {
	var first, last int64
	if _, err := q.one(ctx, `SELECT COALESCE((SELECT min(id) FROM audit_entry), 0), COALESCE((SELECT max(id) FROM audit_entry), 0)`, nil, &first, &last); err != nil {
		return 0, 0, err
	}
	low, high = first-1, last+1
	for _, term := range f.Terms {
		if term.Field != "at" && term.Field != "created" {
			continue
		}
		from, to, err := momentRange(term)
		if err != nil {
			return 0, 0, err
		}
		if !from.IsZero() {
			id, err := auditIDAt(ctx, q, first, last, from.Add(-outOfOrder))
			if err != nil {
				return 0, 0, err
			}
			low = max(low, id-1)
		}
		if !to.IsZero() {
			id, err := auditIDAt(ctx, q, first, last, to.Add(outOfOrder))
			if err != nil {
				return 0, 0, err
			}
			high = min(high, id)
		}
	}
	return low, high, nil
}

// auditIDAt returns an id between the first and the last, or behind them, below
// which entries were made before a time and from which on not.
func auditIDAt(ctx context.Context, q Queries, first, last int64, t time.Time) (int64, error) {
	low, high := first, last+1
	for low < high {
		middle := low + (high-low)/2
		var id, at int64
		found, err := q.one(ctx, `SELECT id, at FROM audit_entry WHERE id >= $1 ORDER BY id LIMIT 1`, []any{middle}, &id, &at)
		if err != nil {
			return 0, err
		}
		if !found || at >= t.UnixMilli() {
			high = middle
		} else {
			low = id + 1
		}
	}
	return low, nil
}
