package invoicing

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/store"
)

// tellExpiries tells customers on real time that their payment methods expire soon, once a
// day, at the time of day at which reminders are sent. It returns how many were told.
func (s *Service) tellExpiries(ctx context.Context, now time.Time, sellers *sellers, zone *time.Location) (told int, err error) {
	today := billing.DateOf(now, zone)
	if today == s.expiriesTold || len(sellers.Entities) == 0 || now.Before(sellers.Entities[0].CollectionMoment(today, zone)) {
		return 0, nil
	}
	if wanted, err := mailing.Wanted(ctx, s.Read(), nil); err != nil || !wanted {
		return 0, err
	}
	if told, err = s.tellExpiriesOn(ctx, nil, today); err == nil && told == 0 {
		s.expiriesTold = today
	}
	return told, err
}

// tellExpiriesOnClock does so on a test clock, by the time that it shows.
func (s *Service) tellExpiriesOnClock(ctx context.Context, id billing.TestClockID) (told int, err error) {
	now, zone, err := timeOn(ctx, s.Read(), id)
	if err != nil {
		return 0, err
	}
	return s.tellExpiriesOn(ctx, &id, billing.DateOf(now, zone))
}

// timeOn is the time that a test clock shows, zero if it is gone, and the zone of days.
func timeOn(ctx context.Context, q store.Queries, id billing.TestClockID) (now time.Time, zone *time.Location, err error) {
	if zone, err = calendar.ZoneOf(ctx, q); err != nil {
		return now, nil, err
	}
	c, err := store.TestClocks.Get(ctx, q, id)
	if c != nil {
		now = c.Now
	}
	return now, zone, err
}

// noMonth is after all months.
const noMonth = "9999-12"

func lastNotice() int { return collect.ExpiryNotices[len(collect.ExpiryNotices)-1] }

func month(d billing.Date) string { return d.String()[:len("2006-01")] }

// tellExpiriesOn tells of the payment methods whose notices are due on a day, at most a
// batch of them. Those that expire first come first.
func (s *Service) tellExpiriesOn(ctx context.Context, clock *billing.TestClockID, today billing.Date) (told int, err error) {
	for n := len(collect.ExpiryNotices) - 1; n >= 0 && told == 0; n-- {
		days := collect.ExpiryNotices[n]
		// The last month that ends within so many days.
		through := today.AddDays(days + 1)
		through.Day = 1
		due, err := store.MethodsThatExpire(ctx, s.Read(), clock, month(today), month(through.AddDays(-1)), days, s.Batch)
		if err != nil || len(due) == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		if told, err = s.tellExpiry(ctx, clock, due); err != nil {
			return told, err
		}
	}
	return told, nil
}

// tellExpiry writes the messages about payment methods, in one transaction that notes that
// it has.
func (s *Service) tellExpiry(ctx context.Context, clock *billing.TestClockID, due []collect.Method) (told int, err error) {
	var accounts []billing.AccountID
	for n := range due {
		accounts = append(accounts, due[n].AccountID)
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		told = 0
		r, at, err := booksOf(ctx, tx, accounts, clock, store.LockAccounts)
		if err != nil {
			return err
		}
		var notes []mailing.Note
		for n := range due {
			m, err := store.PaymentMethods.Get(ctx, tx.Queries, due[n].ID)
			if err != nil {
				return err
			}
			b := at[due[n].AccountID]
			if m == nil || b == nil {
				continue
			}
			days, still := m.ExpiryNotice(r.cal.Today)
			if !still || b.PaymentMethodID == nil || *b.PaymentMethodID != m.ID {
				continue // somebody was quicker
			}
			m.ExpiryTold = &days
			if err := store.PaymentMethods.Update(ctx, tx, m); err != nil {
				return err
			}
			if told++; b.Entity != nil {
				notes = append(notes, expiryNote(b, m, r.cal.Today))
			}
		}
		return mailing.Record(ctx, tx, r.sellers.Templates, r.cal.Now, notes)
	})
	return told, err
}

func expiryNote(b *book, m *collect.Method, today billing.Date) mailing.Note {
	last, _ := m.LastDay()
	return mailing.Note{
		Account: b.Account.Account, Entity: b.Entity, Template: mail.MethodExpires, PaymentMethodID: &m.ID,
		Facts: mail.Facts{Method: methodText(b, m), MethodExpires: (*m.Expires)[5:] + "/" + (*m.Expires)[:4], DaysLeft: today.DaysUntil(last)},
	}
}

// nextExpiryOnClock is when a customer on a test clock is told next that a payment method
// expires, and whether one is.
func (s *Service) nextExpiryOnClock(ctx context.Context, tx *store.Tx, clock billing.TestClockID) (next time.Time, some bool, err error) {
	now, zone, err := timeOn(ctx, tx.Queries, clock)
	if err != nil {
		return next, false, err
	}
	known, err := store.MethodsThatExpire(ctx, tx.Queries, &clock, month(billing.DateOf(now, zone)), noMonth, lastNotice(), s.Batch)
	for n := range known {
		last, _ := known[n].LastDay()
		for _, days := range collect.ExpiryNotices {
			if told := known[n].ExpiryTold; told != nil && *told <= days {
				continue
			}
			at := last.AddDays(-days).Start(zone)
			if at.Before(now) {
				at = now // it was missed
			}
			next, some = sooner(at, next), true
			break
		}
	}
	return next, some, err
}
