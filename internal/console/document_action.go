package console

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

// billingOrder is what somebody wants done with a document, as far as it was
// typed.
type billingOrder struct {
	Reason     string
	Rebill     string // "yes" or "no"
	CorrectTax bool
	Restore    bool
	// Amounts are how much of each item is credited, by the id of the item.
	Amounts                                   map[string]string
	Amount, CurrencyID, ReceivedAt, Reference string
	// Invoices are the ids of those that something is applied to or taken from.
	Invoices []string
	// Items are those of an invoice made by hand, or one that waits, by their places
	// in the form.
	Items            map[int]*invoicing.ItemAttributes
	Issue            string // "issue" or "draft"
	Notes, PONumber  string
	On, Subscription string
	Provider, Token  string
	CreditNote       string
	Found            string // what a person found out, such as arrived
	// Uses are what a payment would do, nil if that is not known.
	Uses []string
}

// documentAction is something that can be done with a document or an account: a
// form if there is something to ask, then what will be done, then the deed.
type documentAction[R any] struct {
	path, title, about string
	quiet              bool
	elsewhere          bool // its button is in another place than the others
	// allowed reports whether it can be done, as far as the row tells.
	allowed func(row *R) bool
	begin   func(row *R) billingOrder
	// inputs may be nil.
	inputs func(c *call, row *R) ([]ui.Section[billingOrder], error)
	// restated reports whether the form is to be shown again, because it came with
	// another choice than its fields were made for; nil if no field is like that.
	restated func(c *call) bool
	// money is what will be billed, if that can be told.
	money func(c *call, row *R) (*moneyData, error)
	// says is what will be done, in sentences.
	says func(c *call, row *R, o *billingOrder) ([]string, error)
	do   func(c *call, ctx context.Context, row *R, o *billingOrder) (*invoicing.Outcome, error)
	// learn notes for says what was done when it was rehearsed, in the context of that; it
	// may be nil.
	learn func(c *call, ctx context.Context, made *invoicing.Outcome, o *billingOrder) error
	// done is where to go on, and what to say there.
	done func(row *R, made *invoicing.Outcome) (href, message string)
}

// documentKind is what the actions of a document have in common.
type documentKind[R any] struct {
	path string // as in /invoices
	list ui.Link
	find func(*call) (*R, error)
	name func(*R) string
	// title is the name where nothing else says whose it is, if it is not nil.
	title   func(*call, *R) (string, error)
	href    func(*R) string
	actions []documentAction[R]
}

func (k *documentKind[R]) routes() (all []route) {
	for n := range k.actions {
		a := &k.actions[n]
		pattern := k.path + "/{id}/" + a.path
		all = append(all,
			route{pattern: "GET " + pattern, scope: billing.BillingWrite, do: on(k.find, func(c *call, row *R) error { return k.ask(c, a, row) })},
			route{pattern: "POST " + pattern, scope: billing.BillingWrite, do: on(k.find, func(c *call, row *R) error { return k.take(c, a, row) })})
	}
	return all
}

// offered are the buttons of what can be done.
func (k *documentKind[R]) offered(c *call, row *R) (all []ui.Action) {
	if !c.may(billing.BillingWrite) {
		return nil
	}
	for n := range k.actions {
		if a := &k.actions[n]; a.allowed(row) && !a.elsewhere {
			all = append(all, ui.Action{Text: a.title, Href: k.href(row) + "/" + a.path, Quiet: a.quiet})
		}
	}
	return all
}

func (k *documentKind[R]) sections(c *call, a *documentAction[R], row *R) ([]ui.Section[billingOrder], error) {
	if !a.allowed(row) {
		return nil, &pageError{status: http.StatusConflict, title: "That cannot be done now",
			text: k.name(row) + " does not allow “" + a.title + "” any more.", back: &ui.Link{Text: "Back", Href: k.href(row)}}
	}
	if a.inputs == nil {
		return nil, nil
	}
	return a.inputs(c, row)
}

func (k *documentKind[R]) ask(c *call, a *documentAction[R], row *R) error {
	sections, err := k.sections(c, a, row)
	if err != nil {
		return err
	}
	o := a.begin(row)
	form := ui.NewForm(sections, &o)
	if len(sections) == 0 {
		return k.preview(c, http.StatusOK, a, row, &o, form, "", nil)
	}
	form.Retype(c.r.Form)
	return k.show(c, http.StatusOK, a, row, form)
}

func (k *documentKind[R]) show(c *call, status int, a *documentAction[R], row *R, form ui.Form) error {
	title, err := k.titleOf(c, a, row)
	if err != nil {
		return err
	}
	form.Action, form.Submit, form.Cancel = k.href(row)+"/"+a.path, "Continue", ui.Link{Text: "Cancel", Href: k.href(row)}
	return formPage.showStatus(c, status, a.title, ui.FormData{Title: title, Crumbs: k.crumbs(row), Form: form, Note: a.about})
}

// titleOf is the title of the pages of an action.
func (k *documentKind[R]) titleOf(c *call, a *documentAction[R], row *R) (string, error) {
	if k.title == nil {
		return a.title + ": " + k.name(row), nil
	}
	name, err := k.title(c, row)
	return a.title + ": " + name, err
}

func (k *documentKind[R]) crumbs(row *R) []ui.Link {
	return []ui.Link{k.list, {Text: k.name(row), Href: k.href(row)}}
}

// take shows what would be done with what was typed, or does it once that was
// confirmed.
func (k *documentKind[R]) take(c *call, a *documentAction[R], row *R) error {
	sections, err := k.sections(c, a, row)
	if err != nil {
		return err
	}
	o := a.begin(row)
	form := ui.NewForm(sections, &o)
	form.Retype(c.r.PostForm)
	if editsAgain(c) && len(sections) > 0 || a.restated != nil && a.restated(c) {
		return k.show(c, http.StatusOK, a, row, form)
	}
	var found forecast
	err = ui.Apply(sections, c.r.PostForm, &o)
	switch confirmed := c.value("step") == stepConfirm; {
	case err != nil:
	case confirmed:
		made, failed := a.do(c, c.ctx(), row, &o)
		if failed == nil {
			return c.goTo(a.done(row, made))
		}
		err = failed
	default:
		found, err = foretell(c, func(ctx context.Context) error {
			made, err := a.do(c, ctx, row, &o)
			if err == nil && a.learn != nil {
				err = a.learn(c, ctx, made, &o)
			}
			return err
		})
	}
	if problems, known := billing.AsProblems(err); known {
		if len(sections) == 0 {
			return k.preview(c, http.StatusUnprocessableEntity, a, row, &o, form, byLabels(problems), nil)
		}
		form.AddProblems(problems)
		return k.show(c, http.StatusUnprocessableEntity, a, row, form)
	}
	if err != nil {
		return err
	}
	says, err := found.reach(c)
	if err != nil {
		return err
	}
	return k.preview(c, http.StatusOK, a, row, &o, form, "", says)
}

// preview shows what will be done, and what that does to tenants.
func (k *documentKind[R]) preview(c *call, status int, a *documentAction[R], row *R, o *billingOrder, form ui.Form, problem string, reach []ui.Said) error {
	title, err := k.titleOf(c, a, row)
	if err != nil {
		return err
	}
	data := previewData{
		Title: title, Crumbs: k.crumbs(row), Action: k.href(row) + "/" + a.path, Submit: a.title,
		Back: ui.Link{Text: "Back", Href: k.href(row)}, Again: len(form.Sections) > 0, Problem: problem, Foretold: ui.Foretold{Says: reach},
	}
	if data.Says, err = a.says(c, row, o); err != nil {
		return err
	}
	if a.money != nil {
		if data.Money, err = a.money(c, row); err != nil {
			return err
		}
	}
	data.Fields, data.Summary = summarize(form)
	for _, id := range o.Invoices {
		data.Fields = append(data.Fields, ui.Pair{Name: "invoiceIds", Value: id})
	}
	return previewPage.showStatus(c, status, a.title, data)
}

func reasonInput() ui.Input[billingOrder] {
	return ui.Text("reason", "Reason", func(o *billingOrder) *string { return &o.Reason }).Required().Wide()
}

// sentences is says that needs nothing but the row.
func sentences[R any](say func(row *R, o *billingOrder) []string) func(*call, *R, *billingOrder) ([]string, error) {
	return func(_ *call, row *R, o *billingOrder) ([]string, error) { return say(row, o), nil }
}
