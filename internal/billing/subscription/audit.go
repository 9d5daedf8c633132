package subscription

import (
	"encoding/json"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Changes is Changes for a subscription, together with the
// quantities in its lines, which are no field of it: "quantity.seats" is what
// counts today, "quantity.seats.2026-03-01" what counts from a later day on, and
// "keptTo.seats" the last day that stays owed of a line that was reduced or
// canceled. A nil before means that the subscription is new.
func Changes(before, after *Subscription, today billing.Date) map[string]billing.Change {
	var was any // an interface that is nil, not one that holds a nil pointer
	if before != nil {
		was = before
	}
	changes := billing.Changes(was, after)
	quantityChanges(changes, before, after, today)
	keptChanges(changes, before, after)
	return changes
}

// quantityChanges compares the quantities of each charge, by its code, today and
// on each later day on which one of the lines begins.
func quantityChanges(changes map[string]billing.Change, before, after *Subscription, today billing.Date) {
	if before != nil && before.State.Ended() != after.State.Ended() {
		return // all lines end or go on, which says nothing about quantities
	}
	days, codes := []billing.Date{today}, []string{}
	for _, s := range []*Subscription{before, after} {
		if s == nil {
			continue
		}
		for i := range s.Charges {
			codes = append(codes, s.Charges[i].Code)
			if start := s.Charges[i].StartDate; start.After(today) {
				days = append(days, start)
			}
		}
	}
	slices.Sort(codes)
	slices.SortFunc(days, billing.Date.Compare)
	for _, code := range slices.Compact(codes) {
		name := "quantity." + code
		var last [2]*int // as both stood on the day before
		for _, day := range slices.Compact(days) {
			now := [2]*int{before.quantityOn(code, day), after.quantityOn(code, day)}
			if !sameQuantity(now[0], now[1]) && (!sameQuantity(now[0], last[0]) || !sameQuantity(now[1], last[1])) {
				on := name
				if day != today {
					on += "." + day.String()
				}
				changes[on] = billing.Change{From: numberJSON(now[0]), To: numberJSON(now[1])}
			}
			last = now
		}
	}
}

// keptChanges compares the last days that stay owed of each charge, by its code.
func keptChanges(changes map[string]billing.Change, before, after *Subscription) {
	was, is := before.keptDays(), after.keptDays()
	for _, kept := range []map[string]billing.Date{was, is} {
		for code := range kept {
			if was[code] != is[code] {
				changes["keptTo."+code] = billing.Change{From: dayJSON(was[code]), To: dayJSON(is[code])}
			}
		}
	}
}

func (s *Subscription) keptDays() map[string]billing.Date {
	kept := map[string]billing.Date{}
	if s == nil {
		return kept
	}
	for i := range s.Charges {
		if line := &s.Charges[i]; line.KeptTo != nil && line.KeptTo.After(line.EndDate) {
			kept[line.Code] = maxDate(kept[line.Code], *line.KeptTo)
		}
	}
	return kept
}

func dayJSON(d billing.Date) json.RawMessage {
	if d == (billing.Date{}) {
		return json.RawMessage("null")
	}
	return json.RawMessage(`"` + d.String() + `"`)
}

// quantityOn is the quantity of the line that counts for a charge on a day, nil
// if there is none. A subscription that is not there has none.
func (s *Subscription) quantityOn(code string, day billing.Date) *int {
	if s == nil {
		return nil
	}
	for i := range s.Charges {
		if line := &s.Charges[i]; line.Code == code && s.counts(line, day) {
			return line.Quantity
		}
	}
	return nil
}

func numberJSON(n *int) json.RawMessage {
	text, err := json.Marshal(n)
	if err != nil {
		panic("subscription: a number must be JSON: " + err.Error())
	}
	return text
}
