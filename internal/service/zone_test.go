package service_test

import (
	"testing"
	"time"
)

// TestZones ends a term on days on which clocks change, in zones where that
// makes midnight come early, late, twice or not at all. The boundary is the
// first moment of the day.
func TestZones(t *testing.T) {
	each(t, func(w *world) {
		for _, c := range []struct {
			zone, today, start string
			boundary           string // in UTC
		}{
			// Summer time begins at 2 in the morning of the 29th, after midnight.
			{"Europe/Berlin", "2026-03-01 12:00", "2026-02-28", "2026-03-27 23:00"},
			{"Europe/Berlin", "2026-03-01 12:00", "2026-03-01", "2026-03-31 22:00"},
			{"Europe/Berlin", "2026-10-01 12:00", "2026-09-25", "2026-10-24 22:00"},
			{"Europe/Berlin", "2026-10-01 12:00", "2026-09-26", "2026-10-25 23:00"},
			// There was no midnight: clocks went from 23:59 on to 1:00.
			{"America/Sao_Paulo", "2018-10-10 12:00", "2018-10-04", "2018-11-04 03:00"},
			// Midnight was put off: clocks that reached it went back to 23:00.
			{"America/Sao_Paulo", "2018-02-01 12:00", "2018-01-18", "2018-02-18 03:00"},
			{"Asia/Kolkata", "2026-01-20 12:00", "2026-01-15", "2026-02-14 18:30"},
			{"Asia/Kathmandu", "2026-01-20 12:00", "2026-01-15", "2026-02-14 18:15"},
			// The island skipped 30 December 2011 altogether.
			{"Pacific/Apia", "2011-12-01 12:00", "2011-11-30", "2011-12-30 10:00"},
			{"Pacific/Kiritimati", "2026-01-20 12:00", "2026-01-15", "2026-02-14 10:00"},
		} {
			what := c.zone + " from " + c.start
			w.clock.Set(moment(c.today))
			w.ok(w.Calendar.SetTimeZone(w.ctx, c.zone))
			s := w.subscribe("basic-monthly", what, starting(c.start), withoutRenewal)
			boundary := moment(c.boundary)
			_, next, err := w.Subscriptions.RunDue(w.ctx, w.clock.Now())
			w.ok(err)
			w.same("the boundary in "+what, next.UTC(), boundary)
			w.clock.Set(boundary.Add(-time.Millisecond))
			w.runDue()
			w.same(what+" before", string(w.now(s).State), "ACTIVE")
			w.clock.Set(boundary)
			w.runDue()
			w.same(what+" after", string(w.now(s).State), "EXPIRED")
			w.same("the history of "+what, w.lastHistory(s.ID), "lifecycle state.changed ACTIVE>EXPIRED "+c.boundary)
		}
	})
}

// TestZoneChange moves what is to come with the operator's zone, and today.
func TestZoneChange(t *testing.T) {
	each(t, func(w *world) {
		s := w.subscribe("basic-monthly", "acme")
		for zone, boundary := range map[string]string{"Asia/Tokyo": "2026-02-14 15:00", "America/New_York": "2026-02-15 05:00", "UTC": "2026-02-15 00:00"} {
			w.ok(w.Calendar.SetTimeZone(w.ctx, zone))
			_, next, err := w.Subscriptions.RunDue(w.ctx, w.clock.Now())
			w.ok(err)
			w.same("the boundary in "+zone, next.UTC(), moment(boundary))
		}
		w.ok(w.Calendar.SetTimeZone(w.ctx, "Asia/Tokyo"))
		w.clock.Set(moment("2026-02-14 15:00"))
		w.runDue()
		w.told(*s.TenantID, "subscription.created", "subscription.renewed")
		w.same("a subscription from today on", w.subscribe("basic-monthly", "tokyo").StartDate, day("2026-02-15"))

		// Back in the west it is the 14th once more. Nothing is done again.
		w.ok(w.Calendar.SetTimeZone(w.ctx, "America/New_York"))
		w.runDue()
		w.told(*s.TenantID, "subscription.created", "subscription.renewed")
		w.same("a subscription from today on", w.subscribe("basic-monthly", "york").StartDate, day("2026-02-14"))

		for _, wrong := range []string{"", "Local", "Mars/Olympus"} {
			w.refused("the zone "+wrong, w.Calendar.SetTimeZone(w.ctx, wrong), "INVALID timeZone")
		}
		zone, err := w.Calendar.TimeZone(w.ctx)
		w.ok(err)
		w.same("the zone", zone.String(), "America/New_York")
		w.same("the audit entry", w.text(`SELECT count(*) FROM audit_entry WHERE action = 'timeZoneSet'`), "5")
	})
}
