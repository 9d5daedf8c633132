package document

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// ItemKind says what an item of an invoice is for.
type ItemKind string

// The kinds of items.
const (
	RecurringItem  ItemKind = "RECURRING"
	OneTimeItem    ItemKind = "ONE_TIME"
	UsageItem      ItemKind = "USAGE"
	DifferenceItem ItemKind = "DIFFERENCE"
	ManualItem     ItemKind = "MANUAL"
)

// Item is an item of an invoice. Amounts are never negative: credits are on
// credit notes.
type Item struct {
	ID             billing.InvoiceItemID
	InvoiceID      billing.InvoiceID
	Position       int // from 1
	Kind           ItemKind
	SubscriptionID *billing.SubscriptionID
	TenantCode     string
	ChargeID       *billing.ChargeID
	// PeriodFrom and PeriodTo are the period that the ledger counts the item by;
	// zero if it does not.
	PeriodFrom, PeriodTo billing.Date

	Code     string
	LineText string
	Feature  string
	UnitName string
	// Quantity and PreviousQuantity are decimals.
	Quantity         string
	PreviousQuantity *string
	// Price is that of a unit, nil where tiers decide.
	Price              *billing.Price
	StartDate, EndDate billing.Date
	Days, PeriodDays   int
	TaxCode            string
	Tax                tax.Treatment
	// Priced is the amount as it is priced and as the ledger counts it: with the
	// tax if Inclusive is true.
	Priced    money.Amount
	Inclusive bool
	// Amount is the net amount, which Total computes.
	Amount money.Amount
	// Credited is how much of Priced has been credited.
	Credited money.Amount
	// WrittenOff is how much of what is left of Priced has been written off.
	WrittenOff  money.Amount
	Explanation json.RawMessage
}

// Key is what the ledger counts the item by, if it does.
func (i *Item) Key() (key ledger.Key, counted bool) {
	if i.ChargeID == nil || i.PeriodFrom == (billing.Date{}) {
		return ledger.Key{}, false
	}
	return ledger.Key{Charge: *i.ChargeID, Period: ledger.Period{From: i.PeriodFrom, To: i.PeriodTo}}, true
}

// Left is how much of the item is still billed, as it is priced.
func (i *Item) Left() money.Amount { return i.Priced - i.Credited }

// Creditable is how much of the item can be given back, as it is priced.
func (i *Item) Creditable() money.Amount { return i.Left() - i.WrittenOff }

// ItemOf is the item of a change that is invoiced: what follows from the ledger
// alone.
func ItemOf(c *ledger.Change) Item {
	explanation := c.Explain()
	item := Item{
		Kind: RecurringItem, ChargeID: &c.Charge, PeriodFrom: c.Period.From, PeriodTo: c.Period.To, StartDate: c.Days.From, EndDate: c.Days.To, Days: c.Days.Days(), PeriodDays: c.Period.Days(),
		Quantity: "1", Priced: c.Amount, Explanation: explanation.JSON(),
	}
	if c.Before != nil && len(c.Before.Pieces) > 0 {
		item.Kind = DifferenceItem
	}
	for n := range c.Pieces {
		p := &c.Pieces[n]
		switch quantity := strconv.Itoa(p.Quantity); {
		case p.To.AddDays(1) == c.Days.From && item.Kind == DifferenceItem:
			if wasBilledAt(c, p.Value) {
				item.PreviousQuantity = &quantity
			}
		case !p.From.After(c.Days.To) && !p.To.Before(c.Days.From):
			item.Quantity, item.Price = quantity, p.Rate.Price
			if p.Rate.ChargeType == catalog.OneTime && item.Kind == RecurringItem {
				item.Kind = OneTimeItem
			}
		}
	}
	return item
}

// wasBilledAt reports whether the first day that a change is about was billed at
// that value. Of several changes on one day, an earlier one may have been billed,
// whose quantity is not recorded.
func wasBilledAt(c *ledger.Change, value *big.Rat) bool {
	return slices.ContainsFunc(c.Before.Pieces, func(p ledger.Piece) bool {
		return !p.From.After(c.Days.From) && !p.To.Before(c.Days.From) && p.Value.Cmp(value) == 0
	})
}

// IsByUnit reports whether the item is shown as quantity × price: a whole period
// of a FLAT charge at one price. All others are shown as 1 × amount, with the
// days in words.
func (i *Item) IsByUnit() bool {
	switch {
	case i.Price == nil:
		return false
	case i.Kind == ManualItem:
		return true
	case i.Kind != RecurringItem && i.Kind != OneTimeItem || i.Days != i.PeriodDays:
		return false
	}
	var e ledger.Explanation
	if err := json.Unmarshal(i.Explanation, &e); err != nil {
		return false
	}
	// What was forgiven, or billed before, is not in quantity × price.
	return len(e.Pieces) == 1 && strings.Trim(e.Forgiven+e.BilledBefore, "0.") == ""
}
