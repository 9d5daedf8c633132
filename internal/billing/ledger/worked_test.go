package ledger_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

func TestSeatsUpAndDown(t *testing.T) {
	b := newBook(t, monthly("2026-01-01", line(1, flat("10", catalog.Monthly), 5, "2026-01-01")))
	b.expect("5 seats", b.run(d("2026-01-01")), amounts{5000}, nil)
	b.setQuantity(1, 8, d("2026-01-16"), false)
	change := b.changes(d("2026-01-16"))[0]
	if want := (ledger.Period{From: d("2026-01-16"), To: d("2026-01-31")}); change.Days != want || change.Due != d("2026-01-16") || change.CallsOn != (billing.Date{}) {
		t.Errorf("the difference is about %v and due on %s", change.Days, change.Due)
	}
	explanation := change.Explain()
	if got, want := string(explanation.JSON()), `{"rate":{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"10"},`+
		`"period":["2026-01-01","2026-01-31"],"days":16,"of":31,"pieces":[["2026-01-01","2026-01-15","50"],["2026-01-16","2026-01-31","80"]],`+
		`"exact":"203000/31","billedBefore":"50.00","forgiven":"0.00","target":"65.48"}`; got != want {
		t.Errorf("the explanation is\n%s, want\n%s", got, want)
	}
	b.expect("+3", b.run(d("2026-01-16")), amounts{1548}, nil)
	b.setQuantity(1, 4, d("2026-01-25"), false)
	b.expect("−4", b.run(d("2026-01-25")), nil, amounts{903})
	for _, e := range b.keys {
		if e.items[1].credited != 903 || e.billed.Net != 5645 {
			t.Errorf("the credit is on %v", e.items)
		}
	}
}

// Rounding each credit and charge by itself would give 27.73.
func TestDifferencesDoNotAddUpErrors(t *testing.T) {
	b := newBook(t, monthly("2026-01-01", line(1, flat("10", catalog.Monthly), 1, "2026-01-01")))
	b.expect("10.00", b.run(d("2026-01-01")), amounts{1000}, nil)
	for i, step := range []struct {
		on     string
		amount int64
	}{{"2026-01-06", 839}, {"2026-01-13", 613}, {"2026-01-22", 322}} {
		b.setQuantity(1, i+2, d(step.on), false)
		b.expect(step.on, b.run(d(step.on)), amounts{ledgerAmount(step.amount)}, nil)
	}
	for _, e := range b.keys {
		if e.billed.Net != 2774 {
			t.Errorf("27.74 is %d", e.billed.Net)
		}
	}
}

func TestPlanChangeInMidPeriod(t *testing.T) {
	b := newBook(t, monthly("2026-11-01", line(1, flat("30", catalog.Monthly), 1, "2026-11-01")))
	b.run(d("2026-11-01"))
	b.changePlan(line(2, flat("100", catalog.Monthly), 1, "2026-11-16"), 0)
	b.expect("30.00 to 100.00", b.run(d("2026-11-16")), amounts{5000}, amounts{1500})
}

func TestAnnualPlanGivenUp(t *testing.T) {
	annual := func() *book {
		b := newBook(t, termed("2026-01-15", 12, line(1, flat("1200", catalog.Annual), 1, "2026-01-15")))
		b.expect("the year", b.run(d("2026-01-15")), amounts{120000}, nil)
		return b
	}
	b := annual()
	b.cancel(d("2026-04-01"), false)
	b.expect("canceled", b.run(d("2026-04-01")), nil, amounts{95014})

	b = annual()
	b.cancel(d("2026-04-01"), true)
	b.expect("canceled, unused days kept", b.run(d("2026-04-01")), nil, nil)
	b.expect("and nothing ever after", b.run(d("2027-04-01")), nil, nil)

	to := line(2, flat("120", catalog.Monthly), 1, "2026-03-20")
	b = annual()
	b.changePlan(to, 1)
	b.expect("to monthly, the term restarts", b.run(d("2026-03-20")), amounts{12000}, amounts{98959})
	if key := (ledger.Key{Charge: 2, Period: ledger.Period{From: d("2026-03-20"), To: d("2026-04-19")}}); b.keys[key] == nil {
		t.Errorf("the new period is not %v", key)
	}

	b = annual()
	b.changePlan(to, 0)
	b.expect("to monthly, the term is kept", b.run(d("2026-03-20")), amounts{10065}, amounts{98959})
}

func TestMonthlyPlanBecomesAnnual(t *testing.T) {
	month := func() *book {
		b := newBook(t, monthly("2026-01-15", line(1, flat("120", catalog.Monthly), 1, "2026-01-15")))
		b.expect("the month", b.run(d("2026-01-15")), amounts{12000}, nil)
		return b
	}
	to := line(2, flat("1200", catalog.Annual), 1, "2026-01-25")
	b := month()
	b.changePlan(to, 12)
	b.expect("the term restarts", b.run(d("2026-01-25")), amounts{120000}, amounts{8129})
	if key := (ledger.Key{Charge: 2, Period: ledger.Period{From: d("2026-01-25"), To: d("2027-01-24")}}); b.keys[key] == nil {
		t.Errorf("the new period is not %v", key)
	}

	b = month()
	b.changePlan(to, 0)
	b.line.Epochs = b.line.Epochs.Renewed(d("2026-02-15"), 15, 12)
	b.expect("the term is kept", b.run(d("2026-01-25")), amounts{6904}, amounts{8129})
	b.expect("then the year", b.run(d("2026-02-15")), amounts{120000}, nil)
}

// The sign of the difference decides, not the direction of the quantity.
func TestMoreUnitsForLess(t *testing.T) {
	volume := &rate.Rate{
		ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: catalog.InAdvance, PricingModel: catalog.Volume,
		Tiers: []catalog.Tier{{Starts: 1, Price: "2"}, {Starts: 101, Price: "1"}},
	}
	b := newBook(t, monthly("2026-06-01", line(1, volume, 100, "2026-06-01")))
	b.expect("100 units", b.run(d("2026-06-01")), amounts{20000}, nil)
	b.setQuantity(1, 101, d("2026-06-16"), false)
	b.expect("101 units", b.run(d("2026-06-16")), nil, amounts{4950})
}

func TestCurrenciesWithOtherDigits(t *testing.T) {
	for _, row := range []struct {
		currency string
		price    billing.Price
		want     int64
	}{{"JPY", "1000", 323}, {"KWD", "10", 3226}, {"EUR", "10", 323}, {"CLF", "10", 32258}} {
		l := line(1, flat(row.price, catalog.Monthly), 1, "2026-01-22")
		l.Currency = currency(row.currency)
		b := newBook(t, monthly("2026-01-01", l))
		b.expect("10 of 31 days in "+row.currency, b.run(d("2026-01-22")), amounts{ledgerAmount(row.want)}, nil)
	}
}

func TestForgivenDaysStayBilled(t *testing.T) {
	b := newBook(t, monthly("2026-01-01", line(1, flat("100", catalog.Monthly), 1, "2026-01-01")))
	b.run(d("2026-01-01"))
	b.forgive(b.order[0], 2000)
	b.expect("forgiven", b.run(d("2026-01-02")), nil, nil)
	b.cancel(d("2026-01-04"), false)
	b.expect("28 of 31 days taken back", b.run(d("2026-01-04")), nil, amounts{8000})
}

func TestVoidedDays(t *testing.T) {
	for _, rebill := range []bool{true, false} {
		b := newBook(t, monthly("2026-01-01", line(1, flat("100", catalog.Monthly), 1, "2026-01-01")))
		b.run(d("2026-01-01"))
		b.setQuantity(1, 2, d("2026-01-16"), false)
		b.expect("difference", b.run(d("2026-01-16")), amounts{5161}, nil)
		b.void(b.order[0], rebill)
		want := amounts{5161}
		if !rebill {
			want = nil
		}
		b.expect("void", b.run(d("2026-01-17")), want, nil)
		if rebill && len(slices.Collect(itemsOf(b))) != 3 {
			t.Error("the days were not billed by a third item")
		}
	}
}
