package subscription

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestPauses suspends a subscription whose suspended days are not billed, and ends the
// pause in every way.
func TestPauses(t *testing.T) {
	t.Parallel()
	suspended := Verdict{Standing: billing.Suspended, InvoiceID: new(billing.InvoiceID(7)), Unbilled: true}
	good := Verdict{Standing: billing.Good}
	for _, c := range []struct {
		name string
		do   func(y *story, stand func(string, Verdict))
		want string
	}{
		{"billed all the same", func(_ *story, stand func(string, Verdict)) {
			stand("2026-01-10", Verdict{Standing: billing.Suspended, InvoiceID: suspended.InvoiceID})
			stand("2026-01-20", good)
		}, ""},
		{"it goes on", func(_ *story, stand func(string, Verdict)) { stand("2026-01-10", suspended) }, "2026-01-10–"},
		{"another invoice is the reason", func(_ *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			stand("2026-01-15", Verdict{Standing: billing.Suspended, InvoiceID: new(billing.InvoiceID(8))})
		}, "2026-01-10–"},
		{"paid", func(_ *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			stand("2026-01-20", good)
		}, "2026-01-10–2026-01-19"},
		{"paid on the same day", func(_ *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			stand("2026-01-10", good)
		}, ""},
		{"paid and suspended again on that day", func(_ *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			stand("2026-01-20", good)
			stand("2026-01-20", suspended)
		}, "2026-01-10–2026-01-19 2026-01-20–"},
		{"canceled, and paid later", func(y *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			y.until("2026-01-15").do(cancel("2026-01-15"))
			stand("2026-01-20", good)
		}, "2026-01-10–2026-01-14"},
		{"canceled, and reinstated without a payment", func(y *story, stand func(string, Verdict)) {
			stand("2026-01-10", suspended)
			y.until("2026-01-15").do(cancel("2026-01-15"))
			y.until("2026-01-20").do(reinstate(""))
		}, "2026-01-10–2026-01-14 2026-01-20–"},
	} {
		y := newStory(t, "2026-01-01", splitID, Draft{Evergreen: true, Quantities: []QuantityOrder{order("seats", 5), order("extra", 0)}})
		c.do(y, func(day string, v Verdict) {
			y.until(day)
			y.s, _ = y.s.SetStanding(v, y.today)
		})
		var texts []string
		for _, p := range y.s.Pauses {
			to := ""
			if p.To != (billing.Date{}) {
				to = p.To.String()
			}
			texts = append(texts, fmt.Sprintf("%s–%s", p.From, to))
		}
		if got := strings.Join(texts, " "); got != c.want || y.s.Pauses.Check() != nil {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
