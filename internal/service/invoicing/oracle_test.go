package invoicing_test

import (
	"fmt"
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/ledger/ledgertest"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// forgiveness is what somebody gave by hand, by key.
type forgiveness map[store.LedgerRef]money.Amount

// againstOracle compares what was billed of every subscription with what the
// reference model says that it owes, day by day: everything that is due is billed,
// no day is billed twice, and each key comes to its days, rounded once. It returns
// the nets of the keys about which nothing is scheduled.
func (o *office) againstOracle(today billing.Date, forgiven forgiveness) map[store.LedgerRef]money.Amount {
	o.T.Helper()
	subs, err := store.Subscriptions.List(o.Ctx, o.Read(), store.Page{Limit: 1000})
	o.OK(err)
	nets := map[store.LedgerRef]money.Amount{}
	for n := range subs {
		o.subscriptionAgainstOracle(&subs[n], today, forgiven, nets)
	}
	return nets
}

func (o *office) subscriptionAgainstOracle(sub *subscription.Subscription, today billing.Date, forgiven forgiveness, nets map[store.LedgerRef]money.Amount) {
	o.T.Helper()
	timeline, err := sub.Timeline(today, ledger.BillingStart(sub.StartDate, servicetest.Day("2026-01-01"), billing.Date{}), func(id billing.PriceListID) (*subscription.Offer, error) {
		return store.LoadOffer(o.Ctx, o.Read(), id)
	})
	o.OK(err)
	keys, err := store.LedgerOf(o.Ctx, o.Read(), sub.ID)
	o.OK(err)
	through := today.AddMonths(13)
	owed := map[ledger.Key]map[billing.Date]*big.Rat{}
	arrears := map[billing.ChargeID]bool{}
	seen := map[billing.ChargeID]bool{}
	for n := range timeline.Lines {
		l := &timeline.Lines[n]
		arrears[l.Charge] = arrears[l.Charge] || l.Rate.BillingTiming == catalog.InArrears
		if seen[l.Charge] {
			continue
		}
		seen[l.Charge] = true
		for _, d := range ledgertest.Days(&timeline, l.Charge, through) {
			if owed[d.Key] == nil {
				owed[d.Key] = map[billing.Date]*big.Rat{}
			}
			owed[d.Key][d.Date] = d.Price
		}
	}
	due := ledgertest.Owed(&timeline, through)
	twice := map[billing.ChargeID]map[billing.Date]bool{}
	billed := map[ledger.Key]bool{}
	for n := range keys {
		k := &keys[n]
		what := fmt.Sprintf("subscription %d, charge %d, %s to %s", sub.ID, k.Charge, k.Period.From, k.Period.To)
		days := map[billing.Date]*big.Rat{}
		for _, p := range k.Pieces {
			for day := p.From; !day.After(p.To); day = day.AddDays(1) {
				if twice[k.Charge] == nil {
					twice[k.Charge] = map[billing.Date]bool{}
				}
				if twice[k.Charge][day] {
					o.T.Errorf("%s: %s is billed twice", what, day)
				}
				days[day], twice[k.Charge][day] = p.Value, true
			}
		}
		if want := rounded(days, k, forgiven[k.Ref()]); k.Net != want {
			o.T.Errorf("%s: its days come to %d less %d forgiven, and %d is billed", what, want+forgiven[k.Ref()], forgiven[k.Ref()], k.Net)
		}
		if billed[k.Key] = len(k.Pieces) > 0; !billed[k.Key] && k.Net != 0 {
			o.T.Errorf("%s: %d is billed for no days", what, k.Net)
		}
		first, differ := firstDifference(days, owed[k.Key])
		switch waits := arrears[k.Charge] && due[k.Key].Due.After(today); {
		case !differ:
			nets[k.Ref()] = k.Net
		case billed[k.Key] && !waits && !first.After(today):
			o.T.Errorf("%s: from %s on not what is owed is billed", what, first)
		}
	}
	for key, sum := range due {
		if !billed[key] && !sum.Due.After(today) {
			o.T.Errorf("subscription %d, charge %d, %s to %s: due since %s and not billed on %s", sub.ID, key.Charge, key.Period.From, key.Period.To, sum.Due, today)
		}
	}
}

// rounded is what days of a key come to, less what is forgiven.
func rounded(days map[billing.Date]*big.Rat, k *store.LedgerKey, forgiven money.Amount) money.Amount {
	exact := new(big.Rat)
	for _, price := range days {
		exact.Add(exact, price)
	}
	n := int64(k.Period.From.DaysUntil(k.Period.To.AddDays(1)))
	exact.Mul(exact, big.NewRat(1, n))
	for range k.Currency.Digits {
		exact.Mul(exact, big.NewRat(10, 1))
	}
	return max(0, money.Amount(ledgertest.Round(exact))-forgiven)
}

// firstDifference is the first day on which two bills of a key differ.
func firstDifference(a, b map[billing.Date]*big.Rat) (first billing.Date, differ bool) {
	for _, days := range []map[billing.Date]*big.Rat{a, b} {
		for day := range days {
			if inA, inB := a[day], b[day]; (inA == nil || inB == nil || inA.Cmp(inB) != 0) && (!differ || day.Before(first)) {
				first, differ = day, true
			}
		}
	}
	return first, differ
}

// someWrittenOff is true for items of an invoice of which something was written off.
const someWrittenOff = `EXISTS (SELECT 1 FROM credit_note_item WHERE invoice_id = invoice_item.invoice_id AND invoice_item_id IS NULL)`

// soundDocuments checks what must hold of all documents at any time.
func (o *office) soundDocuments() {
	o.T.Helper()
	for what, query := range map[string]string{
		"invoices that do not add up": `SELECT count(*) FROM invoice WHERE subtotal + tax_amount <> amount OR amount - credits - amount_paid <> amount_due OR amount_due < 0`,
		"invoices whose items do not add up": `SELECT count(*) FROM invoice WHERE subtotal <>
			(SELECT COALESCE(SUM(amount), 0) FROM invoice_item WHERE invoice_id = invoice.id)`,
		"credit notes that do not add up": `SELECT count(*) FROM credit_note WHERE subtotal + tax_amount <> amount OR amount_applied > amount OR amount_applied < 0
			OR subtotal <> (SELECT COALESCE(SUM(amount), 0) FROM credit_note_item WHERE credit_note_id = credit_note.id)`,
		"items that are credited too much": `SELECT count(*) FROM invoice_item WHERE credited + written_off > priced OR credited < 0 OR written_off < 0 OR priced < 0`,
		"items whose credits do not add up": `SELECT count(*) FROM invoice_item WHERE credited <>
			(SELECT COALESCE(SUM(priced), 0) FROM credit_note_item WHERE invoice_item_id = invoice_item.id) AND NOT ` + someWrittenOff,
		"items that give more back than was credited of them": `SELECT count(*) FROM invoice_item WHERE credited <
			(SELECT COALESCE(SUM(priced), 0) FROM credit_note_item WHERE invoice_item_id = invoice_item.id)`,
		"items that were written off although their invoice was not": `SELECT count(*) FROM invoice_item WHERE written_off > 0 AND NOT ` + someWrittenOff,
		"invoices that something else is applied to": `SELECT count(*) FROM invoice WHERE credits + amount_paid <>
			(SELECT COALESCE(SUM(amount), 0) FROM application WHERE invoice_id = invoice.id)`,
		"credit notes of which something else is applied": `SELECT count(*) FROM credit_note WHERE amount_applied <>
			(SELECT COALESCE(SUM(amount), 0) FROM application WHERE credit_note_id = credit_note.id)`,
		"payments of which something else is applied": `SELECT count(*) FROM payment WHERE amount_applied > amount OR amount_applied <>
			(SELECT COALESCE(SUM(amount), 0) FROM application WHERE payment_id = payment.id)`,
		"invoices without exactly one entry": `SELECT count(*) FROM invoice WHERE number <> '' AND 1 <>
			(SELECT count(*) FROM account_entry WHERE kind = 'INVOICE' AND document_id = invoice.id AND amount = invoice.amount)`,
		"credit notes without exactly one entry": `SELECT count(*) FROM credit_note WHERE 1 <>
			(SELECT count(*) FROM account_entry WHERE kind = 'CREDIT_NOTE' AND document_id = credit_note.id AND amount = -credit_note.amount)`,
		"invoices without exactly one event": `SELECT count(*) FROM invoice WHERE number <> '' AND test_clock_id IS NULL AND 1 <>
			(SELECT count(*) FROM billing_event WHERE kind = 'InvoiceIssued' AND document_id = invoice.id)`,
		"items of no days": `SELECT count(*) FROM invoice_item WHERE charge_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ledger_key WHERE
			ledger_key.subscription_id = invoice_item.subscription_id AND ledger_key.charge_id = invoice_item.charge_id
			AND ledger_key.period_from = invoice_item.period_from AND ledger_key.period_to = invoice_item.period_to)`,
	} {
		if have := o.QueryText(query); have != "0" {
			o.T.Errorf("there are %s %s", have, what)
		}
	}
}
