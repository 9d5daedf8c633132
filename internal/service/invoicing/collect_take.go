package invoicing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// collectingActor is who records what providers say.
const collectingActor = "collecting"

// news is what is learned about an attempt.
type news struct {
	id      billing.PaymentCollectionID
	account billing.AccountID
	clock   *billing.TestClockID
	number  int
	outcome payment.Outcome
	// unsent is why the request was certainly not carried out.
	unsent error
}

func (a *answer) news() news {
	return news{id: a.collection.ID, account: a.collection.AccountID, clock: a.collection.TestClockID, number: a.attempt.Number, outcome: a.outcome, unsent: a.unsent}
}

// learn records news: the payment with its entry, what it pays, the standing that
// follows and who is told, in one transaction for many accounts. Of an account with
// several, each has a transaction of its own.
func (s *Service) learn(ctx context.Context, all []news) error {
	var failed error
	for len(all) > 0 {
		now, later := onePerAccount(all)
		all = later
		err := s.learnOnce(ctx, now)
		if err == nil {
			continue
		}
		if s.IsOutage(ctx, err) {
			return err
		}
		if len(now) == 1 {
			failed = fmt.Errorf("collection %d: %w", now[0].id, err)
			continue
		}
		for n := range now {
			if err := s.learnOnce(ctx, now[n:n+1]); err != nil {
				failed = fmt.Errorf("collection %d: %w", now[n].id, err)
			}
		}
	}
	return failed
}

// onePerAccount takes one piece of news for each account, all on one clock.
func onePerAccount(all []news) (now, later []news) {
	seen := map[billing.AccountID]bool{}
	for _, n := range all {
		if seen[n.account] || len(now) > 0 && !sameClock(n.clock, now[0].clock) {
			later = append(later, n)
			continue
		}
		seen[n.account] = true
		now = append(now, n)
	}
	return now, later
}

func sameClock(a, b *billing.TestClockID) bool { return a == b || a != nil && b != nil && *a == *b }

func (s *Service) learnOnce(ctx context.Context, all []news) error {
	ctx = operation.As(ctx, operation.Caller{Actor: collectingActor})
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		return learnIn(ctx, tx, all)
	})
}

// learned is an attempt that something was learned about.
type learned struct {
	*collect.Collection
	attempt *collect.Attempt
	book    *book
	// payment is one that has arrived.
	payment *document.Payment
	// judges says that it ended, which may say something about the payment method.
	judges bool
}

func learnIn(ctx context.Context, tx *store.Tx, all []news) error {
	var accounts []billing.AccountID
	var ids []billing.PaymentCollectionID
	for n := range all {
		accounts, ids = append(accounts, all[n].account), append(ids, all[n].id)
	}
	slices.Sort(accounts)
	r, at, err := lockBooks(ctx, tx, accounts, all[0].clock)
	if err != nil {
		return err
	}
	rows, err := store.Collections.ByIDs(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	attempts, err := store.AttemptsOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	parts, err := store.PartsOfCollections(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	var changed []*learned
	for n := range all {
		l := find(rows, attempts, all[n].id, all[n].number)
		if l == nil || at[l.AccountID] == nil {
			continue // the account was deleted
		}
		l.book = at[l.AccountID]
		if err := r.take(ctx, l, &all[n], parts); err != nil {
			return err
		}
		changed = append(changed, l)
	}
	if err := saveLearned(ctx, tx, changed); err != nil {
		return err
	}
	if err := r.saveVerdicts(ctx, changed); err != nil {
		return err
	}
	if err := r.issue(ctx); err != nil {
		return err
	}
	var paid []*learned
	for _, l := range changed {
		if l.payment != nil {
			l.PaymentID, l.attempt.PaymentID = &l.payment.ID, &l.payment.ID
			paid = append(paid, l)
		}
		if changes := l.book.auditChanges(); len(changes) > 0 {
			if err := operation.Audit(ctx, tx, "paymentCollection", "account", int64(l.AccountID), changes); err != nil {
				return err
			}
		}
	}
	return saveLearned(ctx, tx, paid)
}

// lockBooks locks accounts for something to be done to their documents, and reads
// their open invoices.
func lockBooks(ctx context.Context, tx *store.Tx, ids []billing.AccountID, clock *billing.TestClockID) (*run, map[billing.AccountID]*book, error) {
	r, at, err := booksOf(ctx, tx, ids, clock, store.LockAccounts)
	if err != nil {
		return nil, nil, err
	}
	open, err := store.OpenInvoices(ctx, tx.Queries, ids)
	for n := range open {
		b := at[open[n].AccountID]
		b.open, b.opened = append(b.open, &open[n]), true
		r.invoices[open[n].ID] = &open[n]
	}
	return r, at, err
}

// find returns a collection with one of its attempts, nil if there is none.
func find(rows []collect.Collection, attempts []collect.Attempt, id billing.PaymentCollectionID, number int) *learned {
	for n := range rows {
		if rows[n].ID != id {
			continue
		}
		for k := range attempts {
			if attempts[k].CollectionID == id && attempts[k].Number == number {
				return &learned{Collection: &rows[n], attempt: &attempts[k]}
			}
		}
	}
	return nil
}

// take records what is learned about an attempt, but does not write it yet.
func (r *run) take(ctx context.Context, l *learned, n *news, parts []collect.Part) error {
	if n.unsent != nil {
		r.sendAgain(l, n.unsent)
	} else {
		change := l.Take(l.attempt, resultOf(n.outcome))
		if l.attempt.Number == l.Attempts { // otherwise a later one is asked about
			l.NextAt = nil
			if next, again := payment.NextLookup(l.attempt.StartedAt, n.outcome, r.cal.Now); again {
				l.NextAt = &next
			}
		}
		if l.attempt.Outcome.IsFinal() && l.attempt.FinishedAt == nil {
			now := r.cal.Now
			l.attempt.FinishedAt = &now
		}
		switch change {
		case collect.Paid:
			if err := r.receive(ctx, l, n.outcome, parts); err != nil {
				return err
			}
		case collect.TakenBack:
			if _, err := r.reverse(ctx, l, n.outcome, document.PaymentReversed); err != nil {
				return err
			}
		case collect.Declined:
			r.tellFailure(l, parts)
		}
		l.judges = change == collect.Paid || change == collect.Declined
	}
	for _, p := range parts { // steps that waited for the outcome may go on
		if i := l.book.find(p.InvoiceID); p.CollectionID == l.ID && i != nil {
			l.book.touched[i] = true
		}
	}
	return nil
}

// sendAgain has an attempt sent later that certainly charged nothing, for a day.
func (r *run) sendAgain(l *learned, why error) {
	l.attempt.Code, l.attempt.Message = "not_sent", why.Error()
	l.Code, l.Message = l.attempt.Code, l.attempt.Message
	if next, again := payment.NextLookup(l.attempt.StartedAt, payment.Outcome{State: payment.Unknown}, r.cal.Now); again {
		l.attempt.SentAt, l.NextAt = nil, &next
		return
	}
	now := r.cal.Now
	l.Take(l.attempt, collect.Result{Outcome: collect.OutFailed, Code: "not_sent", Message: why.Error()})
	l.attempt.FinishedAt, l.NextAt = &now, nil
}

// receive records the payment that has arrived. What was moved counts, whatever was
// asked for; what the invoices do not need waits as credit.
func (r *run) receive(ctx context.Context, l *learned, o payment.Outcome, parts []collect.Part) error {
	b := l.book
	if l.attempt.PaymentID != nil {
		return r.restore(ctx, l, o, parts)
	}
	amount, currency := l.Moved(resultOf(o))
	if err := o.Matches(l.Amount, l.Currency); err != nil {
		// Nothing else is charged until a person has looked at it.
		l.Code, l.Message, l.Hard = "other_amount", "This needs a person: "+err.Error()+".", true
		l.attempt.Code, l.attempt.Message, l.attempt.Hard = l.Code, l.Message, true
	}
	b.payment = &document.Payment{
		UUID: secret.UUID(), AccountID: l.AccountID, EntityID: l.EntityID, Currency: currency, Amount: amount, ReceivedAt: r.cal.Today,
		Reference: cmp.Or(l.attempt.Reference, l.LineText), TestClockID: l.TestClockID,
	}
	l.payment = b.payment
	return b.payParts(b.payment, l.ID, parts)
}

// payParts applies a payment to the invoices that it was collected for, as far as it is for
// the same entity and currency.
func (f *funds) payParts(p *document.Payment, id billing.PaymentCollectionID, parts []collect.Part) error {
	var ids []billing.InvoiceID
	for _, part := range parts {
		if i := f.find(part.InvoiceID); part.CollectionID == id && i != nil && same(i, p.EntityID, p.Currency) {
			ids = append(ids, part.InvoiceID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return f.pay(p, ids)
}

// restore notes that money of a payment is back that was taken back: a dispute was won.
func (r *run) restore(ctx context.Context, l *learned, o payment.Outcome, parts []collect.Part) error {
	p, err := store.Payments.Get(ctx, r.tx.Queries, *l.attempt.PaymentID)
	if err != nil || p == nil {
		return err
	}
	back, err := refunded(ctx, r.tx, p)
	if err != nil {
		return err
	}
	b, amount := l.book, max(0, p.AmountReturned-back.own) // what was refunded does not come back
	if o.Currency == p.Currency && o.Amount > 0 {
		amount = min(amount, o.Amount)
	}
	if amount == 0 {
		return nil
	}
	p.AmountReturned -= amount
	b.spent[p] = true
	b.returned = append(b.returned, returned{p, -amount, document.PaymentReversed})
	return b.payParts(p, l.ID, parts)
}

// reverse takes a payment back from its invoices, because the money has gone back. It
// reports whether it was taken from one.
func (r *run) reverse(ctx context.Context, l *learned, o payment.Outcome, kind document.EventKind) (reopened bool, err error) {
	if l.attempt.PaymentID == nil {
		return false, nil
	}
	p, err := store.Payments.Get(ctx, r.tx.Queries, *l.attempt.PaymentID)
	if err != nil || p == nil {
		return false, err
	}
	applied, err := store.ApplicationsOfPayment(ctx, r.tx.Queries, p.ID)
	if err != nil {
		return false, err
	}
	b := l.book
	back, err := refunded(ctx, r.tx, p)
	amount := p.Amount - p.AmountReturned - back.notes
	if o.Currency == p.Currency && o.Amount > 0 {
		amount = min(amount, o.Amount)
	}
	if err != nil || amount <= 0 { // all of it was given back before
		return false, err
	}
	// What waits is taken first, and then what paid for invoices, the last at first: nothing
	// happens to the others.
	var ids []billing.InvoiceID
	for n := len(applied) - 1; n >= 0 && p.AmountUnapplied() < amount; n-- {
		id := applied[n].InvoiceID
		i := b.find(id)
		if i == nil {
			if i, err = r.invoice(ctx, "invoiceId", id); err != nil {
				return false, err
			}
			b.open = append(b.open, i)
		}
		b.takeBack(p, i, applied[n:n+1])
		ids = append(ids, id)
	}
	p.AmountReturned += amount
	b.spent[p] = true
	b.returned = append(b.returned, returned{p, amount, kind})
	if p.AmountUnapplied() == 0 || len(ids) == 0 {
		return len(ids) > 0, nil
	}
	return true, b.pay(p, ids[len(ids)-1:])
}

// tellFailure has event endpoints and the customer told that money could not be
// collected.
func (r *run) tellFailure(l *learned, parts []collect.Part) {
	f := failure{
		PaymentFailure: webhook.PaymentFailure{
			AccountID: l.AccountID, CollectionID: l.ID, Currency: l.Currency, Amount: l.Amount, Attempt: l.attempt.Number, Code: l.Code, Message: l.Message, Hard: l.Hard,
		},
		method: l.PaymentMethodID, declined: l.attempt.Outcome == collect.OutDeclined || l.attempt.Outcome == collect.OutReversed,
	}
	for _, p := range parts {
		if i := l.book.find(p.InvoiceID); p.CollectionID == l.ID && i != nil {
			f.Invoices = append(f.Invoices, i)
		}
	}
	r.claims.failures = append(r.claims.failures, f)
}

// saveVerdicts writes which payment methods were declined for good, and which can be
// charged.
func (r *run) saveVerdicts(ctx context.Context, all []*learned) error {
	var judged []billing.PaymentMethodID
	for _, l := range all {
		if l.judges && l.attempt.Verdict() != collect.SaysNothing {
			judged = append(judged, l.PaymentMethodID)
		}
	}
	if len(judged) == 0 {
		return nil
	}
	methods, err := store.PaymentMethods.ByIDs(ctx, r.tx.Queries, judged)
	if err != nil {
		return err
	}
	var refused, usable []billing.PaymentMethodID
	for _, l := range all {
		at := slices.IndexFunc(methods, func(m collect.Method) bool { return m.ID == l.PaymentMethodID })
		if !l.judges || at < 0 {
			continue
		}
		switch methods[at].Learns(l.attempt) {
		case collect.Refused:
			refused = append(refused, l.PaymentMethodID)
		case collect.Usable:
			usable = append(usable, l.PaymentMethodID)
		}
	}
	if err := store.SetRefused(ctx, r.tx, refused, &r.cal.Now); err != nil {
		return err
	}
	return store.SetRefused(ctx, r.tx, usable, nil)
}

// saveLearned writes what has become of collections.
func saveLearned(ctx context.Context, tx *store.Tx, all []*learned) error {
	collections, attempts := make([]*collect.Collection, len(all)), make([]*collect.Attempt, len(all))
	for n, l := range all {
		collections[n], attempts[n] = l.Collection, l.attempt
	}
	if err := store.SaveCollections(ctx, tx, collections); err != nil {
		return err
	}
	return store.SaveAttempts(ctx, tx, attempts)
}

// collectOnClock asks about the collections on a test clock whose time has come by it.
// It returns how many there were.
func (s *Service) collectOnClock(ctx context.Context, id billing.TestClockID) (asked int, err error) {
	clock, err := store.TestClocks.Get(ctx, s.Read(), id)
	if err != nil || clock == nil {
		return 0, err
	}
	var questions []question
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := store.CollectionsOnClock(ctx, tx.Queries, id, clock.Now, s.candidates())
		if err != nil || len(rows) == 0 {
			return err
		}
		questions, err = s.questions(ctx, tx, rows, clock)
		return err
	})
	if err != nil {
		return 0, err
	}
	all := make([]news, len(questions))
	for n := range questions {
		a := s.ask(ctx, questions[n])
		all[n] = a.news()
	}
	return len(all), s.learn(ctx, all)
}
