package ledger_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

func TestFirstChange(t *testing.T) {
	for name, row := range map[string]struct {
		do   func(*book)
		want string
	}{
		"nothing":              {func(*book) {}, ""},
		"the same rate, again": {func(b *book) { b.line.Lines[0].Rate = flat("31", catalog.Monthly) }, ""},
		"a quantity":           {func(b *book) { b.setQuantity(1, 2, d("2026-03-10"), false) }, "2026-03-10"},
		"a cancellation":       {func(b *book) { b.cancel(d("2026-03-20"), false) }, "2026-03-20"},
		"a start":              {func(b *book) { b.line.StartDate = d("2026-03-05") }, "2026-03-01"},
		"billing starts later": {func(b *book) { b.line.BillingStartsOn = d("2026-03-05") }, "2026-03-01"},
		"an epoch":             {func(b *book) { b.line.Epochs = b.line.Epochs.Restarted(d("2026-03-12"), 12, 1) }, "2026-03-12"},
		"another charge":       {func(b *book) { b.line.Lines = append(b.line.Lines, line(2, once("5"), 1, "2026-03-17")) }, "2026-03-17"},
		"kept days":            {func(b *book) { b.line.Lines[0].KeptTo = d("2026-03-31") }, "2026-03-31"},
	} {
		b := march(t, 1)
		before := b.line
		before.Lines = slices.Clone(before.Lines)
		row.do(b)
		got, some := ledger.FirstChange(&before, &b.line)
		if some != (row.want != "") || some && got != d(row.want) {
			t.Errorf("%s: %s, %v; want %s", name, got, some, row.want)
		}
	}
}

// Keys that end before the first change owe the same.
func TestKeysBeforeTheFirstChangeStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			before := l.line
			before.Lines, before.Epochs = slices.Clone(before.Lines), slices.Clone(before.Epochs)
			l.act(t)
			from, changed := ledger.FirstChange(&before, &l.line)
			if !changed {
				from = l.today.AddDays(10000)
			}
			horizon := l.today.AddDays(400)
			was, err := before.Owed(billing.Date{}, horizon)
			if err != nil {
				t.Fatal(err)
			}
			is, err := l.line.Owed(billing.Date{}, horizon)
			if err != nil {
				t.Fatal(err)
			}
			early := func(o ledger.Owed) bool { return !o.Period.To.Before(from) }
			was, is = slices.DeleteFunc(was, early), slices.DeleteFunc(is, early)
			slices.SortFunc(was, byKey)
			slices.SortFunc(is, byKey)
			if !slices.EqualFunc(was, is, func(a, b ledger.Owed) bool { return reflect.DeepEqual(a, b) }) {
				t.Fatalf("before %s: %v became %v", from, was, is)
			}
			l.today = l.today.AddDays(rapid.IntRange(0, 60).Draw(t, "days"))
		}
	})
}
