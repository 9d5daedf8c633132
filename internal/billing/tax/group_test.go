package tax

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

var eur = money.Currency{Code: "EUR", Digits: 2}

func lines(percent Percent, inclusive bool, amounts ...money.Amount) []Line {
	all := make([]Line, len(amounts))
	for i, a := range amounts {
		all[i] = Line{Treatment{Standard, percent, ""}, inclusive, a}
	}
	return all
}

func TestOneRoundingForEachGroup(t *testing.T) {
	for _, row := range []struct {
		name     string
		lines    []Line
		net, tax money.Amount
		nets     []money.Amount
	}{
		{"three items of 0.33", lines("19", false, 33, 33, 33), 99, 19, []money.Amount{33, 33, 33}},
		{"49.90 with tax", lines("19", true, 4990), 4193, 797, []money.Amount{4193}},
		{"shares by largest remainder", lines("19", true, 100, 100, 100), 252, 48, []money.Amount{84, 84, 84}},
		{"ties to the first", lines("19", true, 10, 10, 10), 25, 5, []money.Amount{9, 8, 8}},
		{"half a cent", lines("25", false, 2), 2, 1, []money.Amount{2}},
		{"no tax", lines("0", false, 100), 100, 0, []money.Amount{100}},
		{"no tax within", lines("0", true, 100), 100, 0, []money.Amount{100}},
		{"nothing", lines("19", true, 0, 0), 0, 0, []money.Amount{0, 0}},
		{"a fraction of a percent", lines("8.875", false, 10000), 10000, 888, []money.Amount{10000}},
		{"plan 30.00 to 100.00, the invoice", lines("19", false, 5000), 5000, 950, []money.Amount{5000}},
		{"plan 30.00 to 100.00, the credit note", lines("19", false, 1500), 1500, 285, []money.Amount{1500}},
	} {
		groups, nets, err := Compute(eur, row.lines)
		if err != nil || len(groups) != 1 || groups[0].Net != row.net || groups[0].Tax != row.tax || !slices.Equal(nets, row.nets) {
			t.Errorf("%s: %+v, %v, %v; want %d + %d, %v", row.name, groups, nets, err, row.net, row.tax, row.nets)
		}
	}
}

func TestGroupsOfADocument(t *testing.T) {
	mixed := slices.Concat(lines("19", false, 1000), lines("7", false, 500), lines("19", false, 1000), lines("19", true, 1190),
		[]Line{{Treatment{ReverseCharge, "0", reasonReverse}, false, 300}, {Treatment{Exempt, "0", "Embassy"}, false, 200}})
	groups, nets, err := Compute(eur, mixed)
	want := []Group{
		{Treatment{Standard, "19", ""}, false, 2000, 380}, {Treatment{Standard, "7", ""}, false, 500, 35}, {Treatment{Standard, "19", ""}, true, 1000, 190},
		{Treatment{ReverseCharge, "0", reasonReverse}, false, 300, 0}, {Treatment{Exempt, "0", "Embassy"}, false, 200, 0},
	}
	if err != nil || !slices.Equal(groups, want) || !slices.Equal(nets, []money.Amount{1000, 500, 1000, 1000, 300, 200}) {
		t.Errorf("%v, %v, %v", groups, nets, err)
	}
	if _, _, err := Compute(eur, lines("19", false, money.MaxDocument, 1)); !billing.Is(err, billing.Invalid) {
		t.Errorf("a document that is too large: %v", err)
	}
	if _, _, err := Compute(eur, lines("many", false, 1)); !billing.Is(err, billing.Invalid) {
		t.Errorf("a rate that is none: %v", err)
	}
}

func TestTaxOfCredits(t *testing.T) {
	groups, _, _ := Compute(eur, lines("19", false, 10000))
	first, err := groups[0].Credit(Credited{}, 3333)
	if err != nil || first != (Credited{3333, 633}) {
		t.Errorf("the first credit: %v, %v", first, err)
	}
	rest, err := groups[0].Credit(first, 6667)
	if err != nil || rest != (Credited{6667, 1267}) {
		t.Errorf("the rest: %v, %v", rest, err)
	}
	if more, err := groups[0].Credit(Credited{10000, 1900}, 1); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("more than was billed: %v, %v", more, err)
	}
}

// Items add up to the group, and the group to its tax (invariant 9, as far as it
// is about tax). Whatever is credited in whatever parts, everything ends at
// exactly what was billed (10).
func TestCreditsEndAtTheTaxBilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		percent := rapid.SampledFrom([]Percent{"0", "7", "8.1", "8.875", "19", "25.5", "100"}).Draw(t, "rate")
		inclusive := rapid.Bool().Draw(t, "inclusive")
		amounts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) money.Amount { return money.Amount(rapid.IntRange(0, 20000).Draw(t, "amount")) }), 1, 8).Draw(t, "amounts")
		groups, nets, err := Compute(eur, lines(percent, inclusive, amounts...))
		if err != nil || len(groups) != 1 {
			t.Fatal(groups, err)
		}
		g := groups[0]
		var sum, priced money.Amount
		for i := range nets {
			sum, priced = sum+nets[i], priced+amounts[i]
		}
		if sum != g.Net || g.priced() != priced {
			t.Fatalf("items are %d, the group is %d + %d of %d", sum, g.Net, g.Tax, priced)
		}
		var done Credited
		for left := priced; left > 0; {
			part := money.Amount(rapid.Int64Range(1, int64(left)).Draw(t, "part"))
			c, err := g.Credit(done, part)
			if err != nil || c.Tax < 0 || c.Net < 0 {
				t.Fatalf("a credit of %d after %v: %v, %v", part, done, c, err)
			}
			done, left = Credited{done.Net + c.Net, done.Tax + c.Tax}, left-part
		}
		if done != (Credited{g.Net, g.Tax}) {
			t.Fatalf("%d + %d was billed, %d + %d credited", g.Net, g.Tax, done.Net, done.Tax)
		}
	})
}
