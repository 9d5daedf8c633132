package service_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
)

// needs are the secrets that have to be set again.
func (w *world) needs() string {
	var names []string
	for _, n := range w.route().NeededSecrets() {
		names = append(names, n.Name)
	}
	return strings.Join(names, " ")
}

func (w *world) setSecrets(address *string, secrets delivery.PlatformSecrets) error {
	return second(w.Delivery.PlatformUpdate(w.ctx, w.platform.ID, func(p *webhook.Platform) error {
		if address != nil {
			p.WebhookURL = address
		}
		p.PlainSignatureHeader = ptr("X-Hub")
		return nil
	}, secrets))
}

// TestSecretsAreForAnOrigin: whoever changes the address, each secret is needed
// again on another origin, until it is set, removed, or the address is back.
func TestSecretsAreForAnOrigin(t *testing.T) {
	each(t, func(w *world) {
		headers := func(h webhook.Headers) error {
			return w.workflow(func(d *delivery.WorkflowDraft) { d.Headers = h }, webhook.ReleaseAll)
		}
		address := func(url string) error {
			return w.workflow(func(d *delivery.WorkflowDraft) { d.URL = &url }, webhook.ReleaseAll)
		}
		both := delivery.PlatformSecrets{AuthToken: ptr("bearer"), PlainSignatureKey: ptr("plain")}
		w.ok(w.setSecrets(ptr("https://one.example/a"), both))
		w.ok(headers(webhook.Headers{"X-Api-Key": "s3cret", "X-Token": "t0ken", "X-Source": "billing"}))
		w.same("needed at first", w.needs(), "")
		w.ok(address("https://one.example/b"))
		w.same("needed on another path", w.needs(), "")

		w.ok(address("https://two.example"))
		w.same("needed on another host", w.needs(), "webhookAuthToken plainSignatureKey recipe.headers")
		w.same("the state", w.route().State(), webhook.EndpointSecretsNeeded)
		w.refused("a test", second(w.Delivery.PlatformWebhookTest(w.ctx, w.platform.ID)), "NOT_ALLOWED id")
		w.refused("resuming", second(w.Delivery.PlatformEndpointResume(w.ctx, w.platform.ID, webhook.ReleaseAll)), "NOT_ALLOWED id")

		w.ok(w.setSecrets(nil, delivery.PlatformSecrets{AuthToken: ptr("bearer 2")}))
		w.same("needed with a token", w.needs(), "plainSignatureKey recipe.headers")
		w.ok(w.setSecrets(nil, delivery.PlatformSecrets{PlainSignatureKey: ptr("plain 2")}))
		w.refused("some of the headers", headers(webhook.Headers{"X-Api-Key": "s3cret 2", "X-Token": webhook.HiddenValue}), "REQUIRED recipe.headers")
		w.ok(headers(webhook.Headers{"X-Api-Key": webhook.HiddenValue, "X-Token": webhook.HiddenValue, "X-Source": "other"}))
		w.same("needed with what was hidden", w.needs(), "recipe.headers")
		w.ok(headers(webhook.Headers{"X-Api-Key": "s3cret 2", "X-Token": "t0ken 2"}))
		w.same("needed with all", w.needs(), "")
		w.same("the state", w.route().State(), webhook.EndpointReady)

		w.ok(address("http://two.example"))
		w.same("needed on another scheme", w.needs(), "webhookAuthToken plainSignatureKey recipe.headers")
		w.ok(headers(webhook.Headers{"X-Source": "billing"}))
		w.ok(w.setSecrets(nil, delivery.PlatformSecrets{AuthToken: ptr("")}))
		w.same("needed with fewer", w.needs(), "plainSignatureKey")
		w.setURL(nil)
		w.same("needed without an address", w.needs(), "")
		w.ok(w.setSecrets(nil, delivery.PlatformSecrets{AuthToken: ptr("for nobody")}))
		w.setURL(ptr("https://two.example/back"))
		w.same("needed when there was no address", w.needs(), "webhookAuthToken")
		w.same("audit entries with a secret", w.text(`SELECT count(*) FROM audit_entry WHERE detail LIKE '%s3cret%' OR detail LIKE '%bearer%' OR detail LIKE '%t0ken%'`), "0")
	})
}

// TestSecretsAreAskedFor: a form that asks is refused, with each secret by name,
// and can give all of them with the address.
func TestSecretsAreAskedFor(t *testing.T) {
	each(t, func(w *world) {
		w.ok(w.setSecrets(ptr("https://one.example"), delivery.PlatformSecrets{AuthToken: ptr("bearer"), PlainSignatureKey: ptr("plain")}))
		w.refused("another host", w.setSecrets(ptr("https://two.example"), delivery.PlatformSecrets{Ask: true}), "REQUIRED webhookAuthToken", "REQUIRED plainSignatureKey")
		w.same("the address", *w.route().Platform.WebhookURL, "https://one.example")
		w.ok(w.workflow(func(d *delivery.WorkflowDraft) { d.Headers = webhook.Headers{"X-Api-Key": "s3cret"} }, webhook.ReleaseAll))
		move := func(secrets delivery.PlatformSecrets, key string) error {
			return w.workflow(func(d *delivery.WorkflowDraft) {
				d.URL, d.Secrets, d.Headers = ptr("https://two.example"), secrets, webhook.Headers{"X-Api-Key": key}
			}, webhook.ReleaseAll)
		}
		w.refused("a workflow without", move(delivery.PlatformSecrets{Ask: true}, webhook.HiddenValue), "REQUIRED webhookAuthToken", "REQUIRED plainSignatureKey", "REQUIRED recipe.headers")
		w.refused("a signature without its key", move(delivery.PlatformSecrets{AuthToken: ptr("new"), PlainSignatureKey: ptr(""), Ask: true}, "n3w"), "REQUIRED plainSignatureKey")
		w.ok(move(delivery.PlatformSecrets{AuthToken: ptr("new"), PlainSignatureKey: ptr("pla1n"), Ask: true}, "n3w"))
		w.same("needed", w.needs(), "")
		opened := must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(w.route(), w.clock.Now()))
		w.same("the secrets", []string{opened.AuthToken, opened.PlainKey, opened.Headers["X-Api-Key"]}, []string{"new", "pla1n", "n3w"})
	})
}

// TestSecretsAndAddressCross: of two who change address and secret at once, the
// outcome is never a secret that goes where it was not set for.
func TestSecretsAndAddressCross(t *testing.T) {
	each(t, func(w *world) {
		w.ok(w.setSecrets(ptr("https://one.example"), delivery.PlatformSecrets{AuthToken: ptr("bearer"), PlainSignatureKey: ptr("plain")}))
		for range 10 {
			var both sync.WaitGroup
			both.Go(func() { w.ok(w.setSecrets(ptr("https://two.example"), delivery.PlatformSecrets{})) })
			both.Go(func() { w.ok(w.setSecrets(nil, delivery.PlatformSecrets{AuthToken: ptr("another")})) })
			both.Wait()
			p := w.route().Platform
			if webhook.Origin(*p.WebhookURL) != p.AuthTokenFor && w.route().State() != webhook.EndpointSecretsNeeded {
				w.t.Fatalf("the token for %s goes to %s", p.AuthTokenFor, *p.WebhookURL)
			}
			w.ok(w.setSecrets(ptr("https://one.example"), delivery.PlatformSecrets{AuthToken: ptr("bearer")}))
		}
	})
}
