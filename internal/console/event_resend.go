package console

import (
	"fmt"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/ui"
)

func askResend(c *call, e *log.LoggedEvent) error {
	return showResend(c, http.StatusOK, e, "")
}

// showResend asks whether to send an event again. If that takes the tenant back
// in time, it says so, and going on forces it.
func showResend(c *call, status int, e *log.LoggedEvent, problem string) error {
	if isTest(e) {
		return &pageError{status: http.StatusConflict, title: "A test cannot be resent", text: "It carried sample data. Send another one from the platform's page.",
			back: &ui.Link{Text: "The platform", Href: platformPages.href(e.PlatformID)}}
	}
	reached, err := reachedBy(c, e.Subject.Tenant())
	if err != nil {
		return err
	}
	names, err := namesOfEvents(c, []log.LoggedEvent{*e})
	if err != nil {
		return err
	}
	title := "Resend " + eventName(e)
	if s := names.subject(e); s != nil {
		title += " of " + s.Text
	}
	here := eventHref(e.ID)
	data := ui.Confirmation{
		Title: title + "?", Problem: problem, Action: here + "/resend", Submit: "Resend", Cancel: ui.Link{Text: "Back", Href: here}, Safe: true,
		Text: "It is queued behind everything that waits for its tenant or account, and sent with the same id and body, so a receiver that remembers ids can recognize it.",
	}
	if e.Sequence < reached {
		data.Warning = fmt.Sprintf("This takes the tenant back in time: this is event #%d, and #%d has been delivered or is waiting. "+
			"The application would have an old state until the next event. To bring it up to date, send the current state instead.", e.Sequence, reached)
		data.Submit, data.Safe, data.Fields = "Resend, back in time", false, []ui.Pair{{Name: "force", Value: "on"}}
		data.Other = &ui.Link{Text: "Send current state", Href: tenantPages.href(e.Subject.Tenant()) + "/sync"}
	}
	return confirmPage.showStatus(c, status, "Resend", data)
}

// reachedBy is the number of the state that a tenant has or is about to get.
func reachedBy(c *call, id billing.TenantID) (int, error) {
	tenants := []billing.TenantID{id}
	streams, err := outbox.StreamsOf(c.ctx(), c.q(), tenants)
	if err != nil || streams[id] == nil {
		return 0, err
	}
	resent, err := outbox.WaitingResends(c.ctx(), c.q(), tenants)
	return streams[id].Reached(resent[id]), err
}

func resend(c *call, e *log.LoggedEvent) error {
	_, err := c.service.Delivery.WebhookEventResend(c.ctx(), e.ID, c.value("force") != "")
	if billing.Is(err, billing.NotAllowed) {
		// Either it waits already, or it became old while somebody looked at it.
		problem := "It is already waiting to be sent, or is being sent right now."
		if e.Delivery.State != webhook.DeliveryWaiting {
			problem = "Nothing was sent, because something has changed. Check again."
		}
		return showResend(c, http.StatusConflict, e, problem)
	}
	if err != nil {
		return err
	}
	return c.goTo(eventHref(e.ID), "Queued for resending.")
}

// resendMany is which events are to be sent again.
type resendMany struct {
	Filter string
	All    bool
}

var resendManyInputs = []ui.Section[resendMany]{{Inputs: []ui.Input[resendMany]{
	ui.Text("filter", "Filter", func(r *resendMany) *string { return &r.Filter }).Wide().Help("For example: platform:app created:>=2026-01-01. If empty, all events."),
	ui.Checkbox("all", "Every event that matches, not only the newest of each tenant", func(r *resendMany) *bool { return &r.All }).Wide().
		Help("An event has the whole state of its tenant, so the newest is enough unless the receiver counts events. Events that would take a tenant back in time are skipped."),
}}}

func askResendMany(c *call) error {
	return showResendMany(c, http.StatusOK, &resendMany{Filter: c.value("filter")}, nil)
}

func showResendMany(c *call, status int, how *resendMany, problems billing.Problems) error {
	form := ui.NewForm(resendManyInputs, how)
	form.Action, form.Submit, form.Cancel = "/events/resend", "Count them", ui.Link{Text: "Cancel", Href: "/events"}
	if c.r.Method == http.MethodPost {
		form.Retype(c.r.PostForm)
	}
	form.AddProblems(problems)
	return formPage.showStatus(c, status, "Resend many", ui.FormData{
		Title: "Resend many events", Crumbs: []ui.Link{{Text: "Webhook log", Href: "/events"}}, Form: form,
		Note: "The events are counted first. Nothing is sent until you confirm.",
	})
}

// resendAll counts what matches, or sends it once that was confirmed.
func resendAll(c *call) error {
	var how resendMany
	err := ui.Apply(resendManyInputs, c.r.PostForm, &how)
	if err != nil {
		return err
	}
	confirmed := c.value("step") == stepConfirm
	ctx := c.ctx()
	if !confirmed {
		ctx = c.asking()
	}
	many, err := c.service.Delivery.WebhookEventsResend(ctx, how.Filter, !how.All, !confirmed)
	problems, known := billing.AsProblems(err)
	switch {
	case known:
		return showResendMany(c, http.StatusUnprocessableEntity, &how, problems)
	case err != nil:
		return err
	case confirmed && many.Job != nil:
		return c.goTo(jobHref(many.Job.ID), "The events are being queued.")
	case many.Count == 0:
		return showResendMany(c, http.StatusUnprocessableEntity, &how, billing.Problems{billing.Fail(billing.Invalid, "filter", "No matching event can be resent.")})
	}
	return confirmResendMany(c, &how, many.Count)
}

func confirmResendMany(c *call, how *resendMany, count int) error {
	which := "the newest match of each tenant"
	all := ""
	if how.All {
		which, all = "every one that matches", "on"
	}
	filter := "no filter"
	if how.Filter != "" {
		filter = "the filter " + how.Filter
	}
	return confirmPage.show(c, "Resend many", ui.Confirmation{
		Title: "Resend " + ui.Plural(count, "event", "events") + "?", Action: "/events/resend", Submit: "Resend " + ui.Plural(count, "event", "events"),
		Text:   "With " + filter + ", " + which + ". They are queued in the background behind everything that waits, up to 500 a second.",
		Cancel: ui.Link{Text: "Cancel", Href: "/events"}, Safe: true,
		Fields: []ui.Pair{{Name: "step", Value: stepConfirm}, {Name: "fields", Value: "filter all"}, {Name: "filter", Value: how.Filter}, {Name: "all", Value: all}},
	})
}
