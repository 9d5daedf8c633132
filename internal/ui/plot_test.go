package ui

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestPlotsFit draws days of all sizes: every part is seen, stands on the one
// below it, and stays within the picture.
func TestPlotsFit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 2, 3, 7, 99, 1000, 123_456, 50_000_000} {
		days := make([]PlotDay, 31)
		for i := range days {
			days[i].Day = billing.Date{Year: 2026, Month: time.February, Day: 20}.AddDays(i)
			days[i].Counts = []int{random.IntN(size + 1), random.IntN(2), random.IntN(size/10 + 1)}
		}
		days[3].Counts, days[4].Counts = []int{size, 1, 1}, []int{0, 0, 0}
		p := NewPlot([]PlotSeries{{"Delivered", "good"}, {"In progress", "wait"}, {"Given up", "bad"}}, days)
		if len(p.Bars) != len(days) {
			t.Fatalf("%d bars", len(p.Bars))
		}
		for i, b := range p.Bars {
			parts := 0
			for _, n := range days[i].Counts {
				if n > 0 {
					parts++
				}
			}
			if len(b.Parts) != parts {
				t.Errorf("day %d has %d parts, want %d", i, len(b.Parts), parts)
			}
			below := float64(p.Base())
			for _, part := range b.Parts {
				if part.Height < leastBar || part.Y+part.Height != below || part.Y < 0 {
					t.Errorf("%d: day %d is drawn as %+v on %v", size, i, part, below)
				}
				below = part.Y
			}
			if b.X < plotLeft || b.X+barWidth > float64(p.Width) || (b.Month != "") != (i == 0 || b.Text == "1") {
				t.Errorf("day %d is at %v with the month %q", i, b.X, b.Month)
			}
		}
	}
}

func TestAxesAreGoodToRead(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "2", 1: "2", 3: "4", 4: "4", 5: "6", 7: "10", 11: "20", 601: "1k", 1000: "1k", 1001: "2k", 500_000: "600k", 600_001: "1M", 30_000_000: "40M"} {
		if got := short(roundUp(n)); got != want {
			t.Errorf("the axis of %d ends at %s, want %s", n, got, want)
		}
	}
}
