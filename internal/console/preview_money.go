package console

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// previewChange previews an operation on a subscription of an account: its
// webhooks, and the money if invoices are issued.
func previewChange(c *call, account billing.AccountID, do func(context.Context) error) (*invoicing.ChangePreview, error) {
	entities, err := store.AllEntities(c.ctx(), c.q())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(entities, func(e billing.Entity) bool { return e.InvoicingStartsOn != nil }) {
		planned, err := c.service.PreviewOf(c.ctx(), do)
		return &invoicing.ChangePreview{Webhooks: planned}, err
	}
	return c.service.Invoicing.PreviewChange(c.ctx(), account, false, do)
}

// moneyOf says what a change costs: by the period, now, and with the next invoice.
func moneyOf(p *invoicing.ChangePreview, before, then *subscription.Subscription, today billing.Date) (says []string) {
	if then != nil {
		says = append(says, recurringWords(before, then, today)...)
	}
	if p.Problem != "" {
		return append(says, "What it comes to on an invoice cannot be told: "+p.Problem)
	}
	if p.Now != nil {
		says = append(says, "Billed today: "+totalWords(p.Now)+" with tax.")
	}
	if p.Next != nil {
		if p.Now == nil {
			says = append(says, "Nothing is billed today.")
		}
		says = append(says, "Next invoice on "+ui.DayText(p.Next.On)+": "+totalWords(p.Next)+" with tax.")
	}
	return says
}

// recurring is a sum that is due every period.
type recurring struct {
	currency string
	period   catalog.BillingPeriod
}

// recurringOf is what a subscription costs by the period on a day, without tax
// unless its prices include it. A line whose rate is not known does not count.
func recurringOf(s *subscription.Subscription, on billing.Date) map[recurring]*big.Rat {
	sums := map[recurring]*big.Rat{}
	if s == nil || s.State.Ended() || s.CancellationDate != nil && !on.Before(*s.CancellationDate) {
		return sums
	}
	for n := range s.Charges {
		line := &s.Charges[n]
		if value := lineValue(line); value != nil && !line.Off && line.Type == catalog.Recurring && !on.Before(line.StartDate) && !on.After(line.EndDate) {
			key := recurring{line.CurrencyID, line.Rate.BillingPeriod}
			if sums[key] == nil {
				sums[key] = new(big.Rat)
			}
			sums[key].Add(sums[key], value)
		}
	}
	return sums
}

// lineValue is what a line costs in a period, nil if it is not known.
func lineValue(line *subscription.Line) *big.Rat {
	if line.Rate == nil || line.Type == catalog.Usage {
		return nil
	}
	quantity := big.NewRat(1, 1)
	if line.Quantity != nil {
		quantity = big.NewRat(int64(*line.Quantity), 1)
	}
	value, err := line.Rate.Value(quantity)
	if err != nil {
		return nil
	}
	return value
}

// periodWords are the billing periods at the end of a price.
var periodWords = map[catalog.BillingPeriod]string{
	catalog.Monthly: "a month", catalog.Quarterly: "a quarter", catalog.SemiAnnual: "a half-year", catalog.Annual: "a year",
}

// recurringWords say what the subscription costs by the period from then on, and
// how much more or less that is: "EUR 1,404.00 a month, EUR 195.00 more than now".
func recurringWords(before, then *subscription.Subscription, today billing.Date) (says []string) {
	was := recurringOf(before, before.Earliest(today))
	on, from := then.Earliest(today), "From today"
	now := recurringOf(then, on)
	if day, changes := nextChange(then, on); changes && sameSums(was, now) {
		on, now = day, recurringOf(then, day)
	}
	if on != today {
		from = "From " + ui.DayText(on)
	}
	keys := map[recurring]bool{}
	for k := range was {
		keys[k] = true
	}
	for k := range now {
		keys[k] = true
	}
	sorted := make([]recurring, 0, len(keys))
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.SortFunc(sorted, func(a, b recurring) int {
		return cmp.Or(cmp.Compare(a.currency, b.currency), cmp.Compare(a.period, b.period))
	})
	for _, k := range sorted {
		currency, err := money.CurrencyOf(k.currency)
		if err != nil {
			continue
		}
		text := decimalMoney(orZero(now[k]), currency).Text + " " + cmp.Or(periodWords[k.period], ui.EnumText(k.period))
		switch more := new(big.Rat).Sub(orZero(now[k]), orZero(was[k])); more.Sign() {
		case 1:
			text += ", " + decimalMoney(more, currency).Text + " more than before"
		case -1:
			text += ", " + decimalMoney(more.Neg(more), currency).Text + " less than before"
		default:
			text += ", as before"
		}
		says = append(says, from+": "+text+".")
	}
	return says
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

func sameSums(a, b map[recurring]*big.Rat) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if b[k] == nil || a[k].Cmp(b[k]) != 0 {
			return false
		}
	}
	return true
}

// nextChange is the next day after one on which a line begins or all end.
func nextChange(s *subscription.Subscription, after billing.Date) (day billing.Date, found bool) {
	days := make([]billing.Date, 0, len(s.Charges)+1)
	for n := range s.Charges {
		if !s.Charges[n].Off {
			days = append(days, s.Charges[n].StartDate)
		}
	}
	if s.CancellationDate != nil {
		days = append(days, *s.CancellationDate)
	}
	for _, d := range days {
		if d.After(after) && (!found || d.Before(day)) {
			day, found = d, true
		}
	}
	return day, found
}
