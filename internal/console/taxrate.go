package console

import (
	"cmp"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

var taxRatePages *resource[tax.Rate, billing.TaxRateID]

// Set here, because pages refer to each other.
func init() {
	taxRatePages = &resource[tax.Rate, billing.TaxRateID]{
		path: "tax-rates", one: "tax rate", many: "Tax rates", billing: true, Resource: invoicing.TaxRates,
		name:    taxRateName,
		about:   "A tax rate says how much tax charges with its code have in a country, from one day to another.",
		hint:    "country:DE, taxCode:reduced",
		fields:  tax.RateFields,
		whole:   byPlace,
		columns: []string{"Place", "Tax code", "Rate", "Name", "First day", "Last day"},
		cells: func(_ *call, rows []tax.Rate) ([][]ui.Cell, error) {
			return ui.RowsOf(rows, func(r *tax.Rate) []ui.Cell {
				from, to := ui.OrDash(""), ui.Muted("until further notice")
				if r.ValidFrom != nil {
					from = ui.Days(*r.ValidFrom)
				}
				if r.ValidTo != nil {
					to = ui.Days(*r.ValidTo)
				}
				return []ui.Cell{
					ui.Linked(r.Place(), taxRatePages.href(r.ID)), ui.Code(r.TaxCode), {Text: string(r.Rate) + " %", Kind: ui.CellMoney}, ui.Plain(r.Name), from, to,
				}
			}), nil
		},
		show: func(_ *call, r *tax.Rate) (*ui.Details, error) {
			data := &ui.Details{}
			data.Fact("Rate", ui.Plain(string(r.Rate)+" %"))
			return data, nil
		},
		begin: func(*call) (tax.Rate, error) { return tax.Rate{TaxCode: billing.StandardTaxCode}, nil },
		inputs: func(*call, *tax.Rate, bool) ([]ui.Section[tax.Rate], error) {
			return ui.Sections(tax.RateFields, percentInput()), nil
		},
		losses: func(*call, *tax.Rate) (string, error) {
			return "Documents that were issued keep it. Accounts there cannot be billed for days without a rate.", nil
		},
	}
}

// byPlace orders rates as one looks for them: by place and code, the newest first.
func byPlace(a, b *tax.Rate) int {
	return cmp.Or(cmp.Compare(a.Place(), b.Place()), cmp.Compare(a.TaxCode, b.TaxCode), cmp.Compare(dayOf(b.ValidFrom), dayOf(a.ValidFrom)))
}

func dayOf(d *billing.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// taxRateName tells rates apart, whose names often are the same.
func taxRateName(r *tax.Rate) string { return r.Place() + ", " + r.Name }

func percentInput() ui.Input[tax.Rate] {
	in := ui.InputFor(billing.Fields[tax.Rate]{{Fields: []billing.Field[tax.Rate]{
		billing.Describe("rate", "Percent", func(r *tax.Rate) *string { return (*string)(&r.Rate) }).AsRequired().WithHelp("Such as 19 or 8.1."),
	}}}, "rate")
	in.Set = func(r *tax.Rate, typed string) *billing.Error {
		percent, err := tax.ParsePercent(strings.TrimSpace(typed))
		if problems, known := billing.AsProblems(err); known {
			return problems[0]
		}
		r.Rate = percent
		return nil
	}
	return in
}
