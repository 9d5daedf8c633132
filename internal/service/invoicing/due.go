package invoicing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// runBatch is how many accounts are billed in one transaction.
	runBatch = 64
	// runBusy is when to look again if others are at all that is due.
	runBusy = 50 * time.Millisecond
)

// RunDue bills the accounts on which something is due, at most a batch of them. It
// returns how many it looked at, and if none, when to look again: zero if nothing
// is to come. An error beside billed ones is about others.
func (s *Service) RunDue(ctx context.Context, now time.Time) (looked int, next time.Time, err error) {
	sellers, err := loadSellers(ctx, s.Read())
	if err != nil {
		return 0, time.Time{}, err
	}
	zone, err := calendar.ZoneOf(ctx, s.Read())
	if err != nil {
		return 0, time.Time{}, err
	}
	schedules := sellers.schedules(now, zone)
	if len(schedules) == 0 {
		return 0, time.Time{}, nil
	}
	if err := s.retry(ctx, now, sellers); err != nil {
		return 0, time.Time{}, err
	}
	if err := s.dunAgain(ctx, now, sellers, zone); err != nil {
		return 0, time.Time{}, err
	}
	looked, err = s.runReal(ctx, now, schedules)
	clocks, clockErr := s.runClocks(ctx, zone)
	dunned, dunErr := s.dunDue(ctx, now, sellers, zone)
	told, toldErr := s.tellExpiries(ctx, now, sellers, zone)
	looked, err = looked+clocks+dunned+told, errors.Join(err, clockErr, dunErr, toldErr)
	if looked > 0 || err != nil {
		return looked, time.Time{}, err
	}
	if next, err = s.next(ctx, now, schedules); err != nil {
		return 0, next, err
	}
	dun, err := s.nextDunning(ctx, now, sellers, zone)
	if !dun.IsZero() {
		next = sooner(dun, next)
	}
	return 0, next, err
}

// next is when there is something to look at again; zero if nothing is to come.
func (s *Service) next(ctx context.Context, now time.Time, schedules []*schedule) (next time.Time, err error) {
	for _, group := range schedules {
		day, found, err := store.NextToBill(ctx, s.Read(), group.entities)
		if err != nil {
			return time.Time{}, err
		}
		switch {
		case !found:
		case group.through != nil && !day.After(*group.through):
			next = sooner(now.Add(runBusy), next) // others are at it
		default:
			next = sooner(group.moment(day), next)
		}
	}
	return next, nil
}

func sooner(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// retry has accounts looked at again that were set aside or have drafts, if an entity
// or a tax rate was changed since the last time, and when the process starts: then
// only drafts that are older than the last such change.
func (s *Service) retry(ctx context.Context, now time.Time, sellers *sellers) error {
	version := sellers.version()
	if version == s.retried {
		return nil
	}
	err := s.inBatches(ctx, lookAgain, func(after billing.AccountID) ([]billing.AccountID, error) {
		return store.AccountsWithBillingProblem(ctx, s.Read(), after, maxRetries)
	})
	if err != nil {
		return err
	}
	written := now
	if s.retried == 0 {
		written = sellers.changedAt()
	}
	err = s.inBatches(ctx, store.RenewDrafts, func(after billing.AccountID) ([]billing.AccountID, error) {
		return store.AccountsWithDrafts(ctx, s.Read(), written, after, maxRetries)
	})
	if err == nil {
		s.retried = version
	}
	return err
}

// inBatches does something to all accounts that are found after one another, which it
// locks.
func (s *Service) inBatches(ctx context.Context, do func(context.Context, *store.Tx, []billing.AccountID) error, find func(after billing.AccountID) ([]billing.AccountID, error)) error {
	var last billing.AccountID
	for {
		ids, err := find(last)
		if err != nil || len(ids) == 0 {
			return err
		}
		last = ids[len(ids)-1]
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			if _, err := store.LockAccounts(ctx, tx, ids); err != nil {
				return err
			}
			return do(ctx, tx, ids)
		})
		if err != nil {
			return err
		}
	}
}

// maxRetries is how many accounts are tried again in one transaction.
const maxRetries = 1000

// lookAgain has accounts looked at, whatever was noted about them.
func lookAgain(ctx context.Context, tx *store.Tx, ids []billing.AccountID) error {
	for _, id := range ids {
		if err := store.NoteBillingProblem(ctx, tx, id, nil); err != nil {
			return err
		}
	}
	return store.BillAgain(ctx, tx, ids, store.LongAgo)
}

// candidates is how many accounts a batch is chosen from. Those that come first
// may be with other replicas.
func (s *Service) candidates() int { return 8 * s.Batch }

// runReal bills accounts on real time.
func (s *Service) runReal(ctx context.Context, now time.Time, schedules []*schedule) (looked int, err error) {
	drafts, err := store.DueDrafts(ctx, s.Read(), now, s.candidates())
	if err != nil {
		return 0, err
	}
	// Those that cannot be issued now must not keep others from being billed.
	if looked, err = s.runBatch(ctx, order{accounts: drafts, most: s.Batch, everything: true, calm: true}); looked > 0 || err != nil {
		return looked, err
	}
	for _, group := range schedules {
		if group.through == nil {
			continue
		}
		ids, err := store.AccountsToBill(ctx, s.Read(), *group.through, group.entities, s.candidates())
		if err != nil {
			return looked, err
		}
		n, err := s.runBatch(ctx, order{accounts: ids, most: s.Batch, calm: true, through: group.through})
		looked += n
		if err != nil {
			return looked, err
		}
	}
	return looked, nil
}

// runClocks bills accounts on test clocks.
func (s *Service) runClocks(ctx context.Context, zone *time.Location) (looked int, err error) {
	clocks, err := store.ClocksToBill(ctx, s.Read())
	if err != nil {
		return 0, err
	}
	for _, c := range clocks {
		n, err := s.RunClock(ctx, c.ID, billing.DateOf(c.Now, zone))
		looked += n
		if err != nil {
			return looked, err
		}
	}
	return looked, nil
}

// RunClock bills the accounts on a test clock on which something is due by a day,
// at most a batch of them, and issues drafts that have waited long enough. It returns
// how many accounts it looked at.
func (s *Service) RunClock(ctx context.Context, clock billing.TestClockID, day billing.Date) (looked int, err error) {
	drafts, err := s.issueOnClock(ctx, clock)
	if err != nil {
		return drafts, err
	}
	if looked, err = s.billOnClock(ctx, clock, day); looked+drafts > 0 || err != nil {
		return looked + drafts, err
	}
	if looked, err = s.dunOnClock(ctx, clock); looked > 0 || err != nil {
		return looked, err
	}
	if looked, err = s.collectOnClock(ctx, clock); looked > 0 || err != nil {
		return looked, err
	}
	return s.tellExpiriesOnClock(ctx, clock)
}

// issueOnClock issues the drafts on a test clock whose time has come by it.
func (s *Service) issueOnClock(ctx context.Context, clock billing.TestClockID) (looked int, err error) {
	for {
		ids, err := store.DueDraftsOnClock(ctx, s.Read(), clock, s.candidates())
		if err != nil {
			return looked, err
		}
		n, err := s.runBatch(ctx, order{accounts: ids, clock: &clock, most: s.Batch, everything: true, calm: true})
		if looked += n; n == 0 || err != nil && !isNoted(err) {
			return looked, err
		}
	}
}

// isNoted reports whether an error is about accounts that were set aside, which say
// so themselves.
func isNoted(err error) bool {
	var noted asideError
	return errors.As(err, &noted)
}

func (s *Service) billOnClock(ctx context.Context, clock billing.TestClockID, day billing.Date) (looked int, err error) {
	ids, err := store.AccountsToBillOnClock(ctx, s.Read(), clock, day, s.candidates())
	if err != nil {
		return 0, err
	}
	looked, err = s.runBatch(ctx, order{accounts: ids, clock: &clock, most: s.Batch, calm: true})
	if isNoted(err) {
		err = nil
	}
	return looked, err
}

// runBatch bills accounts in one transaction. If that fails, each is billed in one
// of its own, so that one that cannot be billed does not stop the others.
func (s *Service) runBatch(ctx context.Context, o order) (looked int, err error) {
	if len(o.accounts) == 0 {
		return 0, nil
	}
	looked, err = s.runOnce(ctx, o)
	if err == nil || isNoted(err) || s.IsOutage(ctx, err) {
		return looked, err
	}
	if len(o.accounts) == 1 {
		return s.setAside(ctx, o.accounts[0], err)
	}
	looked = 0
	var failed error
	for _, id := range o.accounts {
		one := o
		one.accounts = []billing.AccountID{id}
		n, err := s.runBatch(ctx, one)
		looked += n
		if failed == nil {
			failed = err
		}
		if looked == o.most {
			break // the others were not in the batch
		}
	}
	return looked, failed
}

func (s *Service) runOnce(ctx context.Context, o order) (looked int, err error) {
	var aside error
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := s.bill(ctx, tx, o)
		if err != nil {
			return err
		}
		looked, aside = len(r.books), r.aside()
		return r.issue(ctx)
	})
	if err == nil && aside != nil {
		return looked, asideError{aside}
	}
	return looked, err
}

// asideError says that accounts were set aside. It has been noted on them.
type asideError struct{ error }

// aside says which accounts were set aside, nil if none were.
func (r *run) aside() error {
	var all []error
	for _, b := range r.books {
		if b.problem != nil {
			all = append(all, fmt.Errorf("account %d was set aside: %w", b.ID, b.problem))
		}
	}
	return errors.Join(all...)
}

// setAside notes on an account why it cannot be billed.
func (s *Service) setAside(ctx context.Context, id billing.AccountID, problem error) (looked int, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.SetBillingProblem(ctx, tx, id, problemText(problem))
	})
	if err != nil {
		return 0, err
	}
	return 1, asideError{fmt.Errorf("account %d was set aside: %w", id, problem)}
}
