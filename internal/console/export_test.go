package console

import "strings"

// FormPatterns are the addresses that forms are sent to and that change
// something.
func FormPatterns() (all []string) {
	for _, r := range allRoutes() {
		if strings.HasPrefix(r.pattern, "POST ") && !r.asks {
			all = append(all, r.pattern)
		}
	}
	return all
}

// What people type and read about amounts, for tests of its own.
var (
	TypedAmount = typedAmount
	PeriodCosts = periodCosts
)
