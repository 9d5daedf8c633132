package console

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/ui"
)

// previewData is what is shown before something is done to a subscription: the
// webhooks it will send.
type previewData struct {
	Title   string
	Crumbs  []ui.Link
	Action  string
	Submit  string
	Back    ui.Link
	Again   bool      // Back shows the form again, as it was typed
	Fields  []ui.Pair // what was typed, to be sent again
	Summary []ui.Pair // the same for people
	Problem string
	Says    []string   // what it is, in sentences
	Money   *moneyData // what it costs, if that is known
	Notes   []string   // to know before it is done
	// Foretold is what it does to others.
	Foretold ui.Foretold
	Hooks    []previewHook
	// Silent says why no webhook is sent.
	Silent string
}

// previewHook is a webhook that will be sent, as a difference to the last one.
type previewHook struct {
	Tenant   string
	Reason   string
	Sequence int
	First    bool // there is no event before it
	// Changes are the values that differ from the last one, Lines the bodies.
	Changes ui.Table
	Lines   []ui.DiffLine
}

var previewPage = newPage[previewData]("preview")

// hooksOf compares what will be sent with what was sent last.
func hooksOf(c *call, planned []operation.Planned) ([]previewHook, error) {
	last, err := lastEvents(c, planned)
	if err != nil {
		return nil, err
	}
	before := map[billing.TenantID]string{}
	for id, e := range last {
		before[id] = e.Body
	}
	var hooks []previewHook
	for _, p := range planned {
		old := before[p.Tenant.ID]
		hooks = append(hooks, previewHook{
			Tenant: p.Tenant.Name, Reason: reasonWord(p.Reason), Sequence: p.Sequence, First: old == "",
			Changes: bodyChanges(old, p.Body), Lines: ui.DiffJSON(old, p.Body),
		})
		before[p.Tenant.ID] = p.Body
	}
	return hooks, nil
}

// steps of something that is previewed.
const (
	stepPreview = "preview"
	stepConfirm = "confirm"
)

// editsAgain reports whether somebody goes back from a preview to its form.
func editsAgain(c *call) bool { return c.value("again") != "" }

// summarize lists what was typed in a form, for people and to be sent again.
func summarize(form ui.Form) (fields, summary []ui.Pair) {
	fields = append(fields, ui.Pair{Name: "fields", Value: form.Names})
	for _, s := range form.Sections {
		for _, f := range s.Fields {
			if f.Kind == ui.FieldHidden {
				fields = append(fields, ui.Pair{Name: f.Name, Value: f.Value})
				continue
			}
			if f.Kind == ui.FieldFixed {
				summary = append(summary, ui.Pair{Name: f.Label, Value: f.Value})
				continue
			}
			if f.Value == "" {
				continue
			}
			fields = append(fields, ui.Pair{Name: f.Name, Value: f.Value})
			if f.Usual == "" || f.Value != f.Usual {
				summary = append(summary, ui.Pair{Name: f.Label, Value: f.Words()})
			}
		}
	}
	return fields, summary
}

// routes are the addresses of an action.
func (a subscriptionAction) routes() []route {
	return []route{
		{pattern: "GET /subscriptions/{id}/" + a.name, scope: billing.StandardWrite, do: on(findSubscription, a.form)},
		{pattern: "POST /subscriptions/{id}/" + a.name, scope: billing.StandardWrite, do: on(findSubscription, a.take)},
	}
}

func (a subscriptionAction) form(c *call, s *subscription.Subscription) error {
	if !a.allowed(s) {
		return a.refuse(s)
	}
	restated(c)
	sections, err := a.asked(c, s)
	if err != nil {
		return err
	}
	if len(sections) == 0 {
		return a.preview(c, s, sections)
	}
	o := a.begin(s)
	form := ui.NewForm(sections, &o)
	form.Retype(c.r.Form)
	return a.show(c, http.StatusOK, s, form)
}

func (a subscriptionAction) refuse(s *subscription.Subscription) error {
	return &pageError{status: http.StatusConflict, title: "That cannot be done now",
		text: "The subscription is " + stateWord(s.State) + ", which does not allow “" + a.title + "”.",
		back: &ui.Link{Text: "Back to the subscription", Href: subscriptionHref(s.ID)}}
}

func (a subscriptionAction) show(c *call, status int, s *subscription.Subscription, form ui.Form) error {
	form.Action, form.Submit = subscriptionHref(s.ID)+"/"+a.name, "Preview"
	form.Cancel = a.leave(s, "Cancel")
	name, err := titleOf(c, s)
	if err != nil {
		return err
	}
	return formPage.showStatus(c, status, a.title, ui.FormData{Title: a.heading(name), Crumbs: a.crumbs(s, name), Form: form, Note: a.about})
}

// leave is the way out without doing anything.
func (a subscriptionAction) leave(s *subscription.Subscription, text string) ui.Link {
	if a.name == "cancel" {
		text = "Keep it"
	}
	return ui.Link{Text: text, Href: subscriptionHref(s.ID)}
}

func (a subscriptionAction) heading(name string) string { return a.title + ": " + name }

func (a subscriptionAction) crumbs(s *subscription.Subscription, name string) []ui.Link {
	return []ui.Link{{Text: "Subscriptions", Href: "/subscriptions"}, {Text: name, Href: subscriptionHref(s.ID)}}
}

// take shows the preview of what was typed, or does it once that was confirmed.
func (a subscriptionAction) take(c *call, s *subscription.Subscription) error {
	if restated(c) || editsAgain(c) {
		return a.form(c, s)
	}
	sections, err := a.asked(c, s)
	if err != nil {
		return err
	}
	if c.value("step") != stepConfirm {
		return a.preview(c, s, sections)
	}
	o := a.begin(s)
	if err := ui.Apply(sections, c.r.PostForm, &o); err != nil {
		return a.preview(c, s, sections)
	}
	ctx, issued := o.billed(expecting(c))
	_, err = a.do(c, ctx, s, &o)
	if billing.Is(err, billing.Conflict) {
		return a.previewAgain(c, sections)
	}
	if problems, known := billing.AsProblems(err); known {
		// The preview says what is wrong, but for what keeps the account from being billed.
		return a.showPreview(c, http.StatusUnprocessableEntity, s, sections, byLabels(problems))
	}
	if err != nil {
		return err
	}
	said, err := whatHappened(c, a.name, s, &o)
	if err != nil {
		return err
	}
	return c.goTo(issuedHref(s.ID, issued), said)
}

// versionOf is what a form carries to tell whether the subscription is still
// what its page showed.
func versionOf(s *subscription.Subscription) string {
	return strconv.FormatInt(s.UpdatedAt.UnixMilli(), 10)
}

// expecting is the context in which an action is refused if the subscription is
// not what the page of the form showed.
func expecting(c *call) context.Context {
	version, err := strconv.ParseInt(c.value("version"), 10, 64)
	if err != nil {
		return c.ctx()
	}
	return operation.Expecting(c.ctx(), time.UnixMilli(version))
}

func (a subscriptionAction) preview(c *call, s *subscription.Subscription, sections []ui.Section[order]) error {
	return a.showPreview(c, http.StatusOK, s, sections, "")
}

func (a subscriptionAction) previewAgain(c *call, sections []ui.Section[order]) error {
	fresh, err := findSubscription(c)
	if err != nil {
		return err
	}
	return a.showPreview(c, http.StatusConflict, fresh, sections,
		"The subscription was changed while you were looking at it, and nothing was done. This is what would be sent now.")
}

func (a subscriptionAction) showPreview(c *call, status int, s *subscription.Subscription, sections []ui.Section[order], problem string) error {
	o := a.begin(s)
	form := ui.NewForm(sections, &o)
	if c.r.Method == http.MethodPost {
		form.Retype(c.r.PostForm)
	}
	err := ui.Apply(sections, c.r.PostForm, &o)
	var change *invoicing.ChangePreview
	var found *impact.Impact
	var then *subscription.Subscription
	if err == nil {
		change, found, err = previewChange(c, s.AccountID, o.AtOnce, func(ctx context.Context) (err error) {
			then, err = a.do(c, ctx, s, &o)
			return err
		})
	}
	if problems, known := billing.AsProblems(err); known {
		form.AddProblems(forForm(problems, o.sent))
		return a.show(c, http.StatusUnprocessableEntity, s, form)
	}
	if err != nil {
		return err
	}
	name, err := titleOf(c, s)
	if err != nil {
		return err
	}
	data := previewData{
		Title: a.heading(name), Crumbs: a.crumbs(s, name), Action: subscriptionHref(s.ID) + "/" + a.name, Submit: a.title,
		Back: a.leave(s, "Back"), Again: len(sections) > 0 && a.name != "cancel", Problem: problem,
	}
	if data.Notes, err = notesOf(c, s, then, &o); err != nil {
		return err
	}
	today, err := c.today(s.TestClockID)
	if err != nil {
		return err
	}
	data.Money = moneyOf(change, s, then, today)
	if data.Foretold, err = (forecast{found}).shown(c); err != nil {
		return err
	}
	if data.Money != nil { // which says more
		if data.Foretold.Says, err = saidBy(c, found.Reach()); err != nil {
			return err
		}
	}
	data.Fields, data.Summary = summarize(form)
	data.Fields = append(data.Fields, ui.Pair{Name: "version", Value: versionOf(s)})
	if data.Hooks, err = hooksOf(c, change.Webhooks); err != nil {
		return err
	}
	if len(data.Hooks) == 0 {
		data.Silent = "No webhook is sent: the subscription has no tenant, its platform does not provision, or nothing changes."
	}
	return previewPage.showStatus(c, status, a.title, data)
}
