package console

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// moneyData is what a change costs: in a sentence, in others that explain it, and
// item by item.
type moneyData struct {
	Lead  string
	Says  []string
	Bills []ui.Block
}

// sellerOf is the entity that issues the invoices of an account, nil if there is
// none or it does not issue any yet.
func sellerOf(c *call, a *billing.Account) (*billing.Entity, error) {
	entities, err := store.AllEntities(c.ctx(), c.q())
	for n := range entities {
		if e := &entities[n]; a != nil && (a.EntityID == nil || *a.EntityID == e.ID) {
			if e.InvoicingStartsOn == nil {
				return nil, nil
			}
			return e, nil
		}
	}
	return nil, err
}

// previewChange previews an operation on a subscription of an account: its
// webhooks, the money if invoices are issued, and what it does in all.
func previewChange(c *call, id billing.AccountID, atOnce bool, do func(context.Context) error) (*invoicing.ChangePreview, *impact.Impact, error) {
	account, err := store.Accounts.Get(c.ctx(), c.q(), id)
	if err != nil {
		return nil, nil, err
	}
	seller, err := sellerOf(c, account)
	if err != nil {
		return nil, nil, err
	}
	var p *invoicing.ChangePreview
	found, err := c.service.Impact.Foretell(c.asking(), func(ctx context.Context) (err error) {
		if seller == nil {
			p = &invoicing.ChangePreview{}
			p.Webhooks, err = c.service.PreviewOf(ctx, do)
			return err
		}
		p, err = c.service.Invoicing.PreviewChange(ctx, id, atOnce, do)
		return err
	})
	return p, found, err
}

// moneyOf says what a change costs: by the period, now, and with the next invoice.
// before is nil for a new subscription.
func moneyOf(p *invoicing.ChangePreview, before, then *subscription.Subscription, today billing.Date) *moneyData {
	m := &moneyData{}
	parts := recurringWords(before, then, today)
	if p.Now != nil {
		parts = append(parts, nowWords(p.Now))
		m.Bills = append(m.Bills, billFor(then.ID, "Billed today", p.Now))
	} else if p.Next != nil {
		parts = append(parts, "nothing now")
	}
	if len(parts) > 0 {
		m.Lead = ui.Capitalized(strings.Join(parts, ", ")) + "."
	}
	if p.Problem != "" {
		m.Says = append(m.Says, "What it comes to on an invoice cannot be told: "+p.Problem)
	}
	if p.Next != nil {
		m.Bills = append(m.Bills, billFor(then.ID, "Next invoice, on "+ui.DayText(p.Next.On), p.Next))
	}
	if m.Lead == "" && m.Says == nil && m.Bills == nil {
		return nil
	}
	return m
}

// billFor is a bill of the account, in a preview of a change of one subscription. What it has
// of others is said to be of those.
func billFor(changed billing.SubscriptionID, what string, p *invoicing.Preview) ui.Block {
	b := billBlock(what, p)
	none, row := len(p.CreditNotes) == 0, 0
	for _, i := range p.Invoices {
		for n := range i.Items {
			other := i.Items[n].SubscriptionID != nil && !isOf(&i.Items[n], changed)
			none = none && other
			if n >= itemsShown {
				continue
			}
			if cell := &b.Table.Rows[row][0]; other {
				cell.Sub = strings.TrimSuffix("Of another subscription: "+cell.Sub, ": ")
			}
			row++
		}
	}
	if none {
		b.Note = "It has nothing of this subscription. " + b.Note
	}
	return b
}

// nowWords is what is billed or credited at once.
func nowWords(p *invoicing.Preview) string {
	words := make([]string, len(p.Totals))
	for n, t := range p.Totals {
		if words[n] = amountText(t.Amount, t.Currency) + " now"; t.Amount < 0 {
			words[n] = amountText(-t.Amount, t.Currency) + " credited now"
		}
	}
	text := strings.Join(words, ", ")
	taxed := slices.ContainsFunc(p.Invoices, func(i *document.Invoice) bool { return i.TaxAmount != 0 }) ||
		slices.ContainsFunc(p.CreditNotes, func(n document.CreditNote) bool { return n.TaxAmount != 0 })
	if taxed {
		text += " with tax"
	}
	return text
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
		if value := line.Value(); value != nil && !line.Off && line.Type == catalog.Recurring && !on.Before(line.StartDate) && !on.After(line.EndDate) {
			key := recurring{line.CurrencyID, line.Rate.BillingPeriod}
			if sums[key] == nil {
				sums[key] = new(big.Rat)
			}
			sums[key].Add(sums[key], value)
		}
	}
	return sums
}

// periodWords are the billing periods at the end of a price.
var periodWords = map[catalog.BillingPeriod]string{
	catalog.Monthly: "a month", catalog.Quarterly: "a quarter", catalog.SemiAnnual: "a half-year", catalog.Annual: "a year",
}

// inOrder are the sums in a fixed order.
func inOrder(sums map[recurring]*big.Rat) []recurring {
	return slices.SortedFunc(maps.Keys(sums), func(a, b recurring) int {
		return cmp.Or(cmp.Compare(a.currency, b.currency), cmp.Compare(a.period, b.period))
	})
}

// words is so much by the period: "EUR 1,404.00 a month".
func (r recurring) words(value *big.Rat) string { return r.money(value) + " " + r.every() }

// every is how often the sum is due: "a month".
func (r recurring) every() string { return cmp.Or(periodWords[r.period], ui.EnumText(r.period)) }

// money is an amount in the currency of the sum.
func (r recurring) money(value *big.Rat) string {
	in, err := money.CurrencyOf(r.currency)
	if err != nil {
		return strings.TrimSpace(r.currency + " " + value.RatString())
	}
	return decimalMoney(value, in).Text
}

// recurringWords say what the subscription costs by the period from then on, and
// how much more or less that is: "EUR 1,404.00 a month", "+EUR 195.00 from today".
func recurringWords(before, then *subscription.Subscription, today billing.Date) (says []string) {
	var was map[recurring]*big.Rat
	if before != nil {
		was = recurringOf(before, before.Earliest(today))
	}
	on := then.Earliest(today)
	now := recurringOf(then, on)
	if day, changes := nextChange(then, on); changes && before != nil && sameSums(was, now) {
		if later := recurringOf(then, day); !sameSums(was, later) {
			on, now = day, later
		}
	}
	from := " from today"
	if first := later(on, then.StartDate); first != today {
		from = " from " + ui.DayText(first)
	}
	for _, k := range inOrder(now) {
		more := new(big.Rat).Sub(now[k], orZero(was[k]))
		switch says = append(says, k.words(now[k])); {
		case before == nil && from != " from today":
			says[len(says)-1] += from
		case before == nil:
		case more.Sign() > 0 && was[k] != nil:
			says = append(says, "+"+k.money(more)+from)
		case more.Sign() < 0:
			says = append(says, "−"+k.money(more.Neg(more))+from)
		case was[k] != nil:
			says = append(says, "as before")
		default:
			says[len(says)-1] += from
		}
	}
	for _, k := range inOrder(was) {
		if now[k] == nil {
			says = append(says, "no longer "+k.words(was[k]))
			if len(now) == 0 {
				says[len(says)-1] += from
			}
		}
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
