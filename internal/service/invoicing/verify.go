package invoicing

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	verifyBatch = 500
	// maxFindings is how many findings are kept; there may be more.
	maxFindings = 100
)

// Verification is what came of recomputing documents.
type Verification struct {
	// Documents and Subscriptions are how many were looked at.
	Documents, Subscriptions int
	// Findings are what is wrong, at most maxFindings of them.
	Findings []string
	// Failed counts them all.
	Failed int
}

func (v *Verification) fail(format string, args ...any) {
	if v.Failed++; len(v.Findings) < maxFindings {
		v.Findings = append(v.Findings, fmt.Sprintf(format, args...))
	}
}

// DocumentsVerify walks the series of an entity, of all if it is nil, and
// recomputes every document from a day on, from the first if it is nil: its number,
// its place in the chain, its totals and its taxes, and each item from its
// explanation. Then it compares what was billed with the subscriptions. progress is
// told of every batch; it may be nil.
func (s *Service) DocumentsVerify(ctx context.Context, entity *billing.EntityID, from *billing.Date, progress func(*Verification)) (*Verification, error) {
	v := &Verification{}
	if progress == nil {
		progress = func(*Verification) {}
	}
	sellers, err := loadSellers(ctx, s.Read())
	if err != nil {
		return nil, err
	}
	var only billing.EntityID
	if entity != nil {
		if only = *entity; sellers.byID(only) == nil {
			return nil, billing.Missing("entityId", "entity", only)
		}
	}
	series, err := store.AllSeries(ctx, s.Read(), only)
	if err != nil {
		return nil, err
	}
	for n := range series {
		if err := s.verifySeries(ctx, v, &series[n], sellers.byID(series[n].EntityID), from, progress); err != nil {
			return nil, err
		}
	}
	if from == nil && entity == nil {
		err = s.verifySubscriptions(ctx, v, sellers, progress)
	}
	return v, err
}

// verifySeries recomputes the documents of a series. Only what was committed when
// it began is looked at.
func (s *Service) verifySeries(ctx context.Context, v *Verification, series *store.Series, entity *billing.Entity, from *billing.Date, progress func(*Verification)) error {
	var head document.Hash
	var last document.Numbered
	count, err := countOf(series, entity)
	if err != nil {
		return err
	}
	for place := int64(1); place <= series.Documents; place += verifyBatch {
		batch, err := s.documentsIn(ctx, series, place)
		if err != nil {
			return err
		}
		for n, d := range batch {
			switch {
			case d.place != place+int64(n):
				v.fail("Document %d of series %d is missing: after %s comes %s.", place+int64(n), series.ID, last.Number, d.Number)
				return nil
			case d.Previous != head:
				v.fail("%s does not follow the document before it, %s: the chain is broken.", d.Number, last.Number)
			case d.IssuedAt.Before(last.IssuedAt):
				v.fail("%s is dated %s, before %s, which is dated %s.", d.Number, d.IssuedAt, last.Number, last.IssuedAt)
			}
			if err := count.Next(d.Number, d.IssuedAt); err != nil {
				v.fail("%v", err)
			}
			head, last = d.Hash, d.Numbered
			if from != nil && d.IssuedAt.Before(*from) {
				continue
			}
			v.Documents++
			if err := d.verify(); err != nil {
				v.fail("%v", err)
			}
		}
		if int64(len(batch)) < min(verifyBatch, series.Documents-place+1) {
			v.fail("Series %d should have %d documents, but there are only %d.", series.ID, series.Documents, place+int64(len(batch))-1)
			return nil
		}
		progress(v)
	}
	if head != series.Head {
		v.fail("The last document of series %d, %s, is not the one that was issued last.", series.ID, last.Number)
	}
	return nil
}

// countOf is how the numbers of a series count up.
func countOf(series *store.Series, e *billing.Entity) (document.Count, error) {
	if series.TestClockID != 0 {
		return document.Count{Format: document.TestFormat}, nil
	}
	text, first := e.InvoiceNumberFormat, e.InvoiceNextNumber
	if series.Kind == store.CreditNoteSeries {
		text, first = e.CreditNoteNumberFormat, e.CreditNoteNextNumber
	}
	format, err := document.ParseNumberFormat(text)
	return document.Count{Format: format, First: firstNumber(first)}, err
}

// verified is a document with what is needed to verify it.
type verified struct {
	document.Numbered
	place   int64
	compute func() error
	text    func() ([]byte, error)
}

func (d *verified) verify() error {
	text, err := d.text()
	if err != nil {
		return err
	}
	if document.Chain(d.Previous, text) != d.Hash {
		return billing.Fail(billing.Invalid, "", "Document %s was changed since it was issued: its hash is not that of its contents.", d.Number)
	}
	return d.compute()
}

// documentsIn reads a batch of documents of a series, in order.
func (s *Service) documentsIn(ctx context.Context, series *store.Series, place int64) ([]verified, error) {
	invoices, err := store.InvoicesInSeries(ctx, s.Read(), series.ID, place, verifyBatch)
	if err != nil {
		return nil, err
	}
	if len(invoices) > 0 {
		if err := store.WithItems(ctx, s.Read(), invoices); err != nil {
			return nil, err
		}
	}
	notes, err := store.CreditNotesInSeries(ctx, s.Read(), series.ID, place, verifyBatch)
	if err != nil {
		return nil, err
	}
	if err := withCreditItems(ctx, s.Read(), notes); err != nil {
		return nil, err
	}
	all := make([]verified, 0, len(invoices)+len(notes))
	for a, b := 0, 0; a < len(invoices) || b < len(notes); {
		if b == len(notes) || a < len(invoices) && invoices[a].Place < notes[b].Place {
			i := &invoices[a]
			all = append(all, verified{document.Numbered{Number: i.Number, IssuedAt: i.IssuedAt, Previous: i.Previous, Hash: i.Hash}, i.Place, i.Verify, i.Canonical})
			a++
		} else {
			c := &notes[b]
			all = append(all, verified{document.Numbered{Number: c.Number, IssuedAt: c.IssuedAt, Previous: c.Previous, Hash: c.Hash}, c.Place, c.Verify, c.Canonical})
			b++
		}
	}
	return all, nil
}

// withCreditItems gives credit notes their items.
func withCreditItems(ctx context.Context, q store.Queries, notes []document.CreditNote) error {
	if len(notes) == 0 {
		return nil
	}
	ids := make([]billing.CreditNoteID, len(notes))
	at := make(map[billing.CreditNoteID]*document.CreditNote, len(notes))
	for n := range notes {
		ids[n], at[notes[n].ID] = notes[n].ID, &notes[n]
	}
	items, err := store.CreditItemsOf(ctx, q, ids)
	for n := range items {
		note := at[items[n].CreditNoteID]
		note.Items = append(note.Items, items[n])
	}
	return err
}

// verifySubscriptions compares what was billed of every subscription with what its
// items say, and with what it owes.
func (s *Service) verifySubscriptions(ctx context.Context, v *Verification, sellers *sellers, progress func(*Verification)) error {
	page := store.Page{Limit: verifyBatch}
	for {
		subs, err := store.Subscriptions.List(ctx, s.Read(), page)
		if err != nil {
			return err
		}
		for n := range subs {
			page.After = int64(subs[n].ID)
			if err := s.verifySubscription(ctx, v, sellers, &subs[n]); err != nil {
				return err
			}
		}
		progress(v)
		if len(subs) < page.Limit {
			return nil
		}
	}
}

// verifySubscription does so in one transaction, so that nobody bills meanwhile.
func (s *Service) verifySubscription(ctx context.Context, v *Verification, sellers *sellers, listed *subscription.Subscription) error {
	if listed.BilledOn == nil || listed.Problem != nil {
		return nil
	}
	v.Subscriptions++
	return s.Read().AtOneMoment(ctx, func(ctx context.Context, q store.Queries) error {
		sub, err := store.Subscriptions.Get(ctx, q, listed.ID)
		if err != nil || sub == nil {
			return err
		}
		keys, err := store.LedgerOf(ctx, q, sub.ID)
		if err != nil {
			return err
		}
		items, err := store.ItemsOfSubscription(ctx, q, sub.ID)
		if err != nil {
			return err
		}
		compareItems(v, sub.ID, keys, items)
		account, err := store.Accounts.Get(ctx, q, sub.AccountID)
		if err != nil || account == nil {
			return err
		}
		compareOwed(v, sub, keys, sellers.of(account), func(id billing.PriceListID) (*subscription.Offer, error) {
			offer, err := store.LoadOffer(ctx, q, id)
			if err == nil && offer == nil {
				err = billing.Missing("", "price list", id)
			}
			return offer, err
		})
		return nil
	})
}

// compareItems checks that every key has what its items add up to.
func compareItems(v *Verification, id billing.SubscriptionID, keys []store.LedgerKey, items []document.Item) {
	left := map[ledger.Key]money.Amount{}
	for n := range items {
		if key, counted := items[n].Key(); counted {
			left[key] += items[n].Left()
		}
	}
	for n := range keys {
		k := &keys[n]
		if left[k.Key] != k.Net {
			v.fail("Subscription %d, charge %d, %s to %s: the ledger has %s, but items and credits add up to %s.", id, k.Charge, k.Period.From, k.Period.To,
				k.Currency.Format(k.Net), k.Currency.Format(left[k.Key]))
		}
		delete(left, k.Key)
	}
	for key, amount := range left {
		if amount != 0 {
			v.fail("Subscription %d, charge %d, %s to %s: items were billed that the ledger does not know.", id, key.Charge, key.Period.From, key.Period.To)
		}
	}
}

// compareOwed checks that what was billed is what is owed, but for what waits to be
// billed.
func compareOwed(v *Verification, sub *subscription.Subscription, keys []store.LedgerKey, entity *billing.Entity, offers subscription.Offers) {
	if entity == nil || entity.InvoicingStartsOn == nil || sub.DirtyFrom != nil {
		return
	}
	billed := make([]ledger.Billed, len(keys))
	for n := range keys {
		billed[n] = keys[n].Billed
	}
	changes, err := bill.Wrong(sub, billed, *entity.InvoicingStartsOn, offers)
	if err != nil {
		v.fail("Subscription %d: %v", sub.ID, err)
		return
	}
	for n := range changes {
		c := &changes[n]
		v.fail("Subscription %d, charge %d, %s to %s: %s was billed, and it should be %s.", sub.ID, c.Charge, c.Period.From, c.Period.To,
			c.Currency.Format(c.Target-c.Amount), c.Currency.Format(c.Target))
	}
}
