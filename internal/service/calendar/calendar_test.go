package calendar_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestZones ends a term on days on which clocks change, in zones where that
// makes midnight come early, late, twice or not at all. The boundary is the
// first moment of the day.
func TestZones(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
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
			w.Clock.Set(servicetest.Moment(c.today))
			w.OK(w.Calendar.SetTimeZone(w.Ctx, c.zone))
			s := w.Subscribe("basic-monthly", what, servicetest.Starting(c.start), servicetest.WithoutRenewal)
			boundary := servicetest.Moment(c.boundary)
			_, next, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
			w.OK(err)
			w.Equal("the boundary in "+what, next.UTC(), boundary)
			w.Clock.Set(boundary.Add(-time.Millisecond))
			w.RunDue()
			w.Equal(what+" before", string(w.Now(s).State), "ACTIVE")
			w.Clock.Set(boundary)
			w.RunDue()
			w.Equal(what+" after", string(w.Now(s).State), "EXPIRED")
			w.Equal("the history of "+what, w.LastHistory(s.ID), "lifecycle state.changed ACTIVE>EXPIRED "+c.boundary)
		}
	})
}

// TestZoneChange moves what is to come with the operator's zone, and today.
func TestZoneChange(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		s := w.Subscribe("basic-monthly", "acme")
		for zone, boundary := range map[string]string{"Asia/Tokyo": "2026-02-14 15:00", "America/New_York": "2026-02-15 05:00", "UTC": "2026-02-15 00:00"} {
			w.OK(w.Calendar.SetTimeZone(w.Ctx, zone))
			_, next, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
			w.OK(err)
			w.Equal("the boundary in "+zone, next.UTC(), servicetest.Moment(boundary))
		}
		w.OK(w.Calendar.SetTimeZone(w.Ctx, "Asia/Tokyo"))
		w.Clock.Set(servicetest.Moment("2026-02-14 15:00"))
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")
		w.Equal("a subscription from today on", w.Subscribe("basic-monthly", "tokyo").StartDate, servicetest.Day("2026-02-15"))

		// Back in the west it is the 14th once more. Nothing is done again.
		w.OK(w.Calendar.SetTimeZone(w.Ctx, "America/New_York"))
		w.RunDue()
		w.WasTold(*s.TenantID, "subscription.created", "subscription.renewed")
		w.Equal("a subscription from today on", w.Subscribe("basic-monthly", "york").StartDate, servicetest.Day("2026-02-14"))

		for _, wrong := range []string{"", "Local", "Mars/Olympus"} {
			w.Refused("the zone "+wrong, w.Calendar.SetTimeZone(w.Ctx, wrong), "INVALID timeZone")
		}
		zone, err := w.Calendar.TimeZone(w.Ctx)
		w.OK(err)
		w.Equal("the zone", zone.String(), "America/New_York")
		w.Equal("the audit entry", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'timeZoneSet'`), "5")
	})
}
