package subscription

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestKeepAgreed restores a subscription again after prices were raised and charges added:
// only what is ordered, by its charge or by its feature, is new.
func TestKeepAgreed(t *testing.T) {
	start := billing.Date{Year: 2026, Month: 1, Day: 1}
	dearer := *offers[monthlyID]
	dearer.Charges = slices.Clone(dearer.Charges)
	for i := range dearer.Charges {
		dearer.Charges[i].Price = new(billing.Price("77"))
	}
	few := *offers[monthlyID]
	few.Charges = few.Charges[:2]
	restore := func(o *Offer, orders ...QuantityOrder) Subscription {
		s, err := Restore(Record{StartDate: &start, Quantities: orders}, o, findOffer, start)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	seats := QuantityOrder{Code: "seats", Quantity: new(5)}
	was := restore(&few, seats)
	for name, c := range map[string]struct {
		orders []QuantityOrder
		want   string
	}{
		"as before":             {[]QuantityOrder{seats}, "base 9.9, seats 9.9"},
		"ordered by its charge": {[]QuantityOrder{seats, {Code: "space", Quantity: new(3)}}, "base 9.9, seats 9.9, space 77"},
		"ordered by a feature":  {[]QuantityOrder{seats, {Code: "storage", Quantity: new(3)}}, "base 9.9, seats 9.9, space 77"},
	} {
		again := restore(&dearer, c.orders...)
		again.KeepAgreed(&was, c.orders, &dearer)
		text := ""
		for _, line := range again.Charges {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprint(line.Code, " ", *line.Price)
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
	elsewhere := restore(&dearer, seats)
	elsewhere.PriceListID = annualID
	elsewhere.KeepAgreed(&was, []QuantityOrder{seats}, &dearer)
	if len(elsewhere.Charges) != len(restore(&dearer, seats).Charges) || *elsewhere.Charges[0].Price != "77" {
		t.Errorf("on another price list: %+v", elsewhere.Charges)
	}
}
