package store_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// customer is an account with the things that belong to it, by type.
type customer struct {
	texts    []string
	subjects map[string][]int64
}

// saveCustomers adds some customers with things of their own, and a crowd that
// has a word in common with them.
func saveCustomers(t *testing.T, s *store.Store) (all []customer) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		all = nil
		platform, offer := m.platform().ID, m.offer()
		for i, name := range []string{"Nordwind GmbH", "Südwind GmbH", "Nordwind Cancel Bureau", "Harbour 7"} {
			account := m.account(name)
			email := fmt.Sprintf("kim%d@wind.example", i)
			c := customer{texts: []string{name, email}, subjects: map[string][]int64{"Account": {int64(account.ID)}}}
			c.subjects["Contact"] = []int64{int64(m.contact(account.ID, "Kim", &email).ID)}
			for range 3 {
				c.subjects["Tenant"] = append(c.subjects["Tenant"], int64(m.tenant(platform, account.ID).ID))
			}
			for range 20 * i { // more than are merged at once
				c.subjects["Subscription"] = append(c.subjects["Subscription"], int64(m.subscription(account.ID, offer).ID))
			}
			c.subjects["Subscription"] = append(c.subjects["Subscription"], int64(m.subscription(account.ID, offer).ID))
			all = append(all, c)
		}
		for i := range store.MostCustomers + 1 {
			m.account(fmt.Sprintf("Crowd GmbH %d", 1000+i))
			m.account(fmt.Sprintf("Many Brothers %d", 1000+i))
		}
		both := m.account("Brothers Olsen GmbH")
		all = append(all, customer{[]string{"Brothers Olsen GmbH"}, map[string][]int64{"Account": {int64(both.ID)}}})
	})
	return all
}

// saveDeeds adds entries about all that customers have, about others with the
// same ids, and by somebody with the name of a customer.
func saveDeeds(t *testing.T, s *store.Store, customers []customer) (rows []naive) {
	t.Helper()
	var all []*billing.AuditEntry
	of := map[*billing.AuditEntry][]string{}
	add := func(actor, action, subject string, id int64, texts []string) {
		at := time.Date(2026, 1, 1, len(all), 0, 0, 0, time.UTC)
		e := &billing.AuditEntry{At: at, Actor: actor, Action: action, SubjectType: subject, SubjectID: id, Detail: map[string]billing.Change{}}
		all, of[e] = append(all, e), texts
	}
	for round := range 3 {
		actor := []string{"client robot", "user harbour@example.com", "client 7"}[round]
		for _, c := range customers {
			for _, subject := range []string{"Account", "Contact", "Tenant", "Subscription"} {
				for _, id := range c.subjects[subject] {
					add(actor, map[bool]string{true: "thingUpdate", false: "thingCancel"}[id%2 == 0], subject, id, c.texts)
					add(actor, "featureUpdate", "Feature", id, nil)
				}
			}
		}
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.AuditEntries.InsertAll(ctx, tx, all)) })
	for _, e := range all {
		rows = append(rows, naive{
			id: int64(e.ID), texts: append([]string{e.Action, e.Actor, e.SubjectType}, of[e]...), whole: strconv.FormatInt(e.SubjectID, 10),
			exact:  map[string]*string{"actor": &e.Actor, "action": &e.Action, "subjectType": &e.SubjectType},
			number: map[string]int64{"id": int64(e.ID), "subjectId": e.SubjectID}, moment: map[string]time.Time{"at": e.At},
		})
	}
	return rows
}

// testAuditCustomers finds what was done to a customer and to all it has by its
// name, with whatever else is asked for.
func testAuditCustomers(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	rows := saveDeeds(t, s, saveCustomers(t, s))
	for _, text := range []string{
		"nordwind", "NORDWIND", "südwind", "nordwind cancel", "nordwind gmbh", `"nordwind gmbh"`, "nordwind gmbh cancel", "nordwind subscription", "nordwind harbour",
		"gmbh brothers", "gmbh südwind subscription", "harbour", "harbour 7", "7 harbour cancel", "wind", "wind.example", "kim2@", "kim nordwind", "nordwind nobody", "nordwind südwind",
		"nordwind action:thingCancel", `südwind actor:"client robot"`, "südwind subjectType:Subscription", "südwind subjectType:Subscription subjectId:5", "nordwind subjectId:1",
		"harbour subjectId:>40", "harbour subjectId:<=3 cancel", "wind at:<2026-01-05", "wind at:>=2026-01-12", "wind id:<=200", "harbour subjectId:7 7", "feature", "robot",
	} {
		f := filter(t, text)
		var want []int64
		for _, row := range rows {
			if row.matches(f) {
				want = append(want, row.id)
			}
		}
		same(t, fmt.Sprintf("the count of %q", text), got[int](t)(store.CountAudit(t.Context(), s.Queries(), f)), len(want))
		for _, page := range []store.Page{{Limit: 40}, {Limit: 70, Backwards: true}} {
			page.Filter = f
			found := goThrough(t, s, page, 200)
			if page.Backwards {
				slices.Reverse(found)
			}
			same(t, fmt.Sprintf("%q by %d, backwards %v", text, page.Limit, page.Backwards), found, want)
		}
		if crowd := got[bool](t)(store.AuditCrowd(t.Context(), s.Queries(), f)); crowd {
			t.Errorf("%q is said to name too many customers", text)
		}
	}
	for _, text := range []string{"gmbh", "update gmbh", "g"} {
		if !got[bool](t)(store.AuditCrowd(t.Context(), s.Queries(), filter(t, text))) {
			t.Errorf("%q names more customers than are looked at, and it is not said", text)
		}
	}
}
