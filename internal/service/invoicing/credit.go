package invoicing

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
)

// CreditPart is how much of an item is to be credited, as text.
type CreditPart struct {
	InvoiceItemID billing.InvoiceItemID
	Amount        string
}

// InvoiceCredit forgives parts of an invoice, all that is left if none are given.
// The days stay billed.
func (s *Service) InvoiceCredit(ctx context.Context, id billing.InvoiceID, parts []CreditPart, reason string) (*Outcome, error) {
	return s.act(ctx, "invoiceCredit", accountOfInvoice("invoiceId", id), func(ctx context.Context, r *run, b *book) error {
		if err := checkReason(reason); err != nil {
			return err
		}
		i, err := r.invoice(ctx, "invoiceId", id)
		if err != nil {
			return err
		}
		var asked []document.Part
		for n, p := range parts {
			amount, err := i.Currency.Parse(p.Amount)
			if err != nil {
				return withinItem(n, err)
			}
			asked = append(asked, document.Part{ItemID: p.InvoiceItemID, Amount: amount})
		}
		note, err := i.CreditByHand(asked, reason, r.cal.Today)
		if err != nil {
			return err
		}
		b.documents.CreditNotes = append(b.documents.CreditNotes, note)
		return r.changeKeys(ctx, b, i, &note, document.Forgiven)
	})
}

// InvoiceVoid takes back all that is left of an invoice. If rebill is true, its
// days and its items made by hand are billed again by the next run, with the data of
// then; otherwise they are forgiven.
func (s *Service) InvoiceVoid(ctx context.Context, id billing.InvoiceID, reason string, rebill bool) (*Outcome, error) {
	return s.act(ctx, "invoiceVoid", accountOfInvoice("id", id), func(ctx context.Context, r *run, b *book) error {
		if err := checkReason(reason); err != nil {
			return err
		}
		i, err := r.invoice(ctx, "id", id)
		if err != nil {
			return err
		}
		later, err := r.laterItems(ctx, i)
		if err != nil {
			return err
		}
		note, err := i.Void(reason, func(item *document.Item) bool { return later[item.ID] }, r.cal.Today)
		if err != nil {
			return err
		}
		if stays := i.AmountDue() - note.Amount; stays > 0 {
			return billing.Fail(billing.NotAllowed, "id", "Invoice %s cannot be voided: credit on it paid for other invoices, so that %s would stay due. Credit it instead.", i.Number, i.Currency.Format(stays))
		}
		b.documents.CreditNotes = append(b.documents.CreditNotes, note)
		b.more = append(b.more, invoiceEvent(document.InvoiceVoided, i))
		err = r.changeKeys(ctx, b, i, &note, func(key ledger.Billed, credit money.Amount) ledger.Billed {
			return document.VoidedKey(key, credit, rebill)
		})
		if err != nil || !rebill {
			return err
		}
		return r.billAgain(ctx, b, i, &note)
	})
}

// InvoiceWriteOff gives up what is due of an invoice. Tax is corrected only if
// correctTax is true. If restore is false, what dunning has taken from subscriptions is
// not given back.
func (s *Service) InvoiceWriteOff(ctx context.Context, id billing.InvoiceID, reason string, correctTax, restore bool) (*Outcome, error) {
	return s.act(ctx, "invoiceWriteOff", accountOfInvoice("invoiceId", id), func(ctx context.Context, r *run, b *book) error {
		if err := checkReason(reason); err != nil {
			return err
		}
		i, err := r.invoice(ctx, "invoiceId", id)
		if err != nil {
			return err
		}
		if err := writeOff(b, i, reason, correctTax, r.cal.Today); err != nil {
			return err
		}
		return r.forfeit(ctx, i, !restore)
	})
}

func checkReason(reason string) error {
	if strings.TrimSpace(reason) == "" {
		return billing.Fail(billing.Required, "reason", "Say why; the reason is printed on the credit note.")
	}
	if e := billing.ShortText("reason", reason); e != nil {
		return e
	}
	return nil
}

// changeKeys notes in the ledger what a credit note takes from the keys of an
// invoice's items.
func (r *run) changeKeys(ctx context.Context, b *book, i *document.Invoice, note *document.CreditNote, change func(ledger.Billed, money.Amount) ledger.Billed) error {
	credits := map[store.LedgerRef]money.Amount{}
	var from []store.LedgerFrom
	for n := range note.Items {
		for at := range i.Items {
			item := &i.Items[at]
			key, counted := item.Key()
			if !counted || item.SubscriptionID == nil || note.Items[n].ItemID == nil || *note.Items[n].ItemID != item.ID {
				continue
			}
			credits[store.LedgerRef{SubscriptionID: *item.SubscriptionID, Key: key}] += note.Items[n].Priced
			from = append(from, store.LedgerFrom{SubscriptionID: *item.SubscriptionID, From: key.Period.To})
		}
	}
	keys, err := store.LedgerKeys(ctx, r.tx, from)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if credit, some := credits[key.Ref()]; some {
			b.documents.Ledger = append(b.documents.Ledger, bill.Billed{SubscriptionID: key.SubscriptionID, Billed: change(key.Billed, credit)})
			delete(credits, key.Ref())
		}
	}
	if r.waiting.Drafts { // what is forgiven may be on one of them
		b.billing.BillOn = &store.LongAgo
	}
	return nil
}

// laterItems are the items of an invoice of whose key something was billed later
// that still stands.
func (r *run) laterItems(ctx context.Context, i *document.Invoice) (map[billing.InvoiceItemID]bool, error) {
	var refs []store.LedgerRef
	for n := range i.Items {
		if key, counted := i.Items[n].Key(); counted && i.Items[n].SubscriptionID != nil {
			refs = append(refs, store.LedgerRef{SubscriptionID: *i.Items[n].SubscriptionID, Key: key})
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	items, err := store.ItemsOfKeys(ctx, r.tx.Queries, refs)
	later := map[billing.InvoiceItemID]bool{}
	for n := range i.Items {
		mine := &i.Items[n]
		key, _ := mine.Key()
		for at := range items {
			other := &items[at]
			if theirs, _ := other.Key(); other.ID > mine.ID && other.Left() > 0 && theirs == key && mine.SubscriptionID != nil && *other.SubscriptionID == *mine.SubscriptionID {
				later[mine.ID] = true
			}
		}
	}
	return later, err
}

// billAgain has what a credit note took back of an invoice billed by the next run: the
// days of subscriptions, and items made by hand, which wait again.
func (r *run) billAgain(ctx context.Context, b *book, i *document.Invoice, note *document.CreditNote) error {
	for n := range i.Items {
		item := &i.Items[n]
		if item.SubscriptionID == nil || item.PeriodFrom == (billing.Date{}) {
			continue
		}
		if err := store.MarkToBill(ctx, r.tx, *item.SubscriptionID, item.PeriodFrom, r.cal.Today); err != nil {
			return err
		}
	}
	waiting := i.Waiting(note)
	for n := range waiting {
		if err := store.PendingItems.Insert(ctx, r.tx, &waiting[n]); err != nil {
			return err
		}
	}
	b.collectNow(r.cal.Today)
	return nil
}

// collectNow has everything that waits of an account billed by the next run, whatever
// its billing day is.
func (b *book) collectNow(today billing.Date) {
	if on := &b.billing.BillOn; *on == nil || (*on).After(today) {
		*on = &today
	}
	if on := &b.billing.CollectOn; *on == nil || (*on).After(today) {
		*on = &today
	}
}
