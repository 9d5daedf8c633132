package billing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestTaxNumberOfAnAccount refuses what cannot be a tax number of a customer in the
// European Union, and nothing that is kept of others.
func TestTaxNumberOfAnAccount(t *testing.T) {
	for _, row := range []struct{ country, number, before, says string }{
		{"FR", "FR23334175221", "", ""},
		{"fr ", "FR 23 334 175 221", "", ""},
		{"AT", "FR23334175221", "", ""}, // registered in another member state
		{"DE", "12/345/67890", "", ""},
		{"IE", "IE1+34567T", "", ""},
		{"IE", "IE7*12345A", "", ""},
		{"FR", "", "", ""},
		{"FR", " ", "", ""},
		{"FR", "FR1", "", "4 to 20"},
		{"FR", "FR12345", "", "VAT numbers of FR have 11 letters and digits behind FR; \"FR12345\" has 5."},
		{"DE", "FR12345", "", "VAT numbers of FR have 11"},
		{"RO", "RO18547290", "", ""},
		{"RO", "RO18547290123", "", "2 to 10"},
		{"EL", "EL123456789", "", ""},
		{"GR", "EL1234567890", "", "behind EL"},
		{"FR", "FRXX", "", "no digit"},
		{"fr ", "rubbish", "", "no digit"},
		{"EL", "rubbish", "", "no digit"},
		{"DE", "19 % VAT", "", "'%'"},
		{"FR", "rubbish", "FR23334175221", "no digit"},
		{"FR", "rubbish", "rubbish", ""}, // it had that before
		{"US", "rubbish", "", ""},
		{"Germany", "rubbish", "", ""},
		{"", "rubbish", "", ""},
	} {
		account, before := goodAccount(), goodAccount()
		account.BillingCountry, account.TaxNumber, before.TaxNumber = &row.country, &row.number, &row.before
		for _, was := range []*billing.Account{before, nil} {
			if was == nil && row.before != "" {
				continue
			}
			err := account.CheckTaxNumber(was)
			if (err != nil) != (row.says != "") || err != nil && (err.Field[0] != "taxNumber" || !strings.Contains(err.Message, row.says)) {
				t.Errorf("%q in %q: %v, want %q", row.number, row.country, err, row.says)
			}
		}
	}
}
