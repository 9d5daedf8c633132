package ledger

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Draw is a part of a credit, on one of the items of its key.
type Draw struct {
	// Item is the index of the item that is credited.
	Item int
	// Before is what the same credit has drawn from newer items.
	Before money.Amount
	Amount money.Amount
}

// DrawCredit takes a credit from the items of its key, newest first, from each at
// most what is left of it. left has what is left of each item, oldest first. A
// credit above everything that is left is refused: the ledger is broken then.
func DrawCredit(credit money.Amount, left []money.Amount) ([]Draw, error) {
	var draws []Draw
	var drawn money.Amount
	for i := len(left) - 1; i >= 0 && drawn < credit; i-- {
		if amount := min(left[i], credit-drawn); amount > 0 {
			draws = append(draws, Draw{i, drawn, amount})
			drawn += amount
		}
	}
	if drawn != credit {
		return nil, billing.Fail(billing.NotAllowed, "", "A credit of %d minor units is above what is left of the items, %d.", credit, drawn)
	}
	return draws, nil
}
