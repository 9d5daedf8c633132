package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const auditSize = 600

// auditLog is a log of many kinds: a hundred programs, numbers in names, the
// same number as a subject and in an actor's name, and rare actions.
func auditLog() []billing.AuditEntry {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := make([]billing.AuditEntry, auditSize)
	for i := range all {
		all[i] = billing.AuditEntry{
			At: begin.Add(time.Duration(i)*time.Hour + time.Duration(i%3)*time.Minute), Detail: map[string]billing.Change{},
			Actor:  []string{"client 1", "user ann7@example.com", "user ZOÉ@example.com", fmt.Sprintf("client robot-%d", i*7%100)}[i%4],
			Action: []string{"accountCreate", "accountUpdate", "subscriptionCancel"}[i%3], SubjectType: []string{"Account", "Subscription"}[i/3%2], SubjectID: int64(i % 50),
		}
	}
	all[123].Action, all[124].Action = "platformDelete", "platformDelete"
	all[200].SubjectID, all[201].SubjectID, all[202].SubjectID = 1077, 77, 770
	all[300].Actor = "client 1077"
	return all
}

func saveAudit(t *testing.T, s *store.Store, all []billing.AuditEntry) []naive {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		some := all[:len(all)/2]
		for i := range some {
			must(store.AuditEntries.Insert(ctx, tx, &some[i]))
		}
		var many []*billing.AuditEntry
		for i := len(some); i < len(all); i++ {
			many = append(many, &all[i])
		}
		must(store.AuditEntries.InsertAll(ctx, tx, many))
		for _, text := range []string{
			"DELETE FROM audit_entry WHERE id > 60 AND id < 110", // ids need not be dense
			// Two replicas may both have written the first entry of a kind.
			"INSERT INTO audit_kind (actor, action, subject_type, search) SELECT actor, action, subject_type, search FROM audit_kind WHERE id % 3 = 0",
		} {
			_, err := store.Exec(ctx, tx, text)
			must(err)
		}
	})
	var rows []naive
	for i := range all {
		e := &all[i]
		if e.ID > 60 && e.ID < 110 {
			continue
		}
		rows = append(rows, naive{
			id: int64(e.ID), texts: []string{e.Action, e.Actor, e.SubjectType}, whole: strconv.FormatInt(e.SubjectID, 10),
			exact:  map[string]*string{"actor": &e.Actor, "action": &e.Action, "subjectType": &e.SubjectType},
			number: map[string]int64{"id": int64(e.ID), "subjectId": e.SubjectID}, moment: map[string]time.Time{"at": e.At, "created": e.At},
		})
	}
	return rows
}

// auditFilters are asked for as they are, and by twos and threes.
var auditFilters = []string{
	"", "ann", "ANN", "zoé", "cancel", "robot", "client", "platformDelete", "platformdelete", "nobody", `"user ann7@"`, `"client 1"`, `"create client"`, "e",
	"7", "77", "07", "1077", "1", "-7", "-", "robot-7", "account", "subscription", `actor:"client 1"`, "actor:client", "action:accountCreate", "action:platformDelete",
	"subjectType:Account", "subjectType:Nothing", "subjectId:7", "subjectId:1077", "subjectId:>40", "subjectId:<=1",
	"at:2026-01-03", "at:<2026-01-03", "at:>=2026-01-20", "at:>2026-01-05", "created:<2026-01-07", "created:2030-01-01", "at:<2000-01-01", "at:2026-01-06T03:00:00Z",
	"id:>500", "id:<=130", "id:124", "id:>=200", "id:<-5", "id:9223372036854775807",
}

// testAuditLog goes through the log in both directions in small steps, with
// every filter and with many together, and compares with what is there.
func testAuditLog(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	rows := saveAudit(t, s, auditLog())
	random := rand.New(rand.NewPCG(5, 12))
	texts := slices.Clone(auditFilters)
	for range 100 {
		some := make([]string, 2+random.IntN(2))
		for i := range some {
			some[i] = auditFilters[random.IntN(len(auditFilters))]
		}
		texts = append(texts, strings.Join(some, " "))
	}
	for _, text := range texts {
		f := filter(t, text)
		var want []int64
		for _, row := range rows {
			if row.matches(f) {
				want = append(want, row.id)
			}
		}
		same(t, fmt.Sprintf("the count of %q", text), got[int](t)(store.CountAudit(t.Context(), s.Queries(), f)), len(want))
		same(t, fmt.Sprintf("%q as any list", text), auditIDs(listed(t, s, store.AuditEntries, f)), want)
		for _, page := range []store.Page{{Limit: 5}, {Limit: 70}, {Limit: 5, Backwards: true}, {Limit: 70, Backwards: true}, {Limit: 1000, Backwards: true}} {
			page.Filter = f
			found := goThrough(t, s, page, 40)
			if page.Backwards {
				slices.Reverse(found)
			}
			same(t, fmt.Sprintf("%q by %d, backwards %v", text, page.Limit, page.Backwards), found, want)
		}
	}
	for _, text := range []string{"at:yesterday", "actor:>x", "subjectId:x", "id:x", "colour:red"} {
		if _, _, err := store.ListAudit(t.Context(), s.Queries(), store.Page{Filter: filter(t, text), Limit: 1}, 40); !billing.Is(err, billing.Invalid) {
			t.Errorf("%s gives %v", text, err)
		}
		if _, err := store.CountAudit(t.Context(), s.Queries(), filter(t, text)); !billing.Is(err, billing.Invalid) {
			t.Errorf("the count of %s gives %v", text, err)
		}
	}
}

// goThrough reads page after page.
func goThrough(t *testing.T, s *store.Store, ask store.Page, most int) (found []int64) {
	t.Helper()
	for step := 0; ; step++ {
		rows, rest, err := store.ListAudit(t.Context(), s.Queries(), ask, most)
		must(err)
		found = append(found, auditIDs(rows)...)
		if rest != 0 && len(rows) == ask.Limit {
			t.Errorf("%q: a full page ends with %d", ask.Filter, rest)
		}
		if ask.After = rest; rest == 0 {
			if len(rows) < ask.Limit {
				return found
			}
			ask.After = int64(rows[len(rows)-1].ID)
		}
		if step > 2*auditSize {
			t.Fatalf("%q does not come to an end", ask.Filter)
		}
	}
}

func auditIDs(rows []billing.AuditEntry) (all []int64) {
	for i := range rows {
		all = append(all, int64(rows[i].ID))
	}
	return all
}

// TestAuditStops has a word that so many kinds have that these are not looked
// up, and comparisons, that no index helps: a search stops after as many entries
// as it was told, says so, and goes on from there. One that an index helps never
// stops.
func TestAuditStops(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var all []*billing.AuditEntry
		for i := range store.MostKinds + 700 {
			e := &billing.AuditEntry{At: db.Clock.Now(), Actor: fmt.Sprintf("client crowd-%d", i), Action: "accountCreate", SubjectType: "Account", SubjectID: int64(i), Detail: map[string]billing.Change{}}
			if i > store.MostKinds+50 {
				e.Actor = "client other"
			}
			all = append(all, e)
		}
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.AuditEntries.InsertAll(ctx, tx, all)) })
		for text, stops := range map[string]bool{"crowd": true, "subjectId:<5": true, "subjectId:<5 crowd": true, "crowd-9": false, "subjectId:7 crowd": false, "actor:crowd": false, "nobody": false} {
			ask := store.Page{Filter: filter(t, text), Limit: 51, Backwards: true}
			rows, rest, err := store.ListAudit(t.Context(), s.Queries(), ask, 400)
			must(err)
			if stops != (rest == int64(all[len(all)-1].ID)+1-400) || !stops && rest != 0 || stops && len(rows) > 0 {
				t.Errorf("%q stops at %d with %d entries", text, rest, len(rows))
			}
			without, rest, err := store.ListAudit(t.Context(), s.Queries(), ask, 0)
			must(err)
			if rest != 0 {
				t.Errorf("%q without a bound stops at %d", text, rest)
			}
			same(t, text+" in steps", goThrough(t, s, ask, 400)[:len(without)], auditIDs(without))
		}
	})
}
