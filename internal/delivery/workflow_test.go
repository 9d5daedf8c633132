package delivery_test

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
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// route is how the webhooks of the shop's platform go.
func route(w *servicetest.World) *outbox.Route {
	w.T.Helper()
	routes, err := outbox.RoutesOf(w.Ctx, w.Read(), []billing.PlatformID{w.Platform.ID})
	w.OK(err)
	return &routes[0]
}

func workflow(w *servicetest.World, edit func(*delivery.WorkflowDraft), release webhook.Release) error {
	_, err := w.Delivery.WorkflowUpdate(w.Ctx, route(w).Workflow.ID, func(d *delivery.WorkflowDraft) error {
		edit(d)
		return nil
	}, release)
	return err
}

func setURL(w *servicetest.World, url *string) {
	w.T.Helper()
	_, err := w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
		p.WebhookURL = url
		return nil
	}, delivery.PlatformSecrets{})
	w.OK(err)
}

func damageEndpoint(w *servicetest.World, change string) {
	w.T.Helper()
	w.Damage(`UPDATE webhook_endpoint SET ` + change)
}

// TestRelease shows which changes let only the latest of what waits go out: the
// first address always, enabling and resuming unless the caller wants all.
func TestRelease(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		setURL(w, nil)
		released := func(what string, want bool, do func() error) {
			w.T.Helper()
			damageEndpoint(w, `latest_before = 0`)
			w.Clock.Advance(time.Minute)
			w.OK(do())
			have := route(w).Endpoint.LatestBefore
			if want {
				w.Equal(what, have, w.Clock.Now())
			} else {
				w.Equal(what, have, time.UnixMilli(0).UTC())
			}
		}
		enabled := func(on bool) func(*delivery.WorkflowDraft) {
			return func(d *delivery.WorkflowDraft) { d.Enabled = on }
		}
		released("the first address", true, func() error { setURL(w, new("https://one.example")); return nil })
		released("another address", false, func() error { setURL(w, new("https://two.example")); return nil })
		released("no address", false, func() error { setURL(w, nil); return nil })
		released("the first in the recipe", true, func() error {
			return workflow(w, func(d *delivery.WorkflowDraft) { d.URL = new("https://one.example") }, webhook.ReleaseAll)
		})
		released("switched off", false, func() error { return workflow(w, enabled(false), webhook.ReleaseLatest) })
		w.Equal("the state", route(w).State(), webhook.EndpointWorkflowDisabled)
		released("switched on for all", false, func() error { return workflow(w, enabled(true), webhook.ReleaseAll) })
		released("on already", false, func() error { return workflow(w, enabled(true), webhook.ReleaseLatest) })
		w.OK(workflow(w, enabled(false), webhook.ReleaseAll))
		released("switched on for the latest", true, func() error { return workflow(w, enabled(true), webhook.ReleaseLatest) })
		for _, paused := range []string{`paused_at = 1, pause_reason = 'gone'`, `open_until = 1, open_delay = 5000, failures = 12`} {
			for release, want := range map[webhook.Release]bool{webhook.ReleaseAll: false, webhook.ReleaseLatest: true} {
				damageEndpoint(w, paused)
				w.Equal("held", route(w).State() == webhook.EndpointReady, false)
				released("resumed, "+string(release), want, func() error {
					return servicetest.ErrorOf(w.Delivery.PlatformEndpointResume(w.Ctx, w.Platform.ID, release))
				})
				w.Equal("ready", route(w).State(), webhook.EndpointReady)
			}
		}
		w.Equal("resumed in the audit log", w.QueryText(`SELECT count(*) FROM audit_entry WHERE action = 'platformEndpointResume' AND subject_type = 'Platform' AND actor = $1`, servicetest.Actor), "4")
		w.Refused("nothing to resume", servicetest.ErrorOf(w.Delivery.PlatformEndpointResume(w.Ctx, w.Platform.ID, webhook.ReleaseAll)), "NOT_ALLOWED id")
		damageEndpoint(w, `paused_at = 1, pause_reason = 'gone'`)
		released("a new address is not paused", false, func() error { setURL(w, new("https://three.example")); return nil })
		w.Equal("ready", route(w).State(), webhook.EndpointReady)
	})
}

// TestRouteSecrets keeps the secrets of a platform's requests sealed, and opens
// them for those who send.
func TestRouteSecrets(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		headers := webhook.Headers{"X-Source": "billing", "X-Api-Key": "s3cret"}
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.Headers = headers }, webhook.ReleaseAll))
		_, err := w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(*webhook.Platform) error { return nil },
			delivery.PlatformSecrets{AuthToken: new("bearer"), PlainSignatureKey: new("plain")})
		w.OK(err)
		before := servicetest.Must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(route(w), w.Clock.Now()))
		w.Equal("headers", before.Headers, headers)
		w.Equal("tokens", []string{before.AuthToken, before.PlainKey}, []string{"bearer", "plain"})
		if len(before.Signing) != 1 || !strings.HasPrefix(before.Signing[0], "whsec_") {
			w.T.Fatalf("signing secrets %q", before.Signing)
		}
		if stored := w.QueryText(`SELECT headers_sealed FROM workflow`); stored == "" || strings.Contains(stored, "s3cret") {
			w.T.Errorf("the headers are kept as %q", stored)
		}
		w.Equal("audit entries with the secret", w.QueryText(`SELECT count(*) FROM audit_entry WHERE detail LIKE '%s3cret%'`), "0")
		w.OK(servicetest.ErrorOf(w.Delivery.PlatformSigningSecretRotate(w.Ctx, w.Platform.ID, 2)))
		during := servicetest.Must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(route(w), w.Clock.Now()))
		w.Equal("both sign", []any{len(during.Signing), during.Signing[1]}, []any{2, before.Signing[0]})
		w.Clock.Advance(2 * time.Hour)
		after := servicetest.Must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(route(w), w.Clock.Now()))
		w.Equal("the new one signs", after.Signing, during.Signing[:1])
		w.OK(servicetest.ErrorOf(w.Delivery.PlatformSigningSecretRotate(w.Ctx, w.Platform.ID, 0)))
		at := servicetest.Must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(route(w), w.Clock.Now()))
		w.Equal("at once", []any{len(at.Signing), at.Signing[0] != after.Signing[0]}, []any{1, true})
	})
}

// TestSignatureHeaderIsItsOwn: the plain signature and a header of the recipe
// cannot have the same name, whichever comes first.
func TestSignatureHeaderIsItsOwn(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		signed := func(name *string) error {
			return servicetest.ErrorOf(w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error { p.PlainSignatureHeader = name; return nil },
				delivery.PlatformSecrets{PlainSignatureKey: new("plain")}))
		}
		recipe := func(headers webhook.Headers) error {
			return workflow(w, func(d *delivery.WorkflowDraft) { d.Headers = headers }, webhook.ReleaseAll)
		}
		w.OK(signed(new("X-Signature")))
		w.Refused("the signature's header in the recipe", recipe(webhook.Headers{"x-SIGNATURE": "mine", "X-Source": "s"}), "INVALID recipe.headers")
		w.OK(recipe(webhook.Headers{"X-Source": "s"}))
		w.Refused("a header of the recipe for the signature", signed(new("x-source")), "INVALID plainSignatureHeader")
		w.OK(signed(new("X-Other")))
		w.OK(recipe(webhook.Headers{"X-Signature": "mine"}))
	})
}

// TestJudged refuses addresses and programs that those who send would refuse,
// unless they are there already.
func TestJudged(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		setURL(w, new("https://inside.example"))
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.PayloadProgram = new("loop") }, webhook.ReleaseAll))
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
			return servicetest.ErrorOf(w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
				p.WebhookURL = &url
				return nil
			}, delivery.PlatformSecrets{}))
		}
		w.OK(set("https://inside.example")) // as it was
		w.Unchanged("refused values", func() {
			w.Refused("an address", set("https://inside.example/x"), "INVALID webhookUrl")
			w.Refused("no address", set("inside"), "INVALID webhookUrl")
			w.Refused("a new platform's", servicetest.ErrorOf(w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
				p.Code, p.Name, p.WebhookURL = "new", "New", new("https://inside.example")
				return nil
			}, delivery.PlatformSecrets{})), "INVALID webhookUrl")
			w.Refused("in a recipe", workflow(w, func(d *delivery.WorkflowDraft) {
				d.URL, d.PayloadProgram = new("https://inside.example/x"), new("spin")
			}, webhook.ReleaseAll), "INVALID recipe.url", "INVALID recipe.payloadProgram")
		})
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.PayloadProgram = new("loop") }, webhook.ReleaseAll)) // as it was
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.PayloadProgram = new("") }, webhook.ReleaseAll))
		w.Equal("no program", route(w).Workflow.PayloadProgram, (*string)(nil))
		w.OK(set("https://outside.example"))
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
	servicetest.Each(t, func(w *servicetest.World) {
		id := route(w).Workflow.ID
		sub := w.Subscribe("basic-monthly", "acme")
		preview := func(source *string, tenant *billing.TenantID) string {
			w.T.Helper()
			body, err := w.Delivery.WorkflowPreview(w.Ctx, id, source, tenant)
			w.OK(err)
			return string(body)
		}
		w.Equal("a tenant", preview(nil, sub.TenantID), w.Events(*sub.TenantID)[0].Body)
		if made := preview(nil, nil); !strings.Contains(made, `"code":"provisioning-test"`) {
			w.T.Errorf("made up: %s", made)
		}
		w.Refused("programs do not run here", servicetest.ErrorOf(w.Delivery.WorkflowPreview(w.Ctx, id, new("upper"), nil)), "NOT_ALLOWED payloadProgram")
		w.Delivery.UseWebhooks(delivery.Webhooks{RunProgram: upperCase})
		w.Equal("a program", preview(new("upper"), sub.TenantID), strings.ToUpper(preview(nil, sub.TenantID)))
		w.Refused("a broken one", servicetest.ErrorOf(w.Delivery.WorkflowPreview(w.Ctx, id, new("lower"), nil)), "INVALID payloadProgram")
		other, err := w.Delivery.PlatformCreate(w.Ctx, func(p *webhook.Platform) error {
			p.Code, p.Name = "other", "Other"
			return nil
		}, delivery.PlatformSecrets{})
		w.OK(err)
		theirs, err := store.WorkflowsOf(w.Ctx, w.Read(), []billing.PlatformID{other.ID})
		w.OK(err)
		w.Refused("another platform's tenant", servicetest.ErrorOf(w.Delivery.WorkflowPreview(w.Ctx, theirs[0].ID, nil, sub.TenantID)), "INVALID tenantId")
	})
}

// TestWebhookTest sends one made-up event, records it and queues nothing.
func TestWebhookTest(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		var got []string
		receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, string(body))
			rw.WriteHeader(http.StatusTeapot)
		}))
		w.T.Cleanup(receiver.Close)
		setURL(w, &receiver.URL)
		w.Refused("nobody sends", servicetest.ErrorOf(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID)), "NOT_ALLOWED")
		w.Delivery.UseWebhooks(delivery.Webhooks{RunProgram: upperCase, Test: post(w)})
		ctx := w.Ctx
		once, err := w.ClaimOnce(w.Ctx, "1", "a key", "hash")
		w.OK(err)
		w.Ctx = operation.As(ctx, operation.Caller{Actor: servicetest.Actor, Once: once, Step: "test"})
		test := servicetest.Must[*delivery.WebhookTest](w)(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID))
		again := servicetest.Must[*delivery.WebhookTest](w)(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID))
		w.Equal("with the same key, it is sent once", []any{len(got), again.EventID, again.Attempt.ID}, []any{1, test.EventID, test.Attempt.ID})
		w.Ctx = ctx
		w.Equal("how it went", []any{test.Attempt.Outcome, *test.Attempt.Status}, []any{webhook.AttemptFailed, http.StatusTeapot})
		if !strings.Contains(got[0], webhook.TestTenantCode) {
			w.T.Errorf("it sent %s", got[0])
		}
		w.Equal("the event", w.QueryText(`SELECT type || ' ' || reason || ' ' || (stream_id IS NULL) FROM webhook_event`), yes(w, "TenantProvisioningChange webhook.test "))
		w.Equal("the audit entry", w.QueryText(`SELECT detail FROM audit_entry WHERE action = 'platformWebhookTest'`),
			`{"outcome":{"from":null,"to":"failed"},"webhookEvent":{"from":null,"to":1}}`)
		w.Equal("nothing is queued", w.QueryText(`SELECT count(*) FROM webhook_stream`), "0")
		w.Equal("its end", w.QueryText(`SELECT state FROM webhook_delivery`), webhook.DeliveryExhausted)
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.PayloadProgram = new("upper") }, webhook.ReleaseAll))
		w.OK(servicetest.ErrorOf(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID)))
		w.Equal("with the program", got[1], strings.ToUpper(got[0]))
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.PayloadProgram = new("lower") }, webhook.ReleaseAll))
		w.Refused("with one that fails", servicetest.ErrorOf(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID)), "INVALID id")
		w.Equal("requests", len(got), 2)
	})
}

// yes adds how the engine writes true.
func yes(w *servicetest.World, text string) string {
	if w.DB.Engine == "sqlite" {
		return text + "1"
	}
	return text + "true"
}

// post makes a request as simply as can be.
func post(w *servicetest.World) func(context.Context, *outbox.Route, *webhook.Event) *webhook.Attempt {
	return func(_ context.Context, r *outbox.Route, e *webhook.Event) *webhook.Attempt {
		a := &webhook.Attempt{URL: *r.Platform.WebhookURL, Outcome: webhook.AttemptFailed, StartedAt: w.Clock.Now(), RequestHeaders: []byte(`{}`)}
		answer, err := http.Post(a.URL, "application/json", strings.NewReader(e.Body))
		if err != nil {
			a.Error = new(err.Error())
			return a
		}
		defer answer.Body.Close()
		a.Status, a.FinishedAt = &answer.StatusCode, new(w.Clock.Now())
		return a
	}
}
