package calendar

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Calendar is what day it is, for the account at hand.
type Calendar struct {
	zone *time.Location
	// Now is the time that the account lives in: its clock's, or the real one.
	Now   time.Time
	Today billing.Date
}

// Boundary is the moment at which a day begins.
func (c Calendar) Boundary(d billing.Date) time.Time { return d.Start(c.zone) }

// Zone is the operator's time zone.
func (c Calendar) Zone() *time.Location { return c.zone }

// In returns what day it is for accounts on a clock, or on real time if
// clock is nil, and keeps the clock there until the transaction ends. It fails if
// nobody knows the real time.
func In(ctx context.Context, tx *store.Tx, clock *billing.TestClockID) (Calendar, error) {
	zone, err := ZoneOf(ctx, tx.Queries)
	if err != nil {
		return Calendar{}, err
	}
	now := tx.Now
	if clock == nil && tx.Unsure {
		return Calendar{}, store.ErrUnsure
	}
	if clock != nil {
		var found bool
		if now, found, err = store.TestClockNow(ctx, tx, *clock); err == nil && !found {
			err = billing.Missing("", "test clock", *clock)
		}
		if err != nil {
			return Calendar{}, err
		}
	}
	return Calendar{zone: zone, Now: now, Today: billing.DateOf(now, zone)}, nil
}

// zones remembers those that were loaded: reading one takes longer than
// deciding about a subscription.
var zones sync.Map

func loadZone(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err == nil {
		zones.Store(name, zone)
	}
	return zone, err
}

// ZoneOf returns the operator's time zone.
func ZoneOf(ctx context.Context, q store.Queries) (*time.Location, error) {
	name, set, err := store.TimeZone(ctx, q)
	if err != nil || !set {
		return time.UTC, err
	}
	return loadZone(name)
}

// TimeZone returns the operator's time zone.
func (s *Service) TimeZone(ctx context.Context) (*time.Location, error) { return ZoneOf(ctx, s.Read()) }

// SetTimeZone makes days begin at the midnight of another zone. Due dates are
// dates, so everything to come moves with it.
func (s *Service) SetTimeZone(ctx context.Context, name string) error {
	zone, err := loadZone(name)
	if err != nil || name == "" || name == "Local" {
		return billing.Fail(billing.Invalid, "timeZone", "There is no time zone %q. Use a name such as Europe/Berlin or UTC.", name)
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		before, set, err := store.TimeZone(ctx, tx.Queries)
		if err != nil {
			return err
		}
		if !set {
			before = time.UTC.String()
		}
		if err := store.SetSetting(ctx, tx, store.TimeZoneSetting, zone.String()); err != nil {
			return err
		}
		changes := billing.Changes(map[string]string{"timeZone": before}, map[string]string{"timeZone": zone.String()})
		return operation.Audit(ctx, tx, "timeZoneSet", "setting", 0, changes)
	})
	s.Wake()
	return err
}
