package invoicing

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// claimFor is how long nobody else asks about a collection: longer than any request
// takes, so that whoever comes then knows that none is under way.
const claimFor = payment.RequestTimeout + 10*time.Second

// question is a collection to ask its provider about. If it is fresh, its money is
// asked for; otherwise what has become of it.
type question struct {
	collection collect.Collection
	attempt    collect.Attempt
	token      string
	fresh      bool
	// refused is why the attempt is not sent.
	refused string
	clock   *billing.TestClock
}

// answer is what a provider said.
type answer struct {
	question
	outcome payment.Outcome
	// unsent is why the request was certainly not carried out, and may be sent again.
	unsent error
}

// claim takes collections on real time whose time has come.
func (s *Service) claim(ctx context.Context, limit int) (questions []question, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := store.ClaimCollections(ctx, tx, tx.Now.Add(cmp.Or(s.Payments.ClaimFor, claimFor)), limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		questions, err = s.questions(ctx, tx, rows, nil)
		return err
	})
	return questions, err
}

// questions notes on attempts that are sent for the first time that they are, before
// that happens.
func (s *Service) questions(ctx context.Context, tx *store.Tx, rows []collect.Collection, clock *billing.TestClock) ([]question, error) {
	ids, methods := make([]billing.PaymentCollectionID, len(rows)), make([]billing.PaymentMethodID, len(rows))
	for n := range rows {
		ids[n], methods[n] = rows[n].ID, rows[n].PaymentMethodID
	}
	attempts, err := store.AttemptsOf(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	with, err := s.chargeable(ctx, tx, methods)
	if err != nil {
		return nil, err
	}
	settled, err := settledMeanwhile(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	questions := make([]question, 0, len(rows))
	var sent []*collect.Attempt
	var over []*collect.Collection
	for n := range rows {
		method := with[rows[n].PaymentMethodID]
		q := question{collection: rows[n], token: method.token, clock: clock}
		for k := range attempts {
			if a := &attempts[k]; a.CollectionID == q.collection.ID && a.Number == q.collection.Attempts {
				q.attempt = *a
			}
		}
		switch {
		case q.attempt.SentAt != nil:
		case settled[q.collection.ID] || q.collection.State != collect.Pending:
			q.collection.Take(&q.attempt, collect.Result{Outcome: collect.OutFailed, Code: "not_due", Message: "What it asks for was paid meanwhile. Nothing was charged."})
			now := tx.Now
			q.attempt.FinishedAt, q.collection.NextAt = &now, nil
			sent, over = append(sent, &q.attempt), append(over, &q.collection)
			continue
		case method.Refuses(&q.attempt) != "":
			q.refused = method.Refuses(&q.attempt)
		default:
			now := tx.Now
			q.attempt.SentAt, q.fresh = &now, true
			sent = append(sent, new(q.attempt))
		}
		questions = append(questions, q)
	}
	if err := store.SaveAttempts(ctx, tx, sent); err != nil {
		return nil, err
	}
	if err := store.SaveCollections(ctx, tx, over); err != nil || len(over) == 0 {
		return questions, err
	}
	return questions, goOn(ctx, tx, over)
}

// goOn has the invoices of collections looked at that were not sent, because their steps
// wait for an outcome.
func goOn(ctx context.Context, tx *store.Tx, over []*collect.Collection) error {
	ids := make([]billing.PaymentCollectionID, len(over))
	for n, c := range over {
		ids[n] = c.ID
	}
	parts, err := store.PartsOfCollections(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	invoices := make([]billing.InvoiceID, len(parts))
	for n, p := range parts {
		invoices[n] = p.InvoiceID
	}
	return store.DunOn(ctx, tx, invoices, store.LongAgo)
}

// settledMeanwhile are the collections that ask for more than is due of an invoice by
// now.
func settledMeanwhile(ctx context.Context, tx *store.Tx, ids []billing.PaymentCollectionID) (map[billing.PaymentCollectionID]bool, error) {
	parts, err := store.PartsOfCollections(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	invoices := make([]billing.InvoiceID, len(parts))
	for n := range parts {
		invoices[n] = parts[n].InvoiceID
	}
	rows, err := store.Invoices.ByIDs(ctx, tx.Queries, operation.Unique(invoices))
	settled := map[billing.PaymentCollectionID]bool{}
	for _, p := range parts {
		for n := range rows {
			if rows[n].ID == p.InvoiceID && rows[n].AmountDue() < p.Amount {
				settled[p.CollectionID] = true
			}
		}
	}
	return settled, err
}

// purposeToken is what tokens of payment methods are encrypted for.
const purposeToken = "payment method token"

// chargeable is a payment method, with what its provider calls it.
type chargeable struct {
	*collect.Method
	token string
}

func (s *Service) chargeable(ctx context.Context, tx *store.Tx, ids []billing.PaymentMethodID) (map[billing.PaymentMethodID]chargeable, error) {
	rows, err := store.PaymentMethods.ByIDs(ctx, tx.Queries, operation.Unique(ids))
	if err != nil {
		return nil, err
	}
	methods := make(map[billing.PaymentMethodID]chargeable, len(rows))
	for n := range rows {
		token, err := s.box.Open(purposeToken, rows[n].TokenSealed)
		if err != nil {
			return nil, fmt.Errorf("the token of payment method %d: %w", rows[n].ID, err)
		}
		methods[rows[n].ID] = chargeable{&rows[n], string(token)}
	}
	return methods, nil
}

// ask sends a request to the provider. No transaction is open meanwhile.
func (s *Service) ask(ctx context.Context, q question) answer {
	c := &q.collection
	a := answer{question: q}
	if q.refused != "" {
		a.outcome = payment.Outcome{State: payment.Failed, Code: "not_sent", Message: q.refused, Hard: true}
		return a
	}
	p := s.Payments.provider(c.Provider, q.clock)
	if p == nil {
		a.outcome = payment.Outcome{State: payment.Unknown, Code: "not_configured", Message: fmt.Sprintf("The payment provider %s is not set up on this server.", c.Provider)}
		if q.fresh {
			a.outcome.State = payment.Failed
		}
		return a
	}
	charge := payment.Charge{
		Key: c.Key(q.attempt.Number), Amount: c.Amount, Currency: c.Currency, Token: q.token, Text: c.LineText, At: q.attempt.StartedAt,
	}
	ctx, cancel := context.WithTimeout(ctx, payment.RequestTimeout)
	defer cancel()
	var err error
	if q.fresh {
		a.outcome, err = p.Charge(ctx, charge)
		a.unsent = err
	} else if a.outcome, err = p.Lookup(ctx, charge); err != nil {
		a.outcome = payment.Outcome{State: payment.Unknown, Code: "no_answer", Message: err.Error()}
	}
	return a
}
