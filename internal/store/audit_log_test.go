package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testAuditLog goes through the log in both directions in small steps, and
// compares with a list that looks at everything.
func testAuditLog(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	const size, most, limit = 300, 40, 5
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for i := range size {
			e := &billing.AuditEntry{
				At: begin.Add(time.Duration(i)*time.Hour + time.Duration(i%3)*time.Minute), Actor: []string{"client 1", "user ann@example.com"}[i%2], Detail: map[string]billing.Change{},
				Action: []string{"accountCreate", "accountUpdate", "subscriptionCancel"}[i%3], SubjectType: []string{"Account", "Subscription"}[i/3%2], SubjectID: int64(i % 50),
			}
			if i == 123 {
				e.Action = "platformDelete"
			}
			must(store.AuditEntries.Insert(ctx, tx, e))
		}
		_, err := store.Exec(ctx, tx, "DELETE FROM audit_entry WHERE id > 60 AND id < 110") // ids need not be dense
		must(err)
	})
	for _, text := range []string{
		"", "ann", "cancel", "platformDelete", "nobody", "actor:\"client 1\"", "action:accountCreate ann", "subjectType:Account subjectId:7", "subjectId:7", "subjectType:Subscription",
		"at:2026-01-03", "at:<2026-01-03 ann", "at:>=2026-01-12", "at:>2026-01-05 at:<2026-01-07 cancel", "created:2030-01-01", "at:<2000-01-01 ann", "id:>200 cancel",
	} {
		for _, backwards := range []bool{false, true} {
			ask := store.Page{Filter: filter(t, text), Limit: size, Backwards: backwards}
			want := got[[]billing.AuditEntry](t)(store.AuditEntries.List(t.Context(), s.Queries(), ask))
			var found []billing.AuditEntry
			ask.Limit = limit
			for step := 0; ; step++ {
				rows, rest, err := store.ListAudit(t.Context(), s.Queries(), ask, most)
				must(err)
				found = append(found, rows...)
				for i := range rows {
					if rest != 0 && len(rows) == limit {
						t.Errorf("%q: a full page ends with %d", text, rest)
					}
					if far := int64(rows[i].ID) - ask.After; text == "ann" && backwards && ask.After > 0 && -far > most {
						t.Errorf("%q finds %d behind %d", text, rows[i].ID, ask.After)
					}
				}
				if ask.After = rest; rest == 0 {
					if len(rows) < limit {
						break
					}
					ask.After = int64(rows[limit-1].ID)
				}
				if step > size {
					t.Fatalf("%q does not come to an end", text)
				}
			}
			same(t, fmt.Sprintf("%q, backwards %v", text, backwards), ids(found), ids(want))
		}
	}
	_, _, err := store.ListAudit(t.Context(), s.Queries(), store.Page{Filter: filter(t, "at:yesterday"), Limit: 1}, most)
	if !billing.Is(err, billing.Invalid) {
		t.Errorf("a bad time gives %v", err)
	}
}

func ids(rows []billing.AuditEntry) (all []billing.AuditID) {
	for _, e := range rows {
		all = append(all, e.ID)
	}
	return slices.Clip(all)
}
