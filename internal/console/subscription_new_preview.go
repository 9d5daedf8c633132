package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// wrongWith reads the form into an order and says all that is wrong with it at
// once, as far as that can be known before the operation looks at it.
func wrongWith(c *call, sections []ui.Section[newOrder], offer *subscription.Offer, o *newOrder) error {
	var problems problemList
	problems.add(ui.Apply(sections, c.r.PostForm, o))
	if o.Account == 0 && len(problems) == 0 {
		problems.add(billing.Fail(billing.Required, "accountId", "Choose the account."))
	}
	n, err := o.draft(offer)
	problems.add(err)
	if n == nil || len(problems) == 0 {
		return billing.Problems(problems).Err() // the rest is for the operation
	}
	today, err := c.today(nil)
	if err != nil {
		return err
	}
	_, _, err = subscription.New(n.Draft, offer, today)
	problems.add(err)
	return billing.Problems(problems).Err()
}

// newNotes says in sentences how long a new subscription lasts and what it
// costs.
func newNotes(c *call, s *subscription.Subscription, offer *subscription.Offer) ([]string, error) {
	features, err := store.Features.ByIDs(c.ctx(), c.q(), chargeFeatures(offer))
	if err != nil {
		return nil, err
	}
	var prices []string
	numbers := false
	for i := range offer.Charges {
		charge := &offer.Charges[i]
		for _, line := range s.Charges {
			if line.ChargeID == charge.ID && !line.Off && charge.ChargeType != catalog.Usage {
				numbers = numbers || line.Quantity != nil
				prices = append(prices, charge.Name+" "+charge.Costs(line.Quantity, offer.PriceList.CurrencyID, features))
				break
			}
		}
	}
	notes := []string{lastsWords(s)}
	if len(prices) > 1 || numbers { // one price alone is what the money is
		notes = append(notes, "Price: "+strings.Join(prices, "; ")+".")
	}
	return notes, nil
}

// lastsWords says from when to when a new subscription lasts.
func lastsWords(s *subscription.Subscription) string {
	var text string
	if s.TrialStartDate != nil && s.TrialEndDate != nil {
		text = "The trial is from " + ui.DayText(*s.TrialStartDate) + " to " + ui.DayText(*s.TrialEndDate) + ". "
	}
	text += "The term is from " + ui.DayText(s.TermStartDate) + " to " + ui.DayText(s.EndDate)
	if s.Evergreen {
		return text + ", and then renews for " + ui.Plural(s.RenewalTermMonths, "month", "months") + "."
	}
	return text + ", and then expires."
}
