package store

import (
	"math/big"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

func TestPiecesRoundTrip(t *testing.T) {
	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 1, Day: n} }
	all := []ledger.Piece{
		{Period: ledger.Period{From: day(1), To: day(9)}, Value: big.NewRat(1000, 3)}, {Period: ledger.Period{From: day(10), To: day(10)}, Value: new(big.Rat)},
		{Period: ledger.Period{From: day(11), To: day(31)}, Value: big.NewRat(-5, 1)},
	}
	for n := range len(all) + 1 {
		want := piecesColumn(all[:n:n])
		text, err := want.Value()
		if err != nil {
			t.Fatal(err)
		}
		var got piecesColumn
		err = got.Scan(text)
		same := func(a, b ledger.Piece) bool { return a.Period == b.Period && a.Value.Cmp(b.Value) == 0 }
		if err != nil || got == nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s is read as %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestPiecesThatAreNone(t *testing.T) {
	for _, text := range []string{
		``, `null`, `[[]]`, `[["2026-01-01","2026-01-31","10"]`, `["2026-01-01","2026-01-31","10"]`, `[["2026-01-01","2026-01-31"]]`, `[["2026-01-01","2026-01-31",10]]`,
		`[["2026-01-01","2026-02-30","10"]]`, `[["2026-01-01","2026-01-31","ten"]]`, `[["2026-01-01","2026-01-31","10","11"]]`, `[["2026-01-01","2026-01-31","10"],[]]`,
		`[["2026-01-01","2026-01-31","10"], ["2026-02-01","2026-02-28","10"]]`,
	} {
		if pieces, err := readPieces(text); err == nil {
			t.Errorf("%s is read as %v", text, pieces)
		}
	}
}
