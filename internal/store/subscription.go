package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

var subscriptionStates = []string{"PENDING", "TRIAL", "ACTIVE", "CANCELED", "EXPIRED", "TRIAL_EXPIRED"}

// Subscriptions keeps subscription.Subscription with its lines. due_on follows from
// the other fields; it is there to be found by.
var Subscriptions = newTable(Table[subscription.Subscription, billing.SubscriptionID]{
	name: "subscription",
	id:   func(s *subscription.Subscription) *billing.SubscriptionID { return &s.ID },
	columns: []string{
		"code", "account_id", "product_id", "price_list_id", "tenant_id", "state", "evergreen", "renewal_term_months",
		"start_date", "end_date", "term_start_date", "anchor_day", "epochs", "trial_start_date", "trial_end_date", "trial_expiration_action",
		"cancellation_date", "next_price_list_id", "next_price_list_on", "next_quantities", "charges", "as_of", "problem", "due_on",
		"test_clock_id", "unused", "po_number", "separate_invoice", "billed_through", "bill_on", "dirty_from", "changed_on", "billed_on", "billing_since",
		"standing", "standing_invoice_id", "pauses",
	},
	fields: func(s *subscription.Subscription) []any {
		next := &nextPriceList{&s.NextPriceList}
		due := func() driver.Value {
			if d, ok := s.Due(); ok {
				return d.String()
			}
			return nil
		}
		return []any{
			&s.Code, &s.AccountID, &s.ProductID, &s.PriceListID, &s.TenantID, &s.State, &s.Evergreen, &s.RenewalTermMonths,
			dateOf(s, "start date", &s.StartDate), dateOf(s, "end date", &s.EndDate), dateOf(s, "term", &s.TermStartDate), &s.AnchorDay, &partColumn{s, "epochs", (*epochsColumn)(s)},
			optionalDateOf(s, "trial", &s.TrialStartDate), optionalDateOf(s, "trial", &s.TrialEndDate), &s.TrialExpirationAction,
			optionalDateOf(s, "cancellation date", &s.CancellationDate), (*nextPriceListID)(next), &partColumn{s, "next price list", (*nextPriceListOn)(next)},
			&partColumn{s, "next quantities", (*nextQuantities)(next)},
			(*linesColumn)(s), dateOf(s, "day", &s.AsOf), (*problemColumn)(s), column.Derived(due),
			&s.TestClockID, &s.Unused, &s.PONumber, &s.SeparateInvoice, optionalDateOf(s, "last billed day", &s.BilledThrough), optionalDateOf(s, "next billing", &s.BillOn),
			optionalDateOf(s, "first changed day", &s.DirtyFrom), optionalDateOf(s, "day of change", &s.ChangedOn), optionalDateOf(s, "last billing", &s.BilledOn),
			optionalDateOf(s, "first billed day", &s.BillingSince),
			&s.Standing, &s.StandingInvoiceID, &partColumn{s, "pauses", (*pausesColumn)(s)},
		}
	},
	stamps:      func(s *subscription.Subscription) (*time.Time, *time.Time) { return &s.CreatedAt, &s.UpdatedAt },
	words:       func(*subscription.Subscription) []string { return nil },
	moreWords:   subscriptionWords,
	wordsOfMany: subscriptionsWords,
	filters: map[string]field{
		"state": {"state", enum, subscriptionStates}, "standing": {"standing", enum, []string{"GOOD", "PAST_DUE", "RESTRICTED", "SUSPENDED"}}, "evergreen": {"evergreen", boolean, nil},
		"account": {"account_id", refer, []string{"account"}}, "tenant": {"tenant_id", refer, []string{"tenant"}},
		"product": {"product_id", refer, []string{"product"}}, "priceList": {"price_list_id", refer, []string{"price_list"}},
	},
	indexed: true,
})

// subscriptionWords are the names that people look a subscription up by: those
// of its account and of its tenant.
func subscriptionWords(ctx context.Context, q Queries, s *subscription.Subscription) ([]string, error) {
	const text = `SELECT account.name, COALESCE(account.code, ''), COALESCE(tenant.name, ''), COALESCE(tenant.code, '')
		FROM account LEFT JOIN tenant ON tenant.id = $2 WHERE account.id = $1`
	words := make([]string, 4)
	_, err := q.One(ctx, text, []any{int64(s.AccountID), s.TenantID}, &words[0], &words[1], &words[2], &words[3])
	return words, err
}

// unreadable is in the problem of a subscription whose lines are no JSON, or
// one of whose dates is none. It can be looked at, with its problem, and so can
// the lists it is in; it cannot be changed, which would write over what is left
// of it.
const unreadable = " cannot be read: "

// spoil notes that a part of a subscription could not be read.
func spoil(s *subscription.Subscription, part string, err error) {
	if s.Problem == nil {
		problem := "Its " + part + unreadable + err.Error()
		s.Problem = &problem
	}
}

// partColumn keeps a part of a subscription. One that cannot be read is the
// subscription's problem, and not that of everybody who reads a list.
type partColumn struct {
	s    *subscription.Subscription
	part string
	column.Column
}

func dateOf(s *subscription.Subscription, part string, d *billing.Date) any {
	return &partColumn{s, part, column.Day(d)}
}

func optionalDateOf(s *subscription.Subscription, part string, d **billing.Date) any {
	return &partColumn{s, part, column.OptionalDay(d)}
}

func (c *partColumn) Scan(src any) error {
	if err := c.Column.Scan(src); err != nil {
		spoil(c.s, c.part, err)
	}
	return nil
}

// epochsColumn keeps the epochs of a subscription as JSON. There are none from
// before they were kept; they follow from the present term then, which is read
// before.
type epochsColumn subscription.Subscription

func (c *epochsColumn) Scan(src any) error {
	if src == nil {
		if s := (*subscription.Subscription)(c); s.RenewalTermMonths > 0 && s.Problem == nil {
			c.Epochs = s.LikelyEpochs()
		}
		return nil
	}
	return column.JSON(&c.Epochs).Scan(src)
}

func (c *epochsColumn) Value() (driver.Value, error) {
	if len(c.Epochs) == 0 {
		return nil, nil
	}
	return column.JSON(&c.Epochs).Value()
}

// pausesColumn keeps the days that are not billed as JSON. Hardly any subscription has
// some.
type pausesColumn subscription.Subscription

func (c *pausesColumn) Scan(src any) error {
	if src == nil {
		return nil
	}
	return column.JSON(&c.Pauses).Scan(src)
}

func (c *pausesColumn) Value() (driver.Value, error) {
	if len(c.Pauses) == 0 {
		return nil, nil
	}
	return column.JSON(&c.Pauses).Value()
}

// problemColumn keeps why a subscription was set aside. It is read after all
// that can be the problem itself, which knows best.
type problemColumn subscription.Subscription

func (c *problemColumn) Scan(src any) error {
	if text, ok := src.(string); ok && c.Problem == nil {
		c.Problem = &text
	}
	return nil
}

func (c *problemColumn) Value() (driver.Value, error) {
	if c.Problem == nil {
		return nil, nil
	}
	return *c.Problem, nil
}

// Readable returns a problem if not all of a subscription could be read.
func Readable(s *subscription.Subscription) error {
	if s.Problem != nil && strings.HasPrefix(*s.Problem, "Its ") && strings.Contains(*s.Problem, unreadable) {
		return billing.Fail(billing.NotAllowed, "", "Subscription %d is damaged. %s", s.ID, *s.Problem)
	}
	return nil
}

// nextPriceList is kept in three columns, the id before the others.
type nextPriceList struct{ next **subscription.NextPriceList }

type (
	nextPriceListID nextPriceList
	nextPriceListOn nextPriceList
	nextQuantities  nextPriceList
)

func (c *nextPriceListID) Scan(src any) error {
	*c.next = nil
	if id, ok := src.(int64); ok {
		*c.next = &subscription.NextPriceList{ID: billing.PriceListID(id)}
	}
	return nil
}

func (c *nextPriceListID) Value() (driver.Value, error) {
	if *c.next == nil {
		return nil, nil
	}
	return int64((*c.next).ID), nil
}

func (c *nextPriceListOn) Scan(src any) error {
	if src == nil || *c.next == nil {
		return nil
	}
	return column.Day(&(*c.next).On).Scan(src)
}

func (c *nextPriceListOn) Value() (driver.Value, error) {
	if *c.next == nil {
		return nil, nil
	}
	return (*c.next).On.String(), nil
}

func (c *nextQuantities) Scan(src any) error {
	if src == nil || *c.next == nil {
		return nil
	}
	return column.JSON(&(*c.next).Quantities).Scan(src)
}

func (c *nextQuantities) Value() (driver.Value, error) {
	if *c.next == nil || len((*c.next).Quantities) == 0 {
		return nil, nil
	}
	return column.JSON(&(*c.next).Quantities).Value()
}

// SubscriptionsOfAccounts returns the subscriptions of those accounts that
// match the filter.
func SubscriptionsOfAccounts(ctx context.Context, q Queries, accounts []billing.AccountID, filter billing.Filter) ([]subscription.Subscription, error) {
	return Subscriptions.children(ctx, q, "account_id", db.JSONList(accounts), filter, MaxNested)
}

// SubscriptionsOfAccount counts them, up to MostCounted and one more.
func SubscriptionsOfAccount(ctx context.Context, q Queries, id billing.AccountID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM subscription WHERE account_id = $1`, int64(id))
}

// SubscriptionsOfTenant counts them, up to MostCounted and one more.
func SubscriptionsOfTenant(ctx context.Context, q Queries, id billing.TenantID) (int, error) {
	return q.Counted(ctx, `SELECT 1 FROM subscription WHERE tenant_id = $1`, int64(id))
}

// FirstTrial returns the account's first subscription to the product that has or
// had a trial, or nil. A trial that was called off before it began is none.
func FirstTrial(ctx context.Context, q Queries, account billing.AccountID, product billing.ProductID) (*subscription.Subscription, error) {
	return Subscriptions.first(ctx, q, "SELECT "+strings.Join(Subscriptions.columns, ", ")+` FROM subscription WHERE account_id = $1 AND product_id = $2 AND trial_start_date IS NOT NULL
		AND NOT (state = 'CANCELED' AND cancellation_date < trial_start_date) ORDER BY id LIMIT 1`, int64(account), int64(product))
}

// SubscriptionsOnPriceList counts those that are on it or will be, up to
// MostCounted and one more.
func SubscriptionsOnPriceList(ctx context.Context, q Queries, id billing.PriceListID) (int, error) {
	// One after the other, since each has an index of its own.
	return q.Counted(ctx, `SELECT 1 FROM subscription WHERE price_list_id = $1 UNION ALL
		SELECT 1 FROM subscription WHERE next_price_list_id = $1 AND price_list_id <> $1`, int64(id))
}

// SoldOnPriceList reports whether a subscription is, was or will be on the price
// list. For one that nobody is on now it reads the lines of all subscriptions to
// the product.
func SoldOnPriceList(ctx context.Context, q Queries, id billing.PriceListID) (bool, error) {
	n, err := SubscriptionsOnPriceList(ctx, q, id)
	if err != nil || n > 0 {
		return n > 0, err
	}
	var first billing.SubscriptionID
	return q.One(ctx, `SELECT id FROM subscription WHERE product_id = (SELECT product_id FROM plan WHERE id = (SELECT plan_id FROM price_list WHERE id = $1))
		AND charges LIKE $2 LIMIT 1`, []any{int64(id), fmt.Sprintf(`%%"priceListId":%d,%%`, id)}, &first)
}

// PlannedFor is a subscription that is to change to a price list.
type PlannedFor struct {
	ID      billing.SubscriptionID
	Account string // its name
}

// SubscriptionsPlannedFor returns the first subscriptions that are to change to
// a price list.
func SubscriptionsPlannedFor(ctx context.Context, q Queries, id billing.PriceListID, limit int) (planned []PlannedFor, err error) {
	err = q.Each(ctx, `SELECT subscription.id, account.name FROM subscription JOIN account ON account.id = subscription.account_id
		WHERE next_price_list_id = $1 AND state IN ('PENDING', 'TRIAL', 'ACTIVE') ORDER BY subscription.id LIMIT $2`, []any{int64(id), limit}, func(rows scanner) error {
		var p PlannedFor
		err := rows.Scan(&p.ID, &p.Account)
		planned = append(planned, p)
		return err
	})
	return planned, err
}

// SubscriptionsForProduct reports whether any subscription to the product has a
// tenant, be it live or over. This costs the same however many there are.
func SubscriptionsForProduct(ctx context.Context, q Queries, id billing.ProductID) (bool, error) {
	// In order, so that the index is used: PostgreSQL would read the table from
	// its first row on, in the hope that the next one is of this product.
	var first billing.TenantID
	return q.One(ctx, `SELECT tenant_id FROM subscription WHERE product_id = $1 AND tenant_id > 0 ORDER BY tenant_id LIMIT 1`, []any{int64(id)}, &first)
}

// AccountOfSubscription returns whose it is, and whether it exists. That never
// changes, so no lock is needed.
func AccountOfSubscription(ctx context.Context, q Queries, id billing.SubscriptionID) (account billing.AccountID, found bool, err error) {
	found, err = q.One(ctx, `SELECT account_id FROM subscription WHERE id = $1`, []any{int64(id)}, &account)
	return account, found, err
}

// LockSubscription returns the subscription with that id, or nil, and keeps
// others from changing it until the transaction ends. It fails for one that is
// damaged.
func LockSubscription(ctx context.Context, tx *Tx, id billing.SubscriptionID) (*subscription.Subscription, error) {
	return whole(Subscriptions.Lock(ctx, tx, id))
}

// LockSubscriptions is LockSubscription for several, in the order of ids, together
// with the settings that a change goes by. One that does not exist is nil.
func LockSubscriptions(ctx context.Context, tx *Tx, ids []billing.SubscriptionID) ([]*subscription.Subscription, error) {
	subs, state := make([]*subscription.Subscription, len(ids)), stateOf(tx.Queries)
	for i, id := range ids {
		lock := tx.EachLater
		if state.settings.read && i == len(ids)-1 {
			lock = tx.Each // nothing else follows
		}
		err := lock(ctx, Subscriptions.byIDText+tx.Dialect.ForUpdate, []any{int64(id)}, func(rows scanner) error {
			subs[i] = new(subscription.Subscription)
			return rows.Scan(Subscriptions.fields(subs[i])...)
		})
		if err != nil {
			return nil, err
		}
	}
	if _, err := settingsOf(ctx, tx.Queries); err != nil {
		return nil, err
	}
	for _, sub := range subs {
		if _, err := whole(sub, nil); err != nil {
			return nil, err
		}
	}
	return subs, nil
}

// LockSubscriptionIfFree is LockSubscription that gives up, with nil, when
// somebody else is at it.
func LockSubscriptionIfFree(ctx context.Context, tx *Tx, id billing.SubscriptionID) (*subscription.Subscription, error) {
	return whole(Subscriptions.first(ctx, tx.Queries, Subscriptions.byIDText+tx.Dialect.ForUpdateSkip, int64(id)))
}

func whole(s *subscription.Subscription, err error) (*subscription.Subscription, error) {
	if err != nil || s == nil {
		return nil, err
	}
	return s, Readable(s)
}

// LockSubscriptionsOfTenant keeps others from changing the subscriptions of a
// tenant, in the order of ids, and returns how many there are.
func LockSubscriptionsOfTenant(ctx context.Context, tx *Tx, id billing.TenantID) (int, error) {
	ids, err := subscriptionIDs(ctx, tx.Queries, `SELECT id FROM subscription WHERE tenant_id = $1 ORDER BY id`+tx.Dialect.ForUpdate, int64(id))
	return len(ids), err
}

// LockSubscriptionsOnClock does so with those on a test clock.
func LockSubscriptionsOnClock(ctx context.Context, tx *Tx, id billing.TestClockID) error {
	_, err := subscriptionIDs(ctx, tx.Queries, `SELECT id FROM subscription WHERE test_clock_id = $1 ORDER BY id`+tx.Dialect.ForUpdate, int64(id))
	return err
}

// DeleteSubscriptionsOf removes the subscriptions of an account with their
// history.
func DeleteSubscriptionsOf(ctx context.Context, tx *Tx, id billing.AccountID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM subscription_change WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = $1)`, int64(id)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM subscription WHERE account_id = $1`, int64(id))
	return err
}

// reindexSubscriptions brings what free words match up to date with names that
// changed. column says whose.
func reindexSubscriptions(ctx context.Context, tx *Tx, column string, id int64) error {
	var subscriptions []subscription.Subscription
	err := tx.Each(ctx, `SELECT id, account_id, tenant_id FROM subscription WHERE `+column+` = $1 ORDER BY id`, []any{id}, func(rows scanner) error {
		var s subscription.Subscription
		err := rows.Scan(&s.ID, &s.AccountID, &s.TenantID)
		subscriptions = append(subscriptions, s)
		return err
	})
	if err != nil {
		return err
	}
	for i := range subscriptions {
		search, err := Subscriptions.searchOf(ctx, tx, &subscriptions[i])
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE subscription SET search = $1 WHERE id = $2`, search, int64(subscriptions[i].ID)); err != nil {
			return err
		}
	}
	return nil
}

func subscriptionIDs(ctx context.Context, q Queries, text string, args ...any) ([]billing.SubscriptionID, error) {
	var ids []billing.SubscriptionID
	err := q.Each(ctx, text, args, func(rows scanner) error {
		ids = append(ids, 0)
		return rows.Scan(&ids[len(ids)-1])
	})
	return ids, err
}
