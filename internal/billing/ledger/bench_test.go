package ledger_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// BenchmarkChanges measures a renewal of two charges. With history, the
// subscription has five years and 200 changes of quantity; the cost must not
// depend on them.
func BenchmarkChanges(b *testing.B) {
	for name, changes := range map[string]int{"new": 0, "history": 200} {
		b.Run(name, func(b *testing.B) {
			s := newBook(b, monthly("2021-01-01", line(1, flat("49.9", catalog.Monthly), 3, "2021-01-01"), line(2, flat("10", catalog.Monthly), 5, "2021-01-01")))
			today := d("2021-01-01")
			for i := range changes {
				today = today.AddDays(9)
				s.setQuantity(2, 5+i%7, today, false)
			}
			today = d("2026-01-01")
			b.ReportAllocs()
			for b.Loop() {
				changes, err := s.line.Changes(nil, today, today)
				if err != nil || len(changes) != 2 {
					b.Fatal(changes, err)
				}
			}
		})
	}
}

// BenchmarkExplain measures the explanation of an item, and BenchmarkNextBilling
// the day to look again.
func BenchmarkExplain(b *testing.B) {
	s := newBook(b, monthly("2026-01-01", line(1, flat("49.9", catalog.Monthly), 3, "2026-01-01")))
	change := s.changes(d("2026-01-01"))[0]
	b.ReportAllocs()
	for b.Loop() {
		e := change.Explain()
		e.JSON()
	}
}

func BenchmarkNextBilling(b *testing.B) {
	s := newBook(b, monthly("2021-01-01", line(1, flat("49.9", catalog.Monthly), 3, "2021-01-01"), line(2, flat("10", catalog.Monthly), 5, "2021-01-01")))
	today := d("2026-01-01")
	b.ReportAllocs()
	for b.Loop() {
		s.line.NextBilling(nil, today, asDue)
	}
}
