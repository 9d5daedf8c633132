package delivery_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// needs are the secrets that have to be set again.
func needs(w *servicetest.World) string {
	var names []string
	for _, n := range route(w).NeededSecrets() {
		names = append(names, n.Name)
	}
	return strings.Join(names, " ")
}

func setSecrets(w *servicetest.World, address *string, secrets delivery.PlatformSecrets) error {
	return servicetest.ErrorOf(w.Delivery.PlatformUpdate(w.Ctx, w.Platform.ID, func(p *webhook.Platform) error {
		if address != nil {
			p.WebhookURL = address
		}
		p.PlainSignatureHeader = new("X-Hub")
		return nil
	}, secrets))
}

// TestSecretsAreForAnOrigin: whoever changes the address, each secret is needed
// again on another origin, until it is set, removed, or the address is back.
func TestSecretsAreForAnOrigin(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		headers := func(h webhook.Headers) error {
			return workflow(w, func(d *delivery.WorkflowDraft) { d.Headers = h }, webhook.ReleaseAll)
		}
		address := func(url string) error {
			return workflow(w, func(d *delivery.WorkflowDraft) { d.URL = &url }, webhook.ReleaseAll)
		}
		both := delivery.PlatformSecrets{AuthToken: new("bearer"), PlainSignatureKey: new("plain")}
		w.OK(setSecrets(w, new("https://one.example/a"), both))
		w.OK(headers(webhook.Headers{"X-Api-Key": "s3cret", "X-Token": "t0ken", "X-Source": "billing"}))
		w.Equal("needed at first", needs(w), "")
		w.OK(address("https://one.example/b"))
		w.Equal("needed on another path", needs(w), "")

		w.OK(address("https://two.example"))
		w.Equal("needed on another host", needs(w), "webhookAuthToken plainSignatureKey recipe.headers")
		w.Equal("the state", route(w).State(), webhook.EndpointSecretsNeeded)
		w.Refused("a test", servicetest.ErrorOf(w.Delivery.PlatformWebhookTest(w.Ctx, w.Platform.ID)), "NOT_ALLOWED id")
		w.Refused("resuming", servicetest.ErrorOf(w.Delivery.PlatformEndpointResume(w.Ctx, w.Platform.ID, webhook.ReleaseAll)), "NOT_ALLOWED id")

		w.OK(setSecrets(w, nil, delivery.PlatformSecrets{AuthToken: new("bearer 2")}))
		w.Equal("needed with a token", needs(w), "plainSignatureKey recipe.headers")
		w.OK(setSecrets(w, nil, delivery.PlatformSecrets{PlainSignatureKey: new("plain 2")}))
		w.Refused("some of the headers", headers(webhook.Headers{"X-Api-Key": "s3cret 2", "X-Token": webhook.HiddenValue}), "REQUIRED recipe.headers")
		w.OK(headers(webhook.Headers{"X-Api-Key": webhook.HiddenValue, "X-Token": webhook.HiddenValue, "X-Source": "other"}))
		w.Equal("needed with what was hidden", needs(w), "recipe.headers")
		w.OK(headers(webhook.Headers{"X-Api-Key": "s3cret 2", "X-Token": "t0ken 2"}))
		w.Equal("needed with all", needs(w), "")
		w.Equal("the state", route(w).State(), webhook.EndpointReady)

		w.OK(address("http://two.example"))
		w.Equal("needed on another scheme", needs(w), "webhookAuthToken plainSignatureKey recipe.headers")
		w.OK(headers(webhook.Headers{"X-Source": "billing"}))
		w.OK(setSecrets(w, nil, delivery.PlatformSecrets{AuthToken: new("")}))
		w.Equal("needed with fewer", needs(w), "plainSignatureKey")
		setURL(w, nil)
		w.Equal("needed without an address", needs(w), "")
		w.OK(setSecrets(w, nil, delivery.PlatformSecrets{AuthToken: new("for nobody")}))
		setURL(w, new("https://two.example/back"))
		w.Equal("needed when there was no address", needs(w), "webhookAuthToken")
		w.Equal("audit entries with a secret", w.QueryText(`SELECT count(*) FROM audit_entry WHERE detail LIKE '%s3cret%' OR detail LIKE '%bearer%' OR detail LIKE '%t0ken%'`), "0")
	})
}

// TestSecretsAreAskedFor: a form that asks is refused, with each secret by name,
// and can give all of them with the address.
func TestSecretsAreAskedFor(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.OK(setSecrets(w, new("https://one.example"), delivery.PlatformSecrets{AuthToken: new("bearer"), PlainSignatureKey: new("plain")}))
		w.Refused("another host", setSecrets(w, new("https://two.example"), delivery.PlatformSecrets{Ask: true}), "REQUIRED webhookAuthToken", "REQUIRED plainSignatureKey")
		w.Equal("the address", *route(w).Platform.WebhookURL, "https://one.example")
		w.OK(workflow(w, func(d *delivery.WorkflowDraft) { d.Headers = webhook.Headers{"X-Api-Key": "s3cret"} }, webhook.ReleaseAll))
		move := func(secrets delivery.PlatformSecrets, key string) error {
			return workflow(w, func(d *delivery.WorkflowDraft) {
				d.URL, d.Secrets, d.Headers = new("https://two.example"), secrets, webhook.Headers{"X-Api-Key": key}
			}, webhook.ReleaseAll)
		}
		w.Refused("a workflow without", move(delivery.PlatformSecrets{Ask: true}, webhook.HiddenValue), "REQUIRED webhookAuthToken", "REQUIRED plainSignatureKey", "REQUIRED recipe.headers")
		w.Refused("a signature without its key", move(delivery.PlatformSecrets{AuthToken: new("new"), PlainSignatureKey: new(""), Ask: true}, "n3w"), "REQUIRED plainSignatureKey")
		w.OK(move(delivery.PlatformSecrets{AuthToken: new("new"), PlainSignatureKey: new("pla1n"), Ask: true}, "n3w"))
		w.Equal("needed", needs(w), "")
		opened := servicetest.Must[delivery.RouteSecrets](w)(w.Delivery.RouteSecrets(route(w), w.Clock.Now()))
		w.Equal("the secrets", []string{opened.AuthToken, opened.PlainKey, opened.Headers["X-Api-Key"]}, []string{"new", "pla1n", "n3w"})
	})
}

// TestSecretsAndAddressCross: of two who change address and secret at once, the
// outcome is never a secret that goes where it was not set for.
func TestSecretsAndAddressCross(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.OK(setSecrets(w, new("https://one.example"), delivery.PlatformSecrets{AuthToken: new("bearer"), PlainSignatureKey: new("plain")}))
		for range 10 {
			var both sync.WaitGroup
			both.Go(func() { w.OK(setSecrets(w, new("https://two.example"), delivery.PlatformSecrets{})) })
			both.Go(func() { w.OK(setSecrets(w, nil, delivery.PlatformSecrets{AuthToken: new("another")})) })
			both.Wait()
			p := route(w).Platform
			if webhook.Origin(*p.WebhookURL) != p.AuthTokenFor && route(w).State() != webhook.EndpointSecretsNeeded {
				w.T.Fatalf("the token for %s goes to %s", p.AuthTokenFor, *p.WebhookURL)
			}
			w.OK(setSecrets(w, new("https://one.example"), delivery.PlatformSecrets{AuthToken: new("bearer")}))
		}
	})
}
