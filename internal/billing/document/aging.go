package document

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// AgeEnds are the last days of the groups in which overdue amounts are added up: 1 to
// 7 days, 8 to 30, and so on. What is older than all of them is the last group.
var AgeEnds = [...]int{7, 30, 60, 90}

// Aging is what is overdue, by age.
type Aging [len(AgeEnds) + 1]money.Amount

// AgeOn is the group of something due on a day that is overdue on another.
func AgeOn(due, today billing.Date) int {
	days := due.DaysUntil(today)
	group := slices.IndexFunc(AgeEnds[:], func(end int) bool { return days <= end })
	if group < 0 {
		return len(AgeEnds)
	}
	return group
}

// Total is what is overdue, however old it is.
func (a *Aging) Total() (total money.Amount) {
	for _, amount := range a {
		total += amount
	}
	return total
}
