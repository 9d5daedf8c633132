package document

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestAgeOn(t *testing.T) {
	today := billing.Date{Year: 2026, Month: 4, Day: 1}
	for days, want := range map[int]int{1: 0, 7: 0, 8: 1, 30: 1, 31: 2, 60: 2, 61: 3, 90: 3, 91: 4, 10_000: 4} {
		if got := AgeOn(today.AddDays(-days), today); got != want {
			t.Errorf("%d days overdue are in group %d, want %d", days, got, want)
		}
	}
}

func TestAgingTotal(t *testing.T) {
	if got := (&Aging{1, 20, 300, 4000, 50_000}).Total(); got != 54_321 {
		t.Errorf("the total is %d", got)
	}
}
