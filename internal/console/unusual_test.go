package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// openHeld starts a server that does not believe its clock: the last pass of the
// lifecycle was long ago.
func openHeld(t testing.TB) *site {
	t.Helper()
	db := storetest.New(t, "sqlite")
	before := db.Open(t)
	err := before.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return store.RecordPass(ctx, tx, tx.Now.Add(-100*24*time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, db)
}

// TestResumingOnce: of two clicks one resumes the lifecycle.
func TestResumingOnce(t *testing.T) {
	t.Parallel()
	s := openHeld(t)
	v := s.as(billing.Admin)
	v.wants(v.get("/"), 200, "Nothing is renewed, ended or changed on schedule.")
	form, found := formTo(v.wants(v.get("/lifecycle/resume"), 200, "This cannot be undone."), "/lifecycle/resume")
	if !found {
		t.Fatal("there is no button")
	}
	for range 2 {
		v.wants(v.send("POST", "/lifecycle/resume", filled(form, nil)), 200, "Resumed.")
	}
	if n := must[int](s)(store.AuditEntries.Count(s.ctx, s.service.Read(), must[billing.Filter](s)(billing.ParseFilter("action:lifecycleResume")))); n != 1 {
		t.Errorf("resumed %d times", n)
	}
}

// unusual leads through what people see when something is not as it should be,
// and has each page looked at.
func (b *browser) unusual(look func(name string)) {
	b.askSecrets(look)
	b.limitClient(look)
	b.disable(look)
	b.refuse(look)
	b.hold(look)
}

// askSecrets moves webhooks to another host, in the form and behind its back.
func (b *browser) askSecrets(look func(name string)) {
	b.t.Helper()
	b.open("/platforms/1/edit")
	b.fills("webhookAuthToken", "t0ken-1")
	b.presses("Save")
	b.says("Saved")
	b.open("/platforms/1/edit")
	b.fills("webhookUrl", "https://other.example.com/hooks")
	b.presses("Save")
	b.says("set it again for https://other.example.com, or remove it.")
	if !eval[bool](b, `document.querySelector("[name=webhookAuthToken]").getAttribute("aria-invalid") === "true"`) {
		b.t.Error("the form does not show which field is wrong")
	}
	look("secrets asked again")
	b.move("https://third.example.com")
	b.open("/platforms/1")
	b.says("Webhooks are waiting: the bearer token")
	look("secrets needed")
	b.open("/platforms/1/workflow")
	b.says("Secrets for the URL")
	look("secrets of a workflow")
	b.open("/platforms/1/test")
	b.presses("Send test")
	b.says("Nothing was sent")
	look("a test without secrets")
	b.open("/platforms/1/workflow")
	b.fills("webhookAuthToken", "t0ken-2")
	b.presses("Save")
	b.says("Saved")
	b.open("/platforms/1/workflow") // without it, what comes next may move the address
	b.fills("webhookAuthTokenRemove", "on")
	b.presses("Save")
	b.says("Saved")
}

// limitClient sets what an API client may take.
func (b *browser) limitClient(look func(name string)) {
	b.t.Helper()
	b.open("/api-clients/1/edit")
	b.fills("maxConcurrentRequests", "-1")
	b.presses("Save")
	b.says("A limit of an API client is from 1 to")
	look("limits that are wrong")
	b.fills("maxConcurrentRequests", "5")
	b.fills("maxCpuSecondsPerMinute", "30")
	b.fills("maxMegabytesPerMinute", "2000")
	b.presses("Save")
	b.says("5 requests at once, 30 CPU seconds a minute, 2,000 MiB a minute")
	look("limits")
}

// disable keeps a user out and lets the user in again.
func (b *browser) disable(look func(name string)) {
	b.t.Helper()
	b.as(billing.Viewer)
	b.open("/users")
	b.presses("viewer@example.com")
	b.presses("Disable")
	b.says("signed out everywhere within a second")
	look("disabling")
	b.presses("Disable user")
	b.says("The user is disabled and cannot sign in.")
	look("disabled")
	b.open("/users?q=disabled:true")
	b.says("disabled")
	look("users")
	b.open("/users/1/disable")
	b.says("You cannot disable yourself")
	look("disabling oneself")
	b.open("/users")
	b.presses("viewer@example.com")
	b.presses("Enable")
	b.presses("Enable user")
	b.says("Enabled user")
}

// refuse asks a console that is full, and takes more than a user may.
func (b *browser) refuse(look func(name string)) {
	b.t.Helper()
	whole := b.site
	defer func() { b.site = whole }()
	gate := admission.NewGate(1, 0, time.Second)
	b.site = whole.narrowed(gate)
	leave, err := gate.Enter(b.t.Context(), "somebody")
	if err != nil {
		b.t.Fatal(err)
	}
	b.open("/accounts")
	b.says("Too many people ask at once")
	look("503")
	leave()
	b.presses("Try again")
	b.says("New account")
	const more = `Promise.all(Array.from({length: 30}, () => fetch("/accounts?pad=" + "x".repeat(60000)).then(r => r.status))).then(all => all.includes(429))`
	eventually(b.t, "the user to be refused", func() bool { return eval[bool](b, more) })
	b.open("/accounts")
	b.says("Too much at once")
	look("429")
}

// hold visits a server that does not believe its clock, and resumes it.
func (b *browser) hold(look func(name string)) {
	b.t.Helper()
	usual := b.site
	defer func() { b.site = usual }()
	b.site = openHeld(b.t)
	b.signIn(adminEmail)
	b.says("Nothing is renewed, ended or changed on schedule.")
	look("held")
	b.presses("Resume…")
	b.says("This cannot be undone.")
	look("resume")
	b.presses("The time is right, resume")
	b.says("Resumed.")
	eventually(b.t, "the lifecycle to go on", func() bool {
		b.open("/lifecycle/resume")
		return strings.Contains(b.text(), "Nothing is held")
	})
	if eval[bool](b, `document.querySelector("main button, main .danger") !== null`) {
		b.t.Error("there is a button though nothing is held")
	}
	look("nothing to resume")
}
