package bill

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// Documents are what an account is billed, without numbers.
type Documents struct {
	Invoices    []*document.Invoice
	CreditNotes []document.CreditNote
	// Touched are invoices that something was taken back of that had been written off:
	// they have no credit note for it.
	Touched []*document.Invoice
	// Ledger is what is billed of the keys then.
	Ledger []Billed
	// Pending are the items made by hand that are on invoices now.
	Pending []billing.PendingItemID
}

// Billed is what the ledger keeps of a key of a subscription.
type Billed struct {
	SubscriptionID billing.SubscriptionID
	ledger.Billed
}

// Item is an item that was billed, on its invoice.
type Item struct {
	Invoice *document.Invoice
	Index   int
}

// Documents makes the documents of what Due found. items are those of the keys
// that are credited, oldest first; what is credited is noted on them.
func (a *Account) Documents(items map[Ref][]Item) (*Documents, error) {
	d := &Documents{}
	var billables []document.Billable
	var credits []document.Credit
	for _, s := range a.Subscriptions {
		for n := range s.Changes {
			c := &s.Changes[n]
			switch {
			case c.Amount > 0:
				item, err := a.item(s, c)
				if err != nil {
					return nil, err
				}
				billables = append(billables, item)
			case c.Amount < 0:
				drawn, err := a.draw(d, c, items[Ref{s.ID, c.Key}])
				if err != nil {
					return nil, err
				}
				credits = append(credits, drawn...)
			}
			d.Ledger = append(d.Ledger, billedBy(s, c))
		}
	}
	for n := range a.pending {
		item, err := a.manual(&a.pending[n])
		if err != nil {
			return nil, err
		}
		billables, d.Pending = append(billables, item), append(d.Pending, a.pending[n].ID)
	}
	var err error
	if d.Invoices, err = document.Invoices(a.ID, billables); err != nil {
		return nil, err
	}
	for _, i := range d.Invoices {
		a.Address(i)
	}
	if len(credits) > 0 {
		if d.CreditNotes, err = document.CreditNotes(document.DifferenceCredit, "", credits); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func forgiven(c *ledger.Change) money.Amount {
	if c.Before == nil {
		return 0
	}
	return c.Before.Forgiven
}

// item is the item of a change that is invoiced.
func (a *Account) item(s *Subscription, c *ledger.Change) (document.Billable, error) {
	item := document.ItemOf(c)
	item.SubscriptionID, item.TenantCode = &s.ID, s.TenantCode
	agreed := c.Pieces[len(c.Pieces)-1].Rate
	item.TaxCode, item.Inclusive = agreed.TaxedAs(), agreed.TaxIncluded
	line := lineOf(s.Subscription, c)
	if line == nil { // it begins with a change of plan that is still to come
		then, err := s.BroughtTo(c.Days.From, s.Offers)
		if err != nil {
			return document.Billable{}, err
		}
		line = lineOf(&then, c)
	}
	if line != nil {
		item.Code, item.LineText = line.Code, line.Name
		if line.FeatureID != nil {
			if offer, err := s.Offers(line.PriceListID); err == nil {
				feature := offer.Features[*line.FeatureID]
				item.Feature, item.UnitName = feature.Code, feature.UnitName
			}
		}
	}
	on := item.StartDate
	if item.Kind == document.OneTimeItem {
		on = a.issuedOn()
	}
	var err error
	if item.Tax, err = a.Treat(item.TaxCode, on); err != nil {
		return document.Billable{}, err
	}
	b := document.Billable{EntityID: a.Entity.ID, Currency: c.Currency, Item: item}
	if s.SeparateInvoice {
		b.Separate = s.ID
	}
	return b, nil
}

// lineOf is the line that a change is about: that of its last day.
func lineOf(s *subscription.Subscription, c *ledger.Change) (found *subscription.Line) {
	for n := range s.Charges {
		line := &s.Charges[n]
		if line.ChargeID == c.Charge && (found == nil || !line.StartDate.After(c.Days.To) && line.StartDate.After(found.StartDate)) {
			found = line
		}
	}
	return found
}

// manual is the item of a pending one.
func (a *Account) manual(p *document.PendingItem) (document.Billable, error) {
	treatment, err := a.Treat(p.TaxCode, a.issuedOn())
	if err != nil {
		return document.Billable{}, err
	}
	b := document.Billable{EntityID: a.Entity.ID, Currency: p.Currency, Item: document.Item{
		Kind: document.ManualItem, SubscriptionID: p.SubscriptionID, LineText: p.LineText, Quantity: p.Quantity, Price: p.Price,
		StartDate: p.DueOn, EndDate: p.DueOn, TaxCode: p.TaxCode, Tax: treatment, Priced: p.Amount,
	}}
	for _, s := range a.Subscriptions {
		if p.SubscriptionID != nil && s.ID == *p.SubscriptionID {
			if b.Item.TenantCode = s.TenantCode; s.SeparateInvoice {
				b.Separate = s.ID
			}
		}
	}
	return b, nil
}

// draw takes a credit from the items of its key. What was written off of them is not
// given back.
func (a *Account) draw(d *Documents, c *ledger.Change, items []Item) (credits []document.Credit, err error) {
	left := make([]money.Amount, len(items))
	for n, i := range items {
		left[n] = i.Invoice.Items[i.Index].Left()
	}
	draws, err := ledger.DrawCredit(-c.Amount, left)
	if err != nil {
		return nil, err
	}
	for _, draw := range draws {
		on := items[draw.Item]
		covered := on.Invoice.Items[on.Index].TakeWrittenOff(draw.Amount)
		if covered > 0 {
			d.Touched = append(d.Touched, on.Invoice)
		}
		if covered == draw.Amount {
			continue
		}
		explanation := c.ExplainDraw(draw, left[draw.Item])
		if covered > 0 {
			explanation.WrittenOff = c.Currency.Format(covered)
		}
		credits = append(credits, document.Credit{
			Invoice: on.Invoice, Item: on.Index, Amount: draw.Amount - covered, LineText: on.Invoice.Items[on.Index].LineText,
			StartDate: c.Days.From, EndDate: c.Days.To, Explanation: explanation.JSON(),
		})
	}
	return credits, nil
}

// share is what one invoice of an account is for: a currency, and a subscription if
// that is invoiced separately.
type share struct {
	currency money.Currency
	separate billing.SubscriptionID
}

// shareOf is the share of something that is or is not for a subscription.
func (a *Account) shareOf(c money.Currency, id *billing.SubscriptionID) share {
	for _, s := range a.Subscriptions {
		if id != nil && s.ID == *id && s.SeparateInvoice {
			return share{c, s.ID}
		}
	}
	return share{c, 0}
}

// KeepAsDrafts leaves invoices out that stay drafts, and what they are for out of the
// ledger: a draft is a preview. Credit notes are issued nevertheless.
func (a *Account) KeepAsDrafts(d *Documents, stays func(*document.Invoice) bool) (drafts []*document.Invoice) {
	kept := map[share]bool{}
	var issued []*document.Invoice
	for _, i := range d.Invoices {
		if stays(i) {
			drafts, kept[a.shareOf(i.Currency, i.SubscriptionID)] = append(drafts, i), true
		} else {
			issued = append(issued, i)
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	d.Invoices, d.Pending, d.Ledger = issued, nil, nil
	for n := range a.pending {
		if p := &a.pending[n]; !kept[a.shareOf(p.Currency, p.SubscriptionID)] {
			d.Pending = append(d.Pending, p.ID)
		}
	}
	for _, s := range a.Subscriptions {
		for n := range s.Changes {
			c := &s.Changes[n]
			if c.Amount <= 0 || !kept[a.shareOf(c.Currency, &s.ID)] {
				d.Ledger = append(d.Ledger, billedBy(s, c))
				continue
			}
			s.Next.BilledOn, s.Next.ChangedOn = s.BilledOn, s.ChangedOn
			if s.Next.DirtyFrom == nil || c.Days.From.Before(*s.Next.DirtyFrom) {
				s.Next.DirtyFrom = &c.Days.From
			}
		}
	}
	return drafts
}

// billedBy is what the ledger keeps of a key once a change is billed.
func billedBy(s *Subscription, c *ledger.Change) Billed {
	return Billed{s.ID, ledger.Billed{Key: c.Key, Currency: c.Currency, Pieces: c.Pieces, Net: c.Target, Forgiven: forgiven(c)}}
}
