package transfer_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/transfer"
)

func TestWhatHasNoCodeIsCounted(t *testing.T) {
	for _, c := range []struct {
		missing transfer.CodelessError
		want    string
	}{
		{transfer.CodelessError{}, "nothing"},
		{transfer.CodelessError{Subscriptions: 1}, "1 subscription"},
		{transfer.CodelessError{Accounts: 2, Plans: 1}, "2 accounts and 1 plan"},
		{transfer.CodelessError{Accounts: 1, Plans: 2, Subscriptions: 3}, "1 account, 2 plans and 3 subscriptions"},
	} {
		if got := c.missing.String(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.missing, got, c.want)
		}
	}
	for want, missing := range map[string]transfer.CodelessError{
		"1 plan has no code, by which a file knows things; give codes with --give-codes, such as account-12":   {Plans: 1},
		"2 plans have no code, by which a file knows things; give codes with --give-codes, such as account-12": {Plans: 2},
	} {
		if got := missing.Error(); got != want {
			t.Errorf("%+v says %q", missing, got)
		}
	}
}
