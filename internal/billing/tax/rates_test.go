package tax

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func rateOf(country, region, code, from, to string) *Rate {
	r := &Rate{Country: country, Region: &region, TaxCode: code, Rate: "19", Name: "VAT"}
	if from != "" {
		r.ValidFrom = new(d(from))
	}
	if to != "" {
		r.ValidTo = new(d(to))
	}
	r.Normalize()
	return r
}

func TestRatesThatOverlap(t *testing.T) {
	was, is := rateOf("DE", "", "standard", "", "2025-12-31"), rateOf("DE", "", "standard", "2026-01-01", "")
	for _, row := range []struct {
		a, b *Rate
		want bool
	}{
		{was, is, false},
		{was, was, true},
		{is, rateOf("DE", "", "standard", "2030-01-01", ""), true},
		{was, rateOf("DE", "", "standard", "2025-12-31", ""), true},
		{is, rateOf("DE", "", "standard", "", ""), true},
		{is, rateOf("DE", "", "reduced", "", ""), false},
		{is, rateOf("DE", "BY", "standard", "", ""), false},
		{is, rateOf("AT", "", "standard", "", ""), false},
		{rateOf("PT", "PT-20", "standard", "", ""), rateOf("PT", "20", "standard", "", ""), true},
	} {
		if row.a.Overlaps(row.b) != row.want || row.b.Overlaps(row.a) != row.want {
			t.Errorf("%+v and %+v: want %t", row.a, row.b, row.want)
		}
	}
}

func TestOneRateForADay(t *testing.T) {
	rates := Rates{*rateOf("PT", "20", "standard", "2026-01-01", "")}
	rates[0].ID = 1
	if e := rates.CheckOverlap(&rates[0]); e != nil {
		t.Errorf("a rate beside itself: %v", e)
	}
	if e := rates.CheckOverlap(rateOf("PT", "20", "standard", "", "2025-12-31")); e != nil {
		t.Errorf("the rate before: %v", e)
	}
	if e := rates.CheckOverlap(rateOf("PT", "20", "standard", "", "2026-01-01")); e == nil || !strings.Contains(e.Message, "PT-20") {
		t.Errorf("a rate that goes on: %v", e)
	}
}

func TestRatesAreChecked(t *testing.T) {
	if p := rateOf("DE", "", "standard", "2026-01-01", "2026-01-01").Check(); p != nil {
		t.Error(p)
	}
	for _, row := range []struct {
		field, says string
		edit        func(*Rate)
	}{
		{"country", "ISO 3166", func(r *Rate) { r.Country = "EL" }},
		{"rate", "0 to 100", func(r *Rate) { r.Rate = "101" }},
		{"rate", "0 to 100", func(r *Rate) { r.Rate = "19.0" }},
		{"rate", "needs its percentage", func(r *Rate) { r.Rate = "" }},
		{"taxCode", "empty", func(r *Rate) { r.TaxCode = "" }},
		{"name", "empty", func(r *Rate) { r.Name = "" }},
		{"validTo", "before the first", func(r *Rate) { r.ValidFrom, r.ValidTo = new(d("2026-02-01")), new(d("2026-01-31")) }},
	} {
		r := rateOf("DE", "", billing.StandardTaxCode, "", "")
		row.edit(r)
		if p := r.Check(); len(p) != 1 || p[0].Field[0] != row.field || !strings.Contains(p[0].Message, row.says) {
			t.Errorf("%s: %v, want %q", row.field, p, row.says)
		}
	}
}
