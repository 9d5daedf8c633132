package billing

// ChangePlan puts the subscription on another offer of the same product, now or
// when the term ends. A change that was scheduled before is replaced; the offer
// that the subscription is on takes it back.
func (s Subscription) ChangePlan(o *Offer, atTermEnd bool, today Date) (Subscription, SubscriptionChange, error) {
	if err := s.mayBe("moved to another plan"); err != nil {
		return s, SubscriptionChange{}, err
	}
	if o.ProductID != s.ProductID {
		return s, SubscriptionChange{}, invalid("priceListCode", "The price list %q belongs to another product; make a new subscription for that.", o.PriceList.Code)
	}
	now := s.now(today)
	next := s.clone()
	next.AsOf = now
	change := SubscriptionChange{From: s.State, To: s.State, Detail: planDetail(&s, o)}
	switch {
	case o.PriceList.ID == s.PriceListID && s.NextPriceList == nil:
		return s, SubscriptionChange{}, nil
	case o.PriceList.ID == s.PriceListID:
		change.Kind, change.Detail = KindPlanUnscheduled, map[string]any{"priceListId": s.NextPriceList.ID, "on": s.NextPriceList.On.String()}
		next.NextPriceList = nil
	case atTermEnd:
		scheduled := NextPriceList{o.PriceList.ID, s.TermEnd()}
		if s.NextPriceList != nil && *s.NextPriceList == scheduled {
			return s, SubscriptionChange{}, nil
		}
		change.Kind, change.Detail["on"] = KindPlanScheduled, scheduled.On.String()
		next.NextPriceList = &scheduled
	default:
		change.Kind = KindPlanChanged
		next.switchTo(o, maxDate(now, s.FirstDay()))
		if e := checkLastDay("priceListCode", next.EndDate); e != nil {
			return s, SubscriptionChange{}, e
		}
	}
	return next, change, nil
}

// planDetail says from which price list to which one a plan changes.
func planDetail(s *Subscription, o *Offer) map[string]any {
	return map[string]any{"fromPriceListId": s.PriceListID, "toPriceListId": o.PriceList.ID}
}

// switchTo puts the subscription on another offer from that day on, with the
// quantities it has. Terms that follow have the offer's length; so has the first
// one if it begins on that day or later and nobody chose its end.
func (s *Subscription) switchTo(o *Offer, on Date) {
	was := *s
	s.RenewalTermMonths, s.NextPriceList = o.PriceList.RenewalTermMonths, nil
	if !on.After(s.StartDate) && !was.hasOwnEnd() {
		s.startTerm(nil)
	}
	var old []SubscriptionCharge
	for _, line := range s.Charges {
		if line.PriceListID == s.PriceListID {
			old = append(old, line)
		}
	}
	lines := o.takeOver(old, on, s.EndDate)
	s.cutLines(on.AddDays(-1))
	s.PriceListID, s.Charges = o.PriceList.ID, append(s.Charges, lines...)
	s.followTerm(&was)
}
