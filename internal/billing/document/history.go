package document

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// History is an invoice that another system issued, as a file has it. Amounts are
// texts in the digits of the currency.
type History struct {
	Number     string
	CurrencyID string
	IssuedAt   *billing.Date
	// DueAt is IssuedAt if it is nil.
	DueAt  *billing.Date
	Amount *string
	// TaxAmount is the tax in Amount, nil if nobody knows.
	TaxAmount *string
	// AmountPaid is what was paid or credited there, or AmountDue what is left; if
	// both are nil, State decides.
	AmountPaid, AmountDue *string
	// State is nil if it follows from the amounts.
	State *InvoiceState
}

// unknown stands for the parties of an invoice: nobody knows what the other system
// printed.
var unknown = json.RawMessage("null")

// Invoice is the invoice as it is kept: in no series, without items, and with what
// became of it in the other system.
func (h *History) Invoice(today billing.Date) (Invoice, error) {
	i := Invoice{Number: h.Number, Kind: ImportedInvoice, Seller: unknown, Buyer: unknown}
	var problems billing.Problems
	if h.CurrencyID == "" {
		problems.Add(billing.Requiredf("currencyId", "Give currencyId, such as EUR."))
	} else if currency, err := money.CurrencyOf(h.CurrencyID); err != nil {
		problems = append(problems, asProblems(err)...)
	} else {
		i.Currency = currency
	}
	h.dates(&i, today, &problems)
	if i.Currency.Code != "" {
		h.amounts(&i, &problems)
	}
	return i, problems.Err()
}

func asProblems(err error) billing.Problems {
	problems, _ := billing.AsProblems(err)
	return problems
}

func (h *History) dates(i *Invoice, today billing.Date, problems *billing.Problems) {
	if h.IssuedAt == nil {
		problems.Add(billing.Requiredf("issuedAt", "Give issuedAt, the date of the invoice."))
		return
	}
	i.IssuedAt, i.DueAt = *h.IssuedAt, *h.IssuedAt
	if h.DueAt != nil {
		i.DueAt = *h.DueAt
	}
	switch {
	case i.IssuedAt.After(today):
		problems.Add(billing.Invalidf("issuedAt", "An invoice of another system was issued by today, %s, not on %s.", today, i.IssuedAt))
	case i.DueAt.Before(i.IssuedAt):
		problems.Add(billing.Invalidf("dueAt", "The invoice is due on %s, before it was issued (%s).", i.DueAt, i.IssuedAt))
	}
}

func (h *History) amounts(i *Invoice, problems *billing.Problems) {
	read := func(field string, text *string) (amount money.Amount, given bool) {
		if text == nil {
			return 0, false
		}
		amount, err := i.Currency.Parse(*text)
		for _, p := range asProblems(err) {
			problems.Add(billing.Fail(p.Code, field, "%s", p.Message))
		}
		if err == nil && amount < 0 {
			problems.Add(billing.Invalidf(field, "%s of an invoice is not negative; it is %s.", field, *text))
		}
		return amount, true
	}
	before := len(*problems)
	amount, given := read("amount", h.Amount)
	if !given {
		problems.Add(billing.Requiredf("amount", "Give amount, the gross amount of the invoice."))
	}
	taxes, _ := read("taxAmount", h.TaxAmount)
	paid, hasPaid := read("amountPaid", h.AmountPaid)
	due, hasDue := read("amountDue", h.AmountDue)
	if len(*problems) > before {
		return
	}
	f := i.Currency.Format
	i.Amount, i.TaxAmount, i.Subtotal = amount, taxes, amount-taxes
	switch {
	case taxes > amount:
		problems.Add(billing.Invalidf("taxAmount", "The tax, %s, is more than the amount, %s.", f(taxes), f(amount)))
	case hasPaid && paid > amount:
		problems.Add(billing.Invalidf("amountPaid", "More was paid, %s, than the invoice asks for, %s. Record the rest as a payment of the account.", f(paid), f(amount)))
	case hasDue && due > amount:
		problems.Add(billing.Invalidf("amountDue", "More is due, %s, than the invoice asks for, %s.", f(due), f(amount)))
	case hasPaid && hasDue && paid+due != amount:
		problems.Add(billing.Invalidf("amountDue", "%s paid and %s due are not the amount, %s. Give one of the two.", f(paid), f(due), f(amount)))
	default:
		if hasDue {
			paid = amount - due
		}
		problems.Add(h.state(i, paid, hasPaid || hasDue))
	}
}

// state sets what became of the invoice.
func (h *History) state(i *Invoice, paid money.Amount, known bool) *billing.Error {
	f := i.Currency.Format
	if i.AmountPaid = paid; h.State == nil {
		return nil
	}
	switch rest := i.Amount - paid; *h.State {
	case Paid:
		if !known {
			i.AmountPaid = i.Amount
		} else if rest != 0 {
			return billing.Invalidf("state", "The invoice is not PAID: %s of %s are due.", f(rest), f(i.Amount))
		}
	case NotDue, Due:
		if rest == 0 {
			return billing.Invalidf("state", "Nothing is due of the invoice, so its state is PAID.")
		}
	case Unpaid:
		i.Credits, i.WrittenOff = rest, true
	case Voided:
		if paid != 0 && rest != 0 {
			return billing.Invalidf("state", "The invoice cannot be VOIDED: %s of it were paid.", f(paid))
		}
		i.AmountPaid, i.Credits, i.Voided = 0, i.Amount, true
	default:
		return billing.Invalidf("state", "There is no state %q of an imported invoice: it is NOT_DUE, DUE, PAID, UNPAID (written off) or VOIDED.", *h.State)
	}
	return nil
}

// Settled is what was paid and credited of the invoice.
func (i *Invoice) Settled() money.Amount { return i.Credits + i.AmountPaid }

// Follow brings an imported invoice in line with what a file says of it now. here is
// how much of it was paid and credited in this system: then the other one has no say
// any more. It returns how much more was settled there, and whether anything
// changed.
func (i *Invoice) Follow(now *Invoice, here money.Amount) (more money.Amount, changed bool, err error) {
	switch {
	case i.Kind != ImportedInvoice:
		return 0, false, billing.Fail(billing.Taken, "number", "Invoice %s was issued by this system and cannot be imported.", i.Number)
	case i.AccountID != now.AccountID:
		return 0, false, billing.Fail(billing.Immutable, "account", "Invoice %s was imported for another account. Numbers are unique: put something before them if they are of several systems.", i.Number)
	case i.EntityID != now.EntityID || i.Currency != now.Currency || i.IssuedAt != now.IssuedAt || i.DueAt != now.DueAt || i.Amount != now.Amount || i.TaxAmount != now.TaxAmount:
		return 0, false, billing.Fail(billing.Immutable, "number", "Invoice %s was imported with another entity, currency, date or amount. What was issued does not change.", i.Number)
	}
	same := i.Voided == now.Voided && i.WrittenOff == now.WrittenOff && i.Settled() == now.Settled() && (here != 0 || i.AmountPaid == now.AmountPaid)
	if asImported := !now.Voided && !now.WrittenOff && now.Settled() == i.Settled()-here; same || asImported {
		return 0, false, nil
	}
	if here != 0 {
		return 0, false, billing.Fail(billing.NotAllowed, "amountPaid", "%s of invoice %s were paid or credited in this system since it was imported: record what else was paid here.", i.Currency.Format(here), i.Number)
	}
	more = now.Settled() - i.Settled()
	i.AmountPaid, i.Credits, i.Voided, i.WrittenOff = now.AmountPaid, now.Credits, now.Voided, now.WrittenOff
	return more, true, nil
}

// refuseImported refuses what needs the items of an invoice.
func (i *Invoice) refuseImported(action string) error {
	if i.Kind != ImportedInvoice {
		return nil
	}
	return billing.Fail(billing.NotAllowed, "", "Invoice %s was imported and cannot be %s: its items are in the system that issued it. Write off what is due, or record it as paid.", i.Number, action)
}
