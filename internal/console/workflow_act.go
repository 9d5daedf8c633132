package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/ui"
)

// testData is what the page shows on which an endpoint is tried out.
type testData struct {
	Title   string
	Crumbs  []ui.Link
	URL     string
	Action  string
	Problem string
	Attempt *attemptView
	Event   ui.Link
}

var testPage = newPage[testData]("test")

func askTest(c *call, p *webhook.Platform) error {
	return testPage.show(c, "Send test", testOf(p))
}

func testOf(p *webhook.Platform) testData {
	return testData{Title: "Test the endpoint", Crumbs: platformCrumbs(p), URL: ui.Deref(p.WebhookURL), Action: platformPages.href(p.ID) + "/test"}
}

func sendTest(c *call, p *webhook.Platform) error {
	test, err := c.service.Delivery.PlatformWebhookTest(c.ctx(), p.ID)
	return showTested(c, testOf(p), test, err)
}

// showTested shows how a test went.
func showTested(c *call, data testData, test *delivery.WebhookTest, err error) error {
	if problems, known := billing.AsProblems(err); known && !billing.Is(err, billing.NotFound) {
		data.Problem = problems.Error()
		return testPage.showStatus(c, http.StatusConflict, "Send test", data)
	}
	if err != nil {
		return err
	}
	view := attemptOf(&test.Attempt)
	view.Title, view.Open = "The test", true
	data.Attempt, data.Event = &view, ui.Link{Text: "In the webhook log", Href: eventHref(test.EventID)}
	return testPage.show(c, "Send test", data)
}

// release is what becomes of the events that wait.
type release struct{ Which webhook.Release }

var releaseInputs = []ui.Section[release]{{Inputs: []ui.Input[release]{
	ui.Choice("release", "Waiting webhooks", func(r *release) *webhook.Release { return &r.Which }, releaseOptions...).Wide(),
}}}

func askResume(c *call, r *outbox.Route) error {
	if endpointWhy(r) == "" {
		return confirmPage.show(c, "Resume", ui.Confirmation{
			Title: "Nothing is waiting", Text: "Webhooks are being sent to “" + r.Platform.Name + "” already.", Cancel: ui.Link{Text: "Back", Href: platformPages.href(r.Platform.ID)},
		})
	}
	return showResume(c, http.StatusOK, r, nil)
}

func showResume(c *call, status int, r *outbox.Route, problems billing.Problems) error {
	here := platformPages.href(r.Platform.ID)
	form := ui.NewForm(releaseInputs, &release{webhook.ReleaseLatest})
	form.Action, form.Submit, form.Cancel = here+"/resume", "Resume", ui.Link{Text: "Cancel", Href: here}
	for _, p := range problems {
		p.Field = nil
	}
	form.AddProblems(problems)
	note := ""
	if why := endpointWhy(r); why != "" {
		note = "Webhooks are waiting: " + why
	}
	return formPage.showStatus(c, status, "Resume", ui.FormData{Title: "Resume the endpoint of “" + r.Platform.Name + "”", Crumbs: platformCrumbs(&r.Platform), Form: form, Note: note})
}

func resume(c *call, r *outbox.Route) error {
	how := release{webhook.ReleaseLatest}
	if err := ui.Apply(releaseInputs, c.r.PostForm, &how); err != nil {
		return err
	}
	if how.Which != webhook.ReleaseAll {
		how.Which = webhook.ReleaseLatest
	}
	_, err := c.service.Delivery.PlatformEndpointResume(c.ctx(), r.Platform.ID, how.Which)
	if problems, known := billing.AsProblems(err); known && !billing.Is(err, billing.NotFound) {
		return showResume(c, http.StatusConflict, r, problems)
	}
	if err != nil {
		return err
	}
	return c.goTo(platformPages.href(r.Platform.ID), "Resumed: waiting webhooks are being sent.")
}

// signingData is what the page of a signing secret shows.
type signingData struct {
	Title  string
	Crumbs []ui.Link
	Secret string
	Facts  []ui.Fact
	Form   ui.Form
}

var signingPage = newPage[signingData]("signing")

// rotation is how a signing secret is rotated.
type rotation struct{ Hours int }

var rotationInputs = []ui.Section[rotation]{{Title: "Rotate", Help: "A new secret is created. For a while webhooks are signed with both, so that receivers can switch.", Inputs: []ui.Input[rotation]{
	ui.Int("overlapHours", "Hours the old secret is still used", func(r *rotation) *int { return &r.Hours }).Help("0 to 720. With 0 the old one ends at once: choose that if it has leaked."),
}}}

// signer is what has a signing secret: a platform or an event endpoint.
type signer struct {
	name, href, sealed string
	crumbs             []ui.Link
	until              *time.Time // of the old secret
}

func platformSigner(p *webhook.Platform) signer {
	return signer{name: p.Name, href: platformPages.href(p.ID), crumbs: platformCrumbs(p), sealed: p.SigningSecretSealed, until: p.PreviousSecretUntil}
}

func showSigning(c *call, p *webhook.Platform) error {
	return showSecretOf(c, http.StatusOK, platformSigner(p), nil)
}

func showSecretOf(c *call, status int, s signer, problems billing.Problems) error {
	secret, err := c.service.Delivery.SigningSecret(&webhook.Platform{SigningSecretSealed: s.sealed})
	if err != nil {
		return err
	}
	data := signingData{Title: "Signing secret of “" + s.name + "”", Crumbs: s.crumbs, Secret: secret}
	if s.until != nil && c.now().Before(*s.until) {
		data.Facts = []ui.Fact{{Label: "The old secret is used until", Value: ui.Moment(*s.until)}}
	}
	data.Form = ui.NewForm(rotationInputs, &rotation{24})
	data.Form.Action, data.Form.Submit, data.Form.Cancel = s.href+"/signing", "Rotate", ui.Link{Text: "Back", Href: s.href}
	if problems != nil {
		data.Form.Retype(c.r.PostForm)
	}
	data.Form.AddProblems(problems)
	c.uncompressed = true
	return signingPage.showStatus(c, status, "Signing secret", data)
}

func rotateSigning(c *call, p *webhook.Platform) error {
	return rotateSecret(c, platformSigner(p), func(hours int) error {
		_, err := c.service.Delivery.PlatformSigningSecretRotate(c.ctx(), p.ID, hours)
		return err
	})
}

// rotateSecret gives what has a signing secret a new one.
func rotateSecret(c *call, s signer, rotate func(hours int) error) error {
	var how rotation
	err := ui.Apply(rotationInputs, c.r.PostForm, &how)
	if err == nil {
		err = rotate(how.Hours)
	}
	if problems, known := billing.AsProblems(err); known && !billing.Is(err, billing.NotFound) {
		return showSecretOf(c, http.StatusUnprocessableEntity, s, problems)
	}
	if err != nil {
		return err
	}
	return c.goTo(s.href+"/signing", "The new secret is in use.")
}

// workflowBlock is how the webhooks of a platform are sent.
func workflowBlock(c *call, r *outbox.Route) (ui.Block, error) {
	draft, err := draftOf(c, r)
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "Workflow: " + r.Workflow.Name, Table: ui.Table{Columns: []string{"Setting", "Value"}}}
	row := func(label string, value ui.Cell) {
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Plain(label), value})
	}
	row("Webhooks", map[bool]ui.Cell{true: ui.Badge("switched on", "good"), false: ui.Badge("switched off", "warn")}[r.Workflow.Enabled])
	row("Timeout", ui.Plain(ui.Plural(r.Workflow.TimeoutSeconds, "second", "seconds")))
	row("Requests at the same time", ui.Number(r.Workflow.MaxConcurrency))
	row("Order", ui.Plain(ui.EnumText(r.Workflow.Order)))
	row("Retries", ui.Plain(ui.Plural(len(r.Workflow.RetryDelays), "attempt", "attempts")).WithSub("after "+delayWords(r.Workflow.RetryDelays)))
	row("Extra headers", ui.OrDash(strings.ReplaceAll(headersInput().Get(draft), "\n", ", ")))
	row("Payload program", ui.OrDash(clip(ui.Deref(r.Workflow.PayloadProgram), 300)))
	if program := r.Workflow.StateProgram; program != nil {
		row("State program", ui.Plain(clip(*program, 300)))
	}
	if c.may(billing.PlatformWrite) {
		b.Add = &ui.Link{Text: "Change", Href: platformPages.href(r.Platform.ID) + "/workflow"}
	}
	return b, nil
}

// delayWords are delays one after the other, those that repeat once: "10 × 2 s, then
// 2 min, 1 h".
func delayWords(seconds []int) string {
	var words strings.Builder
	for len(seconds) > 0 {
		same := slices.IndexFunc(seconds, func(s int) bool { return s != seconds[0] })
		if same < 0 {
			same = len(seconds)
		}
		if same > 1 {
			words.WriteString(strconv.Itoa(same) + " × ")
		}
		words.WriteString(delayWord(seconds[0]))
		seconds = seconds[same:]
		switch {
		case len(seconds) > 0 && same > 1:
			words.WriteString(", then ")
		case len(seconds) > 0:
			words.WriteString(", ")
		}
	}
	return words.String()
}

// delayWord is seconds in the largest unit that they are whole in.
func delayWord(seconds int) string {
	switch {
	case seconds%3600 == 0:
		return ui.Grouped(seconds/3600) + " h"
	case seconds%60 == 0:
		return ui.Grouped(seconds/60) + " min"
	}
	return ui.Grouped(seconds) + " s"
}

// endpointActions are what can be done about an endpoint.
func endpointActions(c *call, r *outbox.Route) (all []ui.Action) {
	here := platformPages.href(r.Platform.ID)
	if c.may(billing.StandardWrite) {
		if s := r.State(); s == webhook.EndpointPaused || s == webhook.EndpointBreakerOpen {
			all = append(all, ui.Action{Text: "Resume", Href: here + "/resume"})
		}
	}
	if c.may(billing.PlatformWrite) {
		all = append(all, ui.Action{Text: "Workflow", Href: here + "/workflow"}, ui.Action{Text: "Send test", Href: here + "/test"})
	}
	if c.may(billing.AdminRead) {
		all = append(all, ui.Action{Text: "Signing secret", Href: here + "/signing"})
	}
	return all
}
