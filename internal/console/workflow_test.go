package console_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// workflowFields is a form of a workflow that is filled in well.
var workflowFields = []string{
	"enabled", "on", "recipe.timeoutSeconds", "7", "recipe.maxConcurrency", "3", "recipe.order", "STRICT", "recipe.retryDelays", "1, 2, 3",
}

func workflowForm(url string, more ...string) []string {
	return append(append([]string{"recipe.url", url}, workflowFields...), more...)
}

// TestStateProgramIsFolded shows the state program openly only where there is one.
func TestStateProgramIsFolded(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	v := s.as(billing.Admin)
	const folded, unfolded = `<details class="section"><summary>Reports of the application`, `<h2>Reports of the application`
	form := v.wants(v.get("/platforms/1/workflow"), 200, folded)
	v.wants(v.submit(form, workflowForm(r.url, "recipe.stateProgram", strings.Repeat("x", 64<<10+1))...), 422, "A state program is text", unfolded)
	v.wants(v.submit(form, workflowForm(r.url, "recipe.stateProgram", "{code: .id}")...), 200, "State program", "{code: .id}")
	v.wants(v.get("/platforms/1/workflow"), 200, unfolded, "{code: .id}")
}

func TestWorkflowsAreChanged(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Admin)
	v.wants(v.get("/platforms/1"), 200, "Workflow: Tenant Provisioning", "10 seconds", "ready", "/platforms/1/workflow")
	form, early := v.get("/platforms/1/workflow"), v.get("/platforms/1/workflow")
	bad := v.wants(v.submit(form, workflowForm("ftp://x", "recipe.timeoutSeconds", "700", "recipe.headers", "X-Key 7", "recipe.payloadProgram", ".a |")...), 422, "is not a header", "X-Key 7")
	if !strings.Contains(bad.body, `aria-describedby="e-recipe.url`) {
		t.Errorf("the address is not refused beside its field: %s", bad.text())
	}
	s.clock.Advance(time.Second)
	saved := v.wants(v.submit(form, workflowForm(r.url, "recipe.headers", "X-Key: 7\nX-Source: billing", "recipe.payloadProgram", "{only: .payload.tenant.code}")...), 200,
		"Saved ", "7 seconds", "Strict", "after 1 s, 2 s, 3 s", "X-Key: (hidden), X-Source: billing", "{only: .payload.tenant.code}")
	if strings.Contains(saved.body, "X-Key: 7") {
		t.Error("a secret header is shown")
	}
	v.wants(v.submit(early, workflowForm(r.url)...), 409, "Somebody else changed this workflow")
	again := v.wants(v.get("/platforms/1/workflow"), 200, "X-Key: (hidden)")
	v.wants(v.submit(again, workflowForm(r.url, "recipe.headers", "X-Key: (hidden)", "recipe.payloadProgram", "{only: .payload.tenant.code}")...), 200, "X-Key: (hidden)")

	v.wants(v.post("/platforms/1/workflow/preview", "fields", "recipe.payloadProgram", "recipe.payloadProgram", "{a: .payload.tenant.name}", "previewTenant", "#1"), 200, `"a": "Acme Inc"`)
	v.wants(v.post("/platforms/1/workflow/preview", "fields", "recipe.payloadProgram", "recipe.payloadProgram", "{a: ", "previewTenant", ""), 200, "id=\"preview\"", "class=\"error\"")
	reset := v.wants(v.post("/platforms/1/workflow/preview", "fields", "recipe.payloadProgram", "recipe.payloadProgram", "{a: 1}", "previewTenant", "", "reset", "standard"), 200, `"type": "TenantProvisioningChange"`)
	if strings.Contains(reset.text(), "{a: 1}") {
		t.Error("the program is still there after a reset")
	}
	if sent := v.get("/platforms/1").text(); !strings.Contains(sent, "{only: .payload.tenant.code}") {
		t.Error("a preview saves something")
	}

	off := []string{"recipe.timeoutSeconds", "7", "recipe.maxConcurrency", "3", "recipe.order", "ORDERED", "recipe.retryDelays", "1", "recipe.url", r.url}
	v.wants(v.submit(v.get("/platforms/1/workflow"), off...), 200, "workflow off", "switched off", "Webhooks are waiting")
	v.wants(v.submit(v.get("/tenants/1/sync")), 200, "held", "switched off")
	before := r.got.Load()
	on := v.wants(v.get("/platforms/1/workflow"), 200, "Waiting webhooks, when switched on")
	v.wants(v.submit(on, workflowForm(r.url, "release", "ALL")...), 200, "ready")
	eventually(t, "what waited to come", func() bool { return r.got.Load() > before })
}

func TestEndpointsAreTriedAndResumed(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Admin)
	v.wants(v.submit(v.get("/platforms/1/test")), 200, "The test delivered", "X-Receiver", `"taken": true`, "In the webhook log")
	r.refuses.Store(true)
	v.wants(v.submit(v.get("/platforms/1/test")), 200, "The test failed", "The endpoint answered 503", "come back later")
	if idle := v.wants(v.get("/platforms/1/resume"), 200, "Webhooks are being sent to “Harbour App” already."); strings.Contains(idle.body, `action="/platforms/1/resume"`) {
		t.Error("there is a button though nothing waits")
	}
	v.wants(v.post("/platforms/1/resume", "release", "ALL"), 409, "there is nothing to resume")
	s.pause("It answered 410 Gone.")
	v.wants(v.get("/platforms/1"), 200, "paused", "It answered 410 Gone.", "/platforms/1/resume")
	v.wants(v.submit(v.get("/platforms/1/resume"), "release", "ALL"), 200, "Resumed", "ready")
	viewer := s.as(billing.Viewer)
	page := viewer.wants(viewer.get("/platforms/1"), 200, "Workflow: Tenant Provisioning")
	if found := regexp.MustCompile(`/platforms/1/[a-z]+`).FindString(page.body); found != "" {
		t.Errorf("a viewer is offered %s", found)
	}
	for _, path := range []string{"/platforms/1/workflow", "/platforms/1/test", "/platforms/1/resume", "/platforms/1/signing"} {
		viewer.wants(viewer.get(path), 403)
		viewer.wants(viewer.post(path), 403)
	}
}

func TestSigningSecretsRotate(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	editor, v := s.as(billing.Editor), s.as(billing.Admin)
	editor.wants(editor.get("/platforms/1/signing"), 403)
	editor.wants(editor.post("/platforms/1/signing", "overlapHours", "1"), 403)
	first := v.wants(v.get("/platforms/1/signing"), 200, "whsec_")
	old := between(first.body, `id="signing-secret">`, "<")
	v.wants(v.submit(first, "overlapHours", "9999"), 422, "0 to 720 hours", old)
	v.wants(v.submit(first, "overlapHours", "x"), 422)
	second := v.wants(v.submit(first, "overlapHours", "2"), 200, "The new secret is in use.", "The old secret is used until", "15 Jan 2026, 14:00:00 UTC")
	if fresh := between(second.body, `id="signing-secret">`, "<"); fresh == old || !strings.HasPrefix(fresh, "whsec_") {
		t.Errorf("the secret is %q", fresh)
	}
}

// TestTheURLOfAWorkflowChangesElsewhere has one person change the URL on the
// platform's form while another edits the workflow.
func TestTheURLOfAWorkflowChangesElsewhere(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Admin)
	opened := v.get("/platforms/1/workflow")
	must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, s.platform.ID, func(p *webhook.Platform) error { p.WebhookURL = ptr("https://new.example.com/hooks"); return nil }, delivery.PlatformSecrets{}))
	told := v.wants(v.submit(opened, workflowForm("https://app.example.com/hooks/tenantry")...), 409,
		"Somebody else changed this workflow", "What differs", "https://new.example.com/hooks", `value="https://app.example.com/hooks/tenantry"`)
	if p := must[*webhook.Platform](s)(store.Platforms.Get(s.ctx, s.service.Read(), s.platform.ID)); *p.WebhookURL != "https://new.example.com/hooks" {
		t.Errorf("%s was overwritten silently", *p.WebhookURL)
	}
	v.wants(v.submit(told, workflowForm("https://app.example.com/hooks/tenantry")...), 200, "Saved ", "https://app.example.com/hooks/tenantry")
}

// TestAnyTenantCanBePreviewed chooses one by its code, its id and a part of its
// name.
func TestAnyTenantCanBePreviewed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := open(t, db.Engine)
		s.fill()
		v := s.as(billing.Admin)
		preview := func(tenant, want string) {
			t.Helper()
			v.wants(v.post("/platforms/1/workflow/preview", "fields", "recipe.payloadProgram", "recipe.payloadProgram", ".payload.tenant.name", "previewTenant", tenant), 200, want)
		}
		v.wants(v.get("/platforms/1/workflow"), 200, `name="previewTenant" type="text" value="tenant-6"`, "Kiosk am Markt") // the newest
		preview("tenant-3", "Bäckerei Süß")
		preview(" #2 ", "Nordwind Spedition GmbH")
		preview("nobody", "There is no tenant with the code &#34;nobody&#34; on this platform")
		preview("#9999", "There is no tenant with the code &#34;#9999&#34;")
		preview("", "Provisioning test")
		found := v.get("/lookup/tenants?field=previewTenant&platform=1&previewTenant=nordwind")
		if found.status != 200 || found.body != `<option value="tenant-2">Nordwind Spedition GmbH &amp; Co. KG</option>` {
			t.Errorf("the suggestions are %d %s", found.status, found.body)
		}
		if none := v.get("/lookup/tenants?field=previewTenant&platform=2&previewTenant=nordwind"); none.body != "" {
			t.Errorf("another platform has %s", none.body)
		}
	})
}

func TestTheMenuOfWorkflows(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v, viewer := s.as(billing.Admin), s.as(billing.Viewer)
	v.wants(v.get("/workflows"), 200, "Every platform has one.", "/platforms/new")
	s.fill()
	v.wants(v.get("/workflows"), 200, "Tenant Provisioning", `href="/platforms/1/workflow"`, "ready", "https://app.example.com/hooks/tenantry", "Ordered", "standard")
	for _, form := range []answer{v.get("/platforms/1/workflow"), v.post("/platforms/1/workflow/preview")} {
		v.wants(form, 200, `href="/workflows" aria-current="page"`, `href="/platforms/1/test"`)
	}
	if strings.Contains(viewer.wants(viewer.get("/workflows"), 200, "ready").body, "/platforms/1/workflow") {
		t.Error("a viewer is led to a form")
	}
}

// TestFormsAskForSecretsAgain: an address on another host asks for each secret
// in the form that sets it, and webhooks wait where an operation did not.
func TestFormsAskForSecretsAgain(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	v := s.as(billing.Admin)
	v.wants(v.submit(v.get("/platforms/1/edit"), "name", "Harbour", "code", "harbour", "provisioningEnabled", "on", "webhookUrl", r.url, "webhookAuthToken", "t0ken-1"), 200, "Saved")
	asked := v.wants(v.submit(v.get("/platforms/1/edit"), "name", "Harbour", "code", "harbour", "provisioningEnabled", "on", "webhookUrl", "https://other.example.com/hooks"), 422,
		"The bearer token was set for http://", "set it again for https://other.example.com, or remove it.", "https://other.example.com/hooks")
	v.wants(v.submit(v.get("/platforms/1/edit"), "name", "Harbour", "code", "harbour", "provisioningEnabled", "on", "webhookUrl", "https://me:pass@other.example.com/"), 422, "must not hold a user name or password; set “Bearer token” instead.")
	if strings.Contains(asked.body, "t0ken") {
		t.Error("the form shows the token")
	}
	v.wants(v.submit(v.get("/platforms/1/workflow"), workflowForm(r.url, "recipe.headers", "X-Api-Key: k3y")...), 200, "Saved ")
	v.wants(v.submit(v.get("/platforms/1/edit"), "name", "Harbour", "code", "harbour", "provisioningEnabled", "on", "webhookUrl", "https://other.example.com", "webhookAuthToken", "t0ken-2"), 422, "Set the address on the workflow page")
	form := v.get("/platforms/1/workflow")
	v.wants(v.submit(form, workflowForm("https://other.example.com", "recipe.headers", "X-Api-Key: (hidden)")...), 422,
		"The bearer token was set for", "The secret headers were set for")
	v.wants(v.submit(form, workflowForm("https://other.example.com", "recipe.headers", "X-Api-Key: k3y-2", "webhookAuthToken", "t0ken-2")...), 200, "Saved ", "https://other.example.com")

	s.move("https://third.example.com")
	v.wants(v.get("/platforms/1"), 200, "secrets needed", "Webhooks are waiting: the bearer token", "Then waiting webhooks are sent, in order.")
	v.wants(v.get("/"), 200, "are waiting: the bearer token")
	v.wants(v.submit(v.get("/platforms/1/test")), 409, "Nothing was sent: the bearer token")
	v.wants(v.get("/platforms/1/workflow"), 200, "Webhooks are waiting", "Secrets for the URL")
}

// move sets the address as an operation of the API does.
func (s *site) move(url string) {
	s.t.Helper()
	_, err := s.service.Delivery.PlatformUpdate(s.t.Context(), 1, func(p *webhook.Platform) error {
		p.WebhookURL = &url
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		s.t.Fatal(err)
	}
}
