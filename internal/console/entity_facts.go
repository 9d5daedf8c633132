package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// entityFacts are what is known of an entity, in the words of who prints an
// invoice.
func entityFacts(d *ui.Details, e *billing.Entity) {
	if e.Logo != nil {
		d.Fact("Logo", ui.Picture(entityPages.href(e.ID)+"/logo", "Logo of "+e.Name))
	}
	d.Fact("Code", ui.Code(e.Code))
	d.OptionalFact("Legal name", e.LegalName)
	d.Fact("Address", ui.Plain(addressLine(e)))
	d.OptionalFact("Tax number", e.TaxNumber)
	d.OptionalFact("Registration number", e.RegistrationNumber)
	d.Fact("Invoicing", ui.Muted("has not started").WithSub("Edit it to set a first day."))
	if e.InvoicingStartsOn != nil {
		d.Facts[len(d.Facts)-1].Value = ui.Plain("since " + ui.DayText(*e.InvoicingStartsOn))
	}
	d.Fact("Invoices are due", ui.Plain("after "+ui.Plural(e.NetPaymentDays, "day", "days")))
	d.Fact("Invoices are issued", ui.Plain("at "+e.InvoiceTime).WithSub(draftWords(e)))
	d.Fact("Numbers of invoices", numbersCell(e.InvoiceNumberFormat, e.InvoiceNextNumber))
	d.Fact("Numbers of credit notes", numbersCell(e.CreditNoteNumberFormat, e.CreditNoteNextNumber))
	d.Fact("Sales in other EU countries", ui.Plain("taxed in "+e.Country))
	if e.OSS {
		d.Facts[len(d.Facts)-1].Value = ui.Plain("taxed there").WithSub("declared by the One-Stop Shop")
	}
	d.Fact("Unchecked tax numbers", ui.Plain("are not accepted"))
	if e.AcceptsUncheckedTaxNumbers {
		d.Facts[len(d.Facts)-1].Value = ui.Plain("are accepted")
	}
	if e.IBAN != nil {
		d.Fact("IBAN", ui.Plain(inFours(*e.IBAN)))
	}
	d.OptionalFact("BIC", e.BIC)
	d.OptionalFact("Bank", e.BankName)
	d.OptionalFact("E-mail", e.Email)
	d.OptionalFact("Phone", e.Phone)
	d.OptionalFact("Website", e.Website)
	d.OptionalFact("Footer", e.Footer)
}

// addressLine is the address in the order in which it is printed.
func addressLine(e *billing.Entity) string {
	town := strings.TrimSpace(ui.Deref(e.Zip) + " " + ui.Deref(e.City))
	var lines []string
	for _, line := range []string{ui.Deref(e.Street), town, ui.Deref(e.State), e.Country} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

// draftWords say whether an invoice can be looked at before it is issued.
func draftWords(e *billing.Entity) string {
	if e.GraceHours == 0 {
		return "without a draft before"
	}
	return "as drafts, and for good after " + ui.Plural(e.GraceHours, "hour", "hours")
}

// numbersCell is the format of numbers, and where they begin.
func numbersCell(format string, first *int) ui.Cell {
	cell := ui.Code(format)
	if first != nil {
		cell.Sub = "from " + ui.Grouped(*first) + " on"
	}
	return cell
}

// inFours writes a bank account as banks print it.
func inFours(code string) string {
	var groups []string
	for len(code) > 4 {
		groups, code = append(groups, code[:4]), code[4:]
	}
	return strings.Join(append(groups, code), " ")
}
