package console

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

// mostNewItems is how many items an invoice made by hand has here.
const mostNewItems = 20

// newInvoice makes an invoice for an account by hand.
var newInvoice = documentAction[billing.Account]{
	path: "new-invoice", title: "New invoice", quiet: true, allowed: func(*billing.Account) bool { return true },
	about: "For something that is on no subscription. An invoice that is issued has a number and cannot be changed; a draft can be looked at first.",
	begin: func(*billing.Account) billingOrder {
		return billingOrder{Issue: "draft"}
	},
	inputs: newInvoiceInputs,
	restated: func(c *call) bool {
		return c.value("count") != "" && !slices.Contains(strings.Fields(c.value("fields")), itemField(itemCount(c)-1)+"lineText") ||
			slices.Contains(strings.Fields(c.value("fields")), itemField(itemCount(c))+"lineText")
	},
	says: func(_ *call, a *billing.Account, o *billingOrder) ([]string, error) {
		text := "The invoice is kept as a draft, to be looked at and issued."
		if o.Issue == "issue" {
			text = "The invoice is issued to " + a.Name + " at once: it gets a number, and cannot be changed from then on."
		}
		if sum, known := o.sum(); known {
			text += " Its items come to " + sum + " before tax."
		}
		return []string{text}, nil
	},
	do: func(c *call, ctx context.Context, a *billing.Account, o *billingOrder) (*invoicing.Outcome, error) {
		attributes := invoicing.InvoiceAttributes{CurrencyID: strings.ToUpper(strings.TrimSpace(o.CurrencyID)), Notes: o.Notes, PONumber: o.PONumber, Draft: o.Issue != "issue"}
		var places []int
		for n := range mostNewItems {
			if item := o.Items[n]; item != nil && *item != (invoicing.ItemAttributes{}) {
				with := *item
				with.Amount = typedAmount(item.Amount, o.CurrencyID)
				attributes.Items = append(attributes.Items, with)
				places = append(places, n)
			}
		}
		made, err := c.service.Invoicing.InvoiceCreate(ctx, a.ID, attributes)
		return made, inPlaces(err, places)
	},
	done: func(a *billing.Account, made *invoicing.Outcome) (string, string) {
		return invoiceHref(made.Invoices[0]), ui.Ended("Made an invoice for " + a.Name)
	},
}

// inPlaces names items by their places in the form, which may have empty ones.
func inPlaces(err error, places []int) error {
	problems, known := billing.AsProblems(err)
	if !known {
		return err
	}
	for _, p := range problems {
		if len(p.Field) > 1 && p.Field[0] == "items" {
			if n, wrong := strconv.Atoi(p.Field[1]); wrong == nil && n < len(places) {
				p.Field[1] = strconv.Itoa(places[n])
			}
		} else if slices.Equal(p.Field, []string{"items"}) {
			p.Field = []string{"items", "0", "lineText"}
		}
	}
	return problems
}

// itemField is what the names of an item's fields begin with.
func itemField(n int) string { return "items." + strconv.Itoa(n) + "." }

// itemCount is how many items the form has.
func itemCount(c *call) int {
	n, err := strconv.Atoi(c.value("count"))
	if err != nil {
		return 1
	}
	return min(max(1, n), mostNewItems)
}

func newInvoiceInputs(c *call, a *billing.Account) ([]ui.Section[billingOrder], error) {
	var counts []ui.Option
	for n := range mostNewItems {
		counts = append(counts, ui.Option{Value: strconv.Itoa(n + 1), Text: strconv.Itoa(n + 1)})
	}
	currency, err := accountCurrencyInput(c, a.ID)
	if err != nil {
		return nil, err
	}
	count := ui.Choice("count", "Number of items", func(*billingOrder) *string { return nil }, counts...).Refreshes(accountPages.href(a.ID) + "/new-invoice")
	count.Get = func(*billingOrder) string { return strconv.Itoa(itemCount(c)) }
	count.Set = nil
	sections := []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
		ui.Choice("issue", "And then", func(o *billingOrder) *string { return &o.Issue }, ui.Option{Value: "draft", Text: "Keep it as a draft"}, ui.Option{Value: "issue", Text: "Issue it at once"}),
		count,
		currency,
		ui.Text("poNumber", "Purchase order", func(o *billingOrder) *string { return &o.PONumber }),
		ui.Text("notes", "Notes", func(o *billingOrder) *string { return &o.Notes }).Help("Printed below the items.").Wide(),
	}}}
	for n := range itemCount(c) {
		sections = append(sections, ui.Section[billingOrder]{Title: "Item " + strconv.Itoa(n+1), Inputs: itemInputs(n, itemField(n))})
	}
	return sections, nil
}

// itemInputs ask for an item that is made by hand.
func itemInputs(n int, prefix string) []ui.Input[billingOrder] {
	text := func(name, label string, of func(*invoicing.ItemAttributes) *string) ui.Input[billingOrder] {
		return ui.Text(prefix+name, label, func(o *billingOrder) *string { return of(o.item(n)) })
	}
	what := text("lineText", "Text", func(i *invoicing.ItemAttributes) *string { return &i.LineText }).Wide()
	if n == 0 {
		what = what.Required()
	}
	return []ui.Input[billingOrder]{
		what,
		text("quantity", "Quantity", func(i *invoicing.ItemAttributes) *string { return &i.Quantity }).Help("If empty, 1."),
		text("price", "Price of one", func(i *invoicing.ItemAttributes) *string { return &i.Price }),
		text("amount", "Or amount of all", func(i *invoicing.ItemAttributes) *string { return &i.Amount }),
		text("taxCode", "Tax code", func(i *invoicing.ItemAttributes) *string { return &i.TaxCode }).Help("If empty, standard."),
	}
}

// item is what was typed of an item.
func (o *billingOrder) item(n int) *invoicing.ItemAttributes {
	if o.Items == nil {
		o.Items = map[int]*invoicing.ItemAttributes{}
	}
	if o.Items[n] == nil {
		o.Items[n] = &invoicing.ItemAttributes{}
	}
	return o.Items[n]
}

// sum is what the items come to, if that can be read.
func (o *billingOrder) sum() (text string, known bool) {
	in, err := money.CurrencyOf(strings.ToUpper(strings.TrimSpace(o.CurrencyID)))
	if err != nil {
		return "", false
	}
	var sum money.Amount
	for _, item := range o.Items {
		if *item == (invoicing.ItemAttributes{}) {
			continue
		}
		exact, ok := new(big.Rat).SetString(item.Amount)
		if item.Amount == "" {
			price, priced := new(big.Rat).SetString(item.Price)
			quantity := big.NewRat(1, 1)
			if ok = priced; item.Quantity != "" {
				quantity, ok = new(big.Rat).SetString(item.Quantity)
			}
			if !ok || !priced {
				return "", false
			}
			exact = price.Mul(price, quantity)
		}
		if !ok {
			return "", false
		}
		amount, err := money.Round(in.Minor(exact))
		if err != nil {
			return "", false
		}
		sum += amount
	}
	return amountText(sum, in), true
}
