package console_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestGivenUpIsTold lets an event fail until it is given up, and reads what each
// page says of it.
func TestGivenUpIsTold(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		r := s.receive()
		s.fill()
		s.settled("delivered")
		v := s.as(billing.Admin)
		v.wants(v.submit(v.get("/platforms/1/workflow"), workflowForm(r.url, "recipe.retryDelays", "1")...), 200, "Saved ")
		r.refuses.Store(true)
		v.wants(v.submit(v.get("/tenants/1/sync")), 200)
		const told = "1 event was given up after its last attempt."
		eventually(t, "the event to be given up", func() bool {
			s.clock.Advance(5 * time.Second)
			return strings.Contains(v.get("/").text(), told)
		})
		v.wants(v.get("/"), 200, told, `href="/events?state=exhausted"`, "1 tenant is out of sync, with no webhook waiting: its newest event was given up. Send its current state.")
		v.wants(v.get("/events?state=exhausted"), 200, "given up", "Acme Inc")
		given := s.newestEvent(1)
		v.wants(v.get(fmt.Sprintf("/events/%d", given.ID)), 200, "All attempts failed and it was given up. Resend it, or send the tenant's current state.", "come back later")
		v.wants(v.get("/tenants/1"), 200, "out of sync", "Nothing is waiting: the newest event was given up")

		v.wants(v.submit(v.get("/tenants/2/sync")), 200)
		eventually(t, "another event to be given up", func() bool {
			s.clock.Advance(5 * time.Second)
			return strings.Contains(v.get("/").text(), "2 events were given up after their last attempt.")
		})
		v.wants(v.get("/"), 200, "2 tenants are out of sync, with no webhooks waiting: their newest events were given up. Send their current state.")
		s.clock.Advance(time.Minute)
		if err := s.service.Delivery.CountEventDays(s.ctx, 24*time.Hour); err != nil {
			t.Fatal(err)
		}
		v.wants(v.get("/"), 200, "2 given up")
	})
}

// TestCountsHaveAnEnd has more than the first page counts of everything.
func TestCountsHaveAnEnd(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	s.fill()
	s.settled("delivered")
	s.multiply(10_100) // a half of them active
	s.change(`UPDATE webhook_stream SET delivered_sequence = 0 WHERE id > 1000`)
	s.change(`UPDATE webhook_delivery SET state = 'exhausted' WHERE stream_id BETWEEN 1001 AND 1101`)
	v := s.as(billing.Viewer)
	page := v.wants(v.get("/"), 200, "5,000+ active", "More than 5,000 tenants are out of sync, with no webhooks waiting", "More than 100 events were given up after their last attempt.")
	if strings.Contains(page.text(), "5,000+ canceled") {
		t.Error("more is counted than there is")
	}
	s.change(`UPDATE webhook_stream SET due_at = 9000000000000, attempts = 1 WHERE id > 1000`)
	v.wants(v.get("/"), 200, "More than 5,000 tenants are out of sync: the last attempt to notify their application failed.")
	s.change(`UPDATE webhook_stream SET attempts = 0 WHERE id > 1000`)
	v.wants(v.get("/"), 200, "More than 5,000 tenants are out of sync: webhooks are waiting.")
}

// change changes the database behind everybody's back.
func (s *site) change(text string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(s.database, "sqlite:")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(s.t.Context(), text); err != nil {
		s.t.Fatal(err)
	}
}
