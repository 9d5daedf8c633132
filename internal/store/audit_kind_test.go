package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// kindsDiffer are kinds without entries, and entries whose kind is not there or
// has another text.
const kindsDiffer = `SELECT 'unused', actor, action, subject_type FROM audit_kind WHERE NOT EXISTS (SELECT 1 FROM audit_entry
		WHERE audit_entry.actor = audit_kind.actor AND audit_entry.action = audit_kind.action AND audit_entry.subject_type = audit_kind.subject_type)
	UNION ALL SELECT 'missing', actor, action, subject_type FROM audit_entry WHERE NOT EXISTS (SELECT 1 FROM audit_kind
		WHERE audit_entry.actor = audit_kind.actor AND audit_entry.action = audit_kind.action AND audit_entry.subject_type = audit_kind.subject_type
			AND audit_entry.search = audit_kind.search || CAST(audit_entry.subject_id AS TEXT))`

func checkKinds(t *testing.T, s *store.Store, want int) {
	t.Helper()
	same(t, "kinds and entries that differ", got[[]string](t)(store.Rows(t.Context(), s.Queries(), kindsDiffer)), []string(nil))
	same(t, "kinds", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT count(*) FROM (SELECT DISTINCT actor, action, subject_type FROM audit_kind) AS kinds")), []string{fmt.Sprint(want)})
}

// testAuditKinds has many write the first entries of the same kinds at once, in
// different orders, while others take theirs back: nobody waits
// for ever, every kind is there, and none without an entry.
func testAuditKinds(t *testing.T, db *storetest.Database) {
	replicas := []*store.Store{db.Open(t)}
	if db.Engine == "postgres" {
		replicas = append(replicas, db.Open(t))
	}
	entry := func(action int) *billing.AuditEntry {
		return &billing.AuditEntry{At: db.Clock.Now(), Actor: "Client 7", Action: fmt.Sprintf("action%d", action), SubjectType: "Account", SubjectID: -3, Detail: map[string]billing.Change{}}
	}
	back := errors.New("taken back")
	const writers, kinds = 12, 6
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			err := replicas[w%len(replicas)].Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
				for i := range kinds {
					action := (w + i) % kinds
					if w%4 == 3 {
						action = 100 + w // a kind that nobody else has
					}
					if err := store.AuditEntries.Insert(ctx, tx, entry(action)); err != nil {
						return err
					}
				}
				if w%2 == 1 {
					return back
				}
				return nil
			})
			if w%2 == 1 && !errors.Is(err, back) || w%2 == 0 && err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s := replicas[0]
	checkKinds(t, s, kinds)
	for text, want := range map[string]int{"action3": writers / 2, "client": kinds * writers / 2, "action103": 0, "-3 action3": writers / 2, "3": writers / 2} {
		rows, _, err := store.ListAudit(t.Context(), s.Queries(), store.Page{Filter: filter(t, text), Limit: 1000}, 10)
		must(err)
		same(t, "entries with "+text, len(rows), want)
	}
}
