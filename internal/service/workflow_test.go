package service_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// route is how the webhooks of the shop's platform go.
func (w *world) route() *outbox.Route {
	w.t.Helper()
	routes, err := outbox.RoutesOf(w.ctx, w.Read(), []billing.PlatformID{w.platform.ID})
	w.ok(err)
	return &routes[0]
}

func (w *world) workflow(edit func(*delivery.WorkflowDraft), release webhook.Release) error {
	_, err := w.Delivery.WorkflowUpdate(w.ctx, w.route().Workflow.ID, func(d *delivery.WorkflowDraft) error {
		edit(d)
		return nil
	}, release)
	return err
}

func (w *world) setURL(url *string) {
	w.t.Helper()
	_, err := w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error {
		p.WebhookURL = url
		return nil
	}, delivery.PlatformSecrets{})
	w.ok(err)
}

func (w *world) damageEndpoint(change string) {
	w.t.Helper()
	w.damage(`UPDATE webhook_endpoint SET ` + change)
}

// TestRelease shows which changes let only the latest of what waits go out: the
// first address always, enabling and resuming unless the caller wants all.
func TestRelease(t *testing.T) {
	each(t, func(w *world) {
		w.setURL(nil)
		released := func(what string, want bool, do func() error) {
			w.t.Helper()
			w.damageEndpoint(`latest_before = 0`)
			w.clock.Advance(time.Minute)
			w.ok(do())
			have := w.route().Endpoint.LatestBefore
			if want {
				w.same(what, have, w.clock.Now())
			} else {
				w.same(what, have, time.UnixMilli(0).UTC())
			}
		}
		enabled := func(on bool) func(*delivery.WorkflowDraft) {
			return func(d *delivery.WorkflowDraft) { d.Enabled = on }
		}
		released("the first address", true, func() error { w.setURL(ptr("https://one.example")); return nil })
		released("another address", false, func() error { w.setURL(ptr("https://two.example")); return nil })
		released("no address", false, func() error { w.setURL(nil); return nil })
		released("the first in the recipe", true, func() error {
			return w.workflow(func(d *delivery.WorkflowDraft) { d.URL = ptr("https://one.example") }, webhook.ReleaseAll)
		})
		released("switched off", false, func() error { return w.workflow(enabled(false), webhook.ReleaseLatest) })
		w.same("the state", w.route().State(), webhook.EndpointWorkflowDisabled)
		released("switched on for all", false, func() error { return w.workflow(enabled(true), webhook.ReleaseAll) })
		released("on already", false, func() error { return w.workflow(enabled(true), webhook.ReleaseLatest) })
		w.ok(w.workflow(enabled(false), webhook.ReleaseAll))
		released("switched on for the latest", true, func() error { return w.workflow(enabled(true), webhook.ReleaseLatest) })
		for _, paused := range []string{`paused_at = 1, pause_reason = 'gone'`, `open_until = 1, open_delay = 5000, failures = 12`} {
			for release, want := range map[webhook.Release]bool{webhook.ReleaseAll: false, webhook.ReleaseLatest: true} {
				w.damageEndpoint(paused)
				w.same("held", w.route().State() == webhook.EndpointReady, false)
				released("resumed, "+string(release), want, func() error {
					return second(w.Delivery.PlatformEndpointResume(w.ctx, w.platform.ID, release))
				})
				w.same("ready", w.route().State(), webhook.EndpointReady)
			}
		}
		w.same("resumed in the audit log", w.text(`SELECT count(*) FROM audit_entry WHERE action = 'platformEndpointResume' AND subject_type = 'Platform' AND actor = $1`, actor), "4")
		w.refused("nothing to resume", second(w.Delivery.PlatformEndpointResume(w.ctx, w.platform.ID, webhook.ReleaseAll)), "NOT_ALLOWED id")
		w.damageEndpoint(`paused_at = 1, pause_reason = 'gone'`)
		released("a new address is not paused", false, func() error { w.setURL(ptr("https://three.example")); return nil })
		w.same("ready", w.route().State(), webhook.EndpointReady)
	})
}

// TestRouteSecrets keeps the secrets of a platform's requests sealed, and opens
// them for those who send.
func TestRouteSecrets(t *testing.T) {
	each(t, func(w *world) {
		headers := webhook.Headers{"X-Source": "billing", "X-Api-Key": "s3cret"}
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.Headers = headers }, webhook.ReleaseAll))
		_, err := w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(*webhook.Platform) error { return nil },
			delivery.PlatformSecrets{AuthToken: ptr("bearer"), PlainSignatureKey: ptr("plain")})
		w.ok(err)
		before := must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(w.route(), w.clock.Now()))
		w.same("headers", before.Headers, headers)
		w.same("tokens", []string{before.AuthToken, before.PlainKey}, []string{"bearer", "plain"})
		if len(before.Signing) != 1 || !strings.HasPrefix(before.Signing[0], "whsec_") {
			w.t.Fatalf("signing secrets %q", before.Signing)
		}
		if stored := w.text(`SELECT headers_sealed FROM workflow`); stored == "" || strings.Contains(stored, "s3cret") {
			w.t.Errorf("the headers are kept as %q", stored)
		}
		w.same("audit entries with the secret", w.text(`SELECT count(*) FROM audit_entry WHERE detail LIKE '%s3cret%'`), "0")
		w.ok(second(w.Delivery.PlatformSigningSecretRotate(w.ctx, w.platform.ID, 2)))
		during := must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(w.route(), w.clock.Now()))
		w.same("both sign", []any{len(during.Signing), during.Signing[1]}, []any{2, before.Signing[0]})
		w.clock.Advance(2 * time.Hour)
		after := must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(w.route(), w.clock.Now()))
		w.same("the new one signs", after.Signing, during.Signing[:1])
		w.ok(second(w.Delivery.PlatformSigningSecretRotate(w.ctx, w.platform.ID, 0)))
		at := must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(w.route(), w.clock.Now()))
		w.same("at once", []any{len(at.Signing), at.Signing[0] != after.Signing[0]}, []any{1, true})
	})
}

// TestSignatureHeaderIsItsOwn: the plain signature and a header of the recipe
// cannot have the same name, whichever comes first.
func TestSignatureHeaderIsItsOwn(t *testing.T) {
	each(t, func(w *world) {
		signed := func(name *string) error {
			return second(w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error { p.PlainSignatureHeader = name; return nil },
				delivery.PlatformSecrets{PlainSignatureKey: ptr("plain")}))
		}
		recipe := func(headers webhook.Headers) error {
			return w.workflow(func(d *delivery.WorkflowDraft) { d.Headers = headers }, webhook.ReleaseAll)
		}
		w.ok(signed(ptr("X-Signature")))
		w.refused("the signature's header in the recipe", recipe(webhook.Headers{"x-SIGNATURE": "mine", "X-Source": "s"}), "INVALID recipe.headers")
		w.ok(recipe(webhook.Headers{"X-Source": "s"}))
		w.refused("a header of the recipe for the signature", signed(ptr("x-source")), "INVALID plainSignatureHeader")
		w.ok(signed(ptr("X-Other")))
		w.ok(recipe(webhook.Headers{"X-Signature": "mine"}))
	})
}

// TestJudged refuses addresses and programs that those who send would refuse,
// unless they are there already.
func TestJudged(t *testing.T) {
	each(t, func(w *world) {
		w.setURL(ptr("https://inside.example"))
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.PayloadProgram = ptr("loop") }, webhook.ReleaseAll))
		w.Delivery.UseWebhooks(delivery.Webhooks{
			CheckURL: func(_ context.Context, url string) error {
				if strings.Contains(url, "inside") {
					return errors.New("the address is refused: use --webhook-allow")
				}
				return nil
			},
			CheckProgram: func(_ context.Context, source string) error {
				if source == "loop" || source == "spin" {
					return errors.New("it runs for too long")
				}
				return nil
			},
		})
		set := func(url string) error {
			return second(w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error {
				p.WebhookURL = &url
				return nil
			}, delivery.PlatformSecrets{}))
		}
		w.ok(set("https://inside.example")) // as it was
		w.untouched("refused values", func() {
			w.refused("an address", set("https://inside.example/x"), "INVALID webhookUrl")
			w.refused("no address", set("inside"), "INVALID webhookUrl")
			w.refused("a new platform's", second(w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
				p.Code, p.Name, p.WebhookURL = "new", "New", ptr("https://inside.example")
				return nil
			}, delivery.PlatformSecrets{})), "INVALID webhookUrl")
			w.refused("in a recipe", w.workflow(func(d *delivery.WorkflowDraft) {
				d.URL, d.PayloadProgram = ptr("https://inside.example/x"), ptr("spin")
			}, webhook.ReleaseAll), "INVALID recipe.url", "INVALID recipe.payloadProgram")
		})
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.PayloadProgram = ptr("loop") }, webhook.ReleaseAll)) // as it was
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.PayloadProgram = ptr("") }, webhook.ReleaseAll))
		w.same("no program", w.route().Workflow.PayloadProgram, (*string)(nil))
		w.ok(set("https://outside.example"))
	})
}

// upperCase is a payload program of sorts.
func upperCase(_ context.Context, source string, body []byte) ([]byte, error) {
	if source != "upper" {
		return nil, errors.New("it does not work")
	}
	return []byte(strings.ToUpper(string(body))), nil
}

// TestWorkflowPreview shows what a program makes of made-up data or of a tenant.
func TestWorkflowPreview(t *testing.T) {
	each(t, func(w *world) {
		id := w.route().Workflow.ID
		sub := w.subscribe("basic-monthly", "acme")
		preview := func(source *string, tenant *billing.TenantID) string {
			w.t.Helper()
			body, err := w.Delivery.WorkflowPreview(w.ctx, id, source, tenant)
			w.ok(err)
			return string(body)
		}
		w.same("a tenant", preview(nil, sub.TenantID), w.events(*sub.TenantID)[0].Body)
		if made := preview(nil, nil); !strings.Contains(made, `"code":"provisioning-test"`) {
			w.t.Errorf("made up: %s", made)
		}
		w.refused("programs do not run here", second(w.Delivery.WorkflowPreview(w.ctx, id, ptr("upper"), nil)), "NOT_ALLOWED payloadProgram")
		w.Delivery.UseWebhooks(delivery.Webhooks{RunProgram: upperCase})
		w.same("a program", preview(ptr("upper"), sub.TenantID), strings.ToUpper(preview(nil, sub.TenantID)))
		w.refused("a broken one", second(w.Delivery.WorkflowPreview(w.ctx, id, ptr("lower"), nil)), "INVALID payloadProgram")
		other, err := w.Delivery.PlatformCreate(w.ctx, func(p *webhook.Platform) error {
			p.Code, p.Name = "other", "Other"
			return nil
		}, delivery.PlatformSecrets{})
		w.ok(err)
		theirs, err := store.WorkflowsOf(w.ctx, w.Read(), []billing.PlatformID{other.ID})
		w.ok(err)
		w.refused("another platform's tenant", second(w.Delivery.WorkflowPreview(w.ctx, theirs[0].ID, nil, sub.TenantID)), "INVALID tenantId")
	})
}

// TestWebhookTest sends one made-up event, records it and queues nothing.
func TestWebhookTest(t *testing.T) {
	each(t, func(w *world) {
		var got []string
		receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, string(body))
			rw.WriteHeader(http.StatusTeapot)
		}))
		w.t.Cleanup(receiver.Close)
		w.setURL(&receiver.URL)
		w.refused("nobody sends", second(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID)), "NOT_ALLOWED")
		w.Delivery.UseWebhooks(delivery.Webhooks{RunProgram: upperCase, Test: w.post})
		ctx := w.ctx
		once, err := w.ClaimOnce(w.ctx, "1", "a key", "hash")
		w.ok(err)
		w.ctx = operation.As(ctx, operation.Caller{Actor: actor, Once: once, Step: "test"})
		test := must[*delivery.WebhookTest](w)(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID))
		again := must[*delivery.WebhookTest](w)(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID))
		w.same("with the same key, it is sent once", []any{len(got), again.EventID, again.Attempt.ID}, []any{1, test.EventID, test.Attempt.ID})
		w.ctx = ctx
		w.same("how it went", []any{test.Attempt.Outcome, *test.Attempt.Status}, []any{webhook.AttemptFailed, http.StatusTeapot})
		if !strings.Contains(got[0], webhook.TestTenantCode) {
			w.t.Errorf("it sent %s", got[0])
		}
		w.same("the event", w.text(`SELECT type || ' ' || reason || ' ' || (tenant_id IS NULL) FROM webhook_event`), w.yes("TenantProvisioningChange webhook.test "))
		w.same("the audit entry", w.text(`SELECT detail FROM audit_entry WHERE action = 'platformWebhookTest'`),
			`{"outcome":{"from":null,"to":"failed"},"webhookEvent":{"from":null,"to":1}}`)
		w.same("nothing is queued", w.text(`SELECT count(*) FROM webhook_stream`), "0")
		w.same("its end", w.text(`SELECT state FROM webhook_delivery`), webhook.DeliveryExhausted)
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.PayloadProgram = ptr("upper") }, webhook.ReleaseAll))
		w.ok(second(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID)))
		w.same("with the program", got[1], strings.ToUpper(got[0]))
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.PayloadProgram = ptr("lower") }, webhook.ReleaseAll))
		w.refused("with one that fails", second(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID)), "INVALID id")
		w.same("requests", len(got), 2)
	})
}

// yes adds how the engine writes true.
func (w *world) yes(text string) string {
	if w.db.Engine == "sqlite" {
		return text + "1"
	}
	return text + "true"
}

// post makes a request as simply as can be.
func (w *world) post(_ context.Context, r *outbox.Route, e *webhook.Event) *webhook.Attempt {
	a := &webhook.Attempt{URL: *r.Platform.WebhookURL, Outcome: webhook.AttemptFailed, StartedAt: w.clock.Now(), RequestHeaders: []byte(`{}`)}
	answer, err := http.Post(a.URL, "application/json", strings.NewReader(e.Body))
	if err != nil {
		a.Error = ptr(err.Error())
		return a
	}
	defer answer.Body.Close()
	a.Status, a.FinishedAt = &answer.StatusCode, ptr(w.clock.Now())
	return a
}
