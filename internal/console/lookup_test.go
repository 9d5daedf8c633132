package console

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestAccountsInAField(t *testing.T) {
	for typed, want := range map[string]billing.AccountID{"": 0, "#12": 12, "12": 12, " #12 Acme Inc ": 12, "#12 7 Dwarfs": 12, "#x": -1, "#": -1, "#0": -1, "12 Acme": -1, "#-3 Acme": -1, "Acme": -1} {
		id, e := parseAccount("accountId", typed)
		if e != nil {
			id = -1
		}
		if id != want {
			t.Errorf("%q is account %d, want %d (%v)", typed, id, want, e)
		}
	}
}
