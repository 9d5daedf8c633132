package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// taxNumberStates say what is known of a tax number.
var taxNumberStates = map[billing.TaxNumberState]string{
	billing.TaxNumberValid: "valid", billing.TaxNumberInvalid: "not valid", billing.TaxNumberUnchecked: "not checked",
}

// accountInvoicing are how an account is invoiced. What is as for most accounts is
// left out.
func accountInvoicing(d *ui.Details, a *billing.Account) {
	if a.TaxNumber != nil {
		d.Fact("Tax number", ui.Plain(*a.TaxNumber).WithSub(taxNumberStates[a.TaxNumberState]))
	}
	if a.TaxExempt {
		d.Fact("Tax", ui.Plain("exempt").WithSub(ui.Deref(a.TaxExemptReason)))
	}
	invoiced := ui.Plain("when something is due")
	if a.Collection == billing.CollectOnBillingDay {
		invoiced.Text = "on the billing day"
	}
	if a.DraftInvoices {
		invoiced.Sub = "as drafts, which somebody issues"
	}
	d.Fact("Invoiced", invoiced)
	d.Fact("Language of invoices", ui.Plain(a.Locale))
	if !a.AutoApplyCredits {
		d.Fact("Waiting credit", ui.Plain("is applied by hand"))
	}
}
