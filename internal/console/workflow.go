package console

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/ui"
)

// workflowRoutes are the addresses of how a platform's webhooks are sent.
func workflowRoutes() []route {
	return []route{
		{pattern: "GET /workflows", scope: billing.StandardRead, do: listWorkflows},
		{pattern: "GET /platforms/{id}/workflow", scope: billing.PlatformWrite, do: on(findRoute, editWorkflow)},
		{pattern: "POST /platforms/{id}/workflow", scope: billing.PlatformWrite, do: on(findRoute, saveWorkflow)},
		{pattern: "POST /platforms/{id}/workflow/preview", scope: billing.PlatformWrite, asks: true, do: on(findRoute, previewWorkflow)},
		{pattern: "GET /platforms/{id}/test", scope: billing.PlatformWrite, do: on(platformPages.find, askTest)},
		{pattern: "POST /platforms/{id}/test", scope: billing.PlatformWrite, do: on(platformPages.find, sendTest)},
		{pattern: "GET /platforms/{id}/resume", scope: billing.StandardWrite, do: on(findRoute, askResume)},
		{pattern: "POST /platforms/{id}/resume", scope: billing.StandardWrite, do: on(findRoute, resume)},
		{pattern: "GET /platforms/{id}/signing", scope: billing.AdminRead, do: on(platformPages.find, showSigning)},
		{pattern: "POST /platforms/{id}/signing", scope: billing.PlatformWrite, do: on(platformPages.find, rotateSigning)},
	}
}

// workflowData is what the page of a workflow shows.
type workflowData struct {
	Title  string
	Crumbs []ui.Link
	Note   string
	Test   ui.Link
	Form   ui.Form
	Theirs []ui.Difference // see formData
	// Settings are the form but for the payload, which has an editor.
	Settings []ui.FormSection
	Program  ui.Field
	// Tenant is whose state the preview is made of.
	Tenant  ui.Field
	Preview preview
	Action  string // where previews come from
}

var workflowPage = newPage[workflowData]("workflow")

// findRoute returns how the webhooks of the platform in the address go.
func findRoute(c *call) (*outbox.Route, error) {
	p, err := platformPages.find(c)
	if err != nil {
		return nil, err
	}
	routes, err := routesOf(c, []billing.PlatformID{p.ID})
	if err == nil && routes[p.ID] == nil {
		err = missing("platform", platformPages.listLink()) // deleted just now
	}
	return routes[p.ID], err
}

func platformCrumbs(p *webhook.Platform) []ui.Link {
	return []ui.Link{platformPages.listLink(), {Text: p.Name, Href: platformPages.href(p.ID)}}
}

var releaseOptions = []ui.Option{
	{Value: string(webhook.ReleaseLatest), Text: "Send the newest of each tenant, which has the whole state"},
	{Value: string(webhook.ReleaseAll), Text: "Send all of them, in order"},
}

func workflowInputs(r *outbox.Route) []ui.Section[delivery.WorkflowDraft] {
	w := &r.Workflow
	sending := []ui.Input[delivery.WorkflowDraft]{
		ui.Checkbox("enabled", "Send webhooks", func(d *delivery.WorkflowDraft) *bool { return &d.Enabled }).Wide().Help("If this is off, webhooks are recorded and held."),
	}
	if !w.Enabled {
		release := ui.Unbound[delivery.WorkflowDraft]("release", "Waiting webhooks, when switched on", ui.FieldSelect).Wide()
		release.Options = releaseOptions
		sending = append(sending, release)
	}
	sending = append(sending,
		ui.OptionalText("recipe.url", "URL", func(d *delivery.WorkflowDraft) **string { return &d.URL }).Kind(ui.FieldURL).Wide().
			Help("Where webhooks are sent, such as https://app.example.com/webhooks. Save before you send a test."),
	)
	sections := []ui.Section[delivery.WorkflowDraft]{
		{Inputs: sending},
		{Title: "Attempts", Inputs: []ui.Input[delivery.WorkflowDraft]{
			ui.Int("recipe.timeoutSeconds", "Timeout in seconds", func(d *delivery.WorkflowDraft) *int { return &d.TimeoutSeconds }).Help(fmt.Sprintf("1 to %d.", webhook.MaxTimeoutSeconds)),
			ui.Int("recipe.maxConcurrency", "Requests at the same time", func(d *delivery.WorkflowDraft) *int { return &d.MaxConcurrency }).
				Help("1 to " + ui.Grouped(webhook.MaxConcurrency) + ", for each server. Never more than one per tenant."),
			ui.Choice("recipe.order", "Order", func(d *delivery.WorkflowDraft) *webhook.DeliveryOrder { return &d.Order },
				ui.Option{Value: string(webhook.Ordered), Text: "In order; after 5 minutes of failures, skip to the newest"}, ui.Option{Value: string(webhook.Strict), Text: "Strictly in order; nothing is skipped"}).Wide(),
			delaysInput(),
		}},
		{Title: "Request", Inputs: []ui.Input[delivery.WorkflowDraft]{headersInput()}},
	}
	if secrets := platformSecretInputs(&r.Platform); len(secrets) > 0 {
		sections = append(sections, ui.Section[delivery.WorkflowDraft]{Title: "Secrets for the URL", Folded: len(r.NeededSecrets()) == 0, Inputs: secrets,
			Help: "Secrets are sent only to the host they were set for. If the URL is on another host, enter them again."})
	}
	sections = append(sections, ui.Section[delivery.WorkflowDraft]{Title: "Reports of the application", Folded: w.StateProgram == nil, Inputs: []ui.Input[delivery.WorkflowDraft]{stateProgramInput()}})
	return append(sections, ui.Section[delivery.WorkflowDraft]{Title: "Payload", Inputs: []ui.Input[delivery.WorkflowDraft]{programInput()}}) // shown beside its preview
}

// platformSecretInputs ask for the secrets that the platform has, for an address
// on another host.
func platformSecretInputs(p *webhook.Platform) (inputs []ui.Input[delivery.WorkflowDraft]) {
	if p.WebhookAuthTokenSet() {
		inputs = tokenInputs[delivery.WorkflowDraft](p)
	}
	if p.PlainSignatureKeySet() {
		inputs = append(inputs, keyInputs[delivery.WorkflowDraft](p, "Key of the plain signature")...)
	}
	return inputs
}

// delaysInput is the seconds between attempts, in a line.
func delaysInput() ui.Input[delivery.WorkflowDraft] {
	return ui.Input[delivery.WorkflowDraft]{
		Field: ui.Field{Name: "recipe.retryDelays", Label: "Seconds before each retry", Kind: ui.FieldText, Wide: true,
			Help: fmt.Sprintf("1 to %d of them, such as 5, 30, 120. After the last one an event is given up.", webhook.MaxRetries)},
		Get: func(d *delivery.WorkflowDraft) string {
			texts := make([]string, len(d.RetryDelays))
			for i, seconds := range d.RetryDelays {
				texts[i] = strconv.Itoa(seconds)
			}
			return strings.Join(texts, ", ")
		},
		Set: func(d *delivery.WorkflowDraft, typed string) *billing.Error {
			d.RetryDelays = nil
			for _, text := range strings.FieldsFunc(typed, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
				seconds, err := strconv.Atoi(text)
				if err != nil {
					return billing.Fail(billing.Invalid, "recipe.retryDelays", "%q is not a whole number. Write seconds with commas between, such as 5, 30, 120.", clip(text, 40))
				}
				d.RetryDelays = append(d.RetryDelays, seconds)
			}
			return nil
		},
	}
}

// headersInput is the further headers, each in a line.
func headersInput() ui.Input[delivery.WorkflowDraft] {
	return ui.Input[delivery.WorkflowDraft]{
		Field: ui.Field{Name: "recipe.headers", Label: "Extra headers", Kind: ui.FieldArea, Rows: 3, Wide: true, Placeholder: "X-Source: billing",
			Help: "One per line, as name: value. Values that look like secrets are shown as " + webhook.HiddenValue + "; leave that in place to keep them for the same host."},
		Get: func(d *delivery.WorkflowDraft) string {
			var lines []string
			for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
				lines = append(lines, name+": "+d.Headers[name])
			}
			return strings.Join(lines, "\n")
		},
		Set: func(d *delivery.WorkflowDraft, typed string) *billing.Error {
			d.Headers = webhook.Headers{}
			for _, line := range ui.Lines(typed) {
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				name, value, found := strings.Cut(line, ":")
				if !found {
					return billing.Fail(billing.Invalid, "recipe.headers", "%q is not a header. Write its name, a colon and its value.", clip(line, 40))
				}
				d.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
			}
			return nil
		},
	}
}

func programInput() ui.Input[delivery.WorkflowDraft] {
	in := ui.TextArea("recipe.payloadProgram", "Payload program", func(d *delivery.WorkflowDraft) **string { return &d.PayloadProgram })
	in.Rows, in.Placeholder = 12, "{tenant: .payload.tenant.code, features: [.payload.change.features[].code]}"
	return in.Kind(ui.FieldProgram).Help("A jq program that turns the standard body into yours. If empty, the standard body is sent.")
}

func stateProgramInput() ui.Input[delivery.WorkflowDraft] {
	in := ui.TextArea("recipe.stateProgram", "State program", func(d *delivery.WorkflowDraft) **string { return &d.StateProgram })
	in.Rows, in.Placeholder = 6, "{code: .id, sequence: .seq, features: [.limits | to_entries[] | {code: .key, quantity: .value}]}"
	return in.Kind(ui.FieldProgram).Wide().Help("A jq program that brings each tenant that the application reports into the standard form. If empty, reports are in that form.")
}

// workflowVersion changes with all that the form shows: the URL is the
// platform's, and can be changed there too.
func workflowVersion(d *delivery.WorkflowDraft) string {
	url := fnv.New32a()
	url.Write([]byte(ui.Deref(d.URL))) // never fails
	return fmt.Sprintf("%d-%08x", d.UpdatedAt.UnixMilli(), url.Sum32())
}

// draftOf is a workflow as it is shown in its form.
func draftOf(c *call, r *outbox.Route) (*delivery.WorkflowDraft, error) {
	headers, err := c.service.Delivery.WorkflowHeaders(&r.Workflow)
	return &delivery.WorkflowDraft{Workflow: r.Workflow, URL: r.Platform.WebhookURL, Headers: headers}, err
}

func editWorkflow(c *call, r *outbox.Route) error {
	return showWorkflow(c, http.StatusOK, r, nil)
}

func showWorkflow(c *call, status int, r *outbox.Route, problems billing.Problems) error {
	draft, err := draftOf(c, r)
	if err != nil {
		return err
	}
	here := platformPages.href(r.Platform.ID) + "/workflow"
	data := workflowData{Title: r.Workflow.Name, Crumbs: platformCrumbs(&r.Platform), Form: ui.NewForm(workflowInputs(r), draft), Action: here + "/preview",
		Test: ui.Link{Text: "Send test", Href: platformPages.href(r.Platform.ID) + "/test"}}
	if why := endpointWhy(r); why != "" {
		data.Note = "Webhooks are waiting: " + why
	}
	data.Form.Action, data.Form.Submit, data.Form.Cancel = here, "Save", ui.Link{Text: "Cancel", Href: platformPages.href(r.Platform.ID)}
	data.Form.Version = workflowVersion(draft)
	if c.r.Method == http.MethodPost {
		data.Theirs = data.Form.Resubmit(c.r.PostForm, problems)
	}
	last := len(data.Form.Sections) - 1
	data.Settings, data.Program = data.Form.Sections[:last], data.Form.Sections[last].Fields[0]
	if data.Tenant, err = previewTenant(c, r); err != nil {
		return err
	}
	if data.Preview, err = previewOf(c, r, data.Tenant.Value, data.Program.Value); err != nil {
		return err
	}
	return workflowPage.showStatus(c, status, data.Title, data)
}

// previewWorkflow shows the form with the body that the program makes, or with
// no program if the standard body is wanted back. Nothing is saved.
func previewWorkflow(c *call, r *outbox.Route) error {
	if c.value("reset") != "" {
		c.r.PostForm.Set(programInput().Name, "")
	}
	return showWorkflow(c, http.StatusOK, r, nil)
}

func saveWorkflow(c *call, r *outbox.Route) error {
	inputs := workflowInputs(r)
	release := webhook.ReleaseLatest
	if c.value("release") == string(webhook.ReleaseAll) {
		release = webhook.ReleaseAll
	}
	_, err := c.service.Delivery.WorkflowUpdate(c.ctx(), r.Workflow.ID, func(d *delivery.WorkflowDraft) error {
		version, opened := workflowVersion(d), c.value("version")
		wrong := ui.Apply(inputs, c.r.PostForm, d) // all of it, for it to be judged
		d.Secrets = platformSecrets(c)
		if opened != "" && opened != version {
			return errChanged("workflow")
		}
		return wrong
	}, release)
	problems, known := billing.AsProblems(err)
	switch {
	case known && billing.Is(err, billing.Conflict):
		if r, err = findRoute(c); err != nil {
			return err
		}
		return showWorkflow(c, http.StatusConflict, r, billing.Problems{errChanged("workflow")})
	case known:
		return showWorkflow(c, http.StatusUnprocessableEntity, r, problems)
	case err != nil:
		return err
	}
	return c.goTo(platformPages.href(r.Platform.ID), "Saved how webhooks of “"+r.Platform.Name+"” are sent.")
}
