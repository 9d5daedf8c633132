package document

import "testing"

// BenchmarkVerify measures one invoice of two items: what documentsVerify does for
// each.
func BenchmarkVerify(b *testing.B) {
	i := invoice(b, 1000, 2000)
	for n := range i.Items {
		i.Items[n].Kind = RecurringItem
		i.Items[n].Explanation = []byte(`{"rate":{"chargeType":"RECURRING","billingPeriod":"MONTHLY","billingTiming":"IN_ADVANCE","pricingModel":"FLAT","price":"10"},"period":["2026-03-01","2026-03-31"],"days":31,"of":31,"pieces":[["2026-03-01","2026-03-31","10"]],"exact":"1000","billedBefore":"0.00","forgiven":"0.00","target":"10.00"}`)
		i.Items[n].Priced = 1000
	}
	if err := i.Total(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		canonical, err := i.Canonical()
		if err != nil || i.Verify() != nil {
			b.Fatal(err)
		}
		Chain(Hash{}, canonical)
	}
}
