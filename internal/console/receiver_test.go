package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
)

// TestTheReceiverOfTheServer offers the server's own receiver to the first
// platform only, and says for as long as it is used that nobody else is told.
func TestTheReceiverOfTheServer(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	receiver := s.url + "/receiver"
	form := v.wants(v.get("/platforms/new"), 200, `name="webhookUrl" type="text" inputmode="url" value="`+receiver+`"`)
	made := v.wants(v.submit(form, "name", "App", "code", "app", "provisioningEnabled", "on", "webhookUrl", receiver), 200,
		"Next: a product →", "Webhooks go to this server's own receiver, which discards them: your application does not get them.")
	if made.path != "/platforms/1" {
		t.Errorf("it ends at %s", made.path)
	}
	v.wants(v.get("/platforms/new"), 200, `value="" autocomplete`, receiver+" is a receiver in this server")

	s.hooks = receiver
	must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, 1, func(p *webhook.Platform) error { p.Code = "old"; return nil }, delivery.PlatformSecrets{}))
	s.fill()
	s.settled("delivered")
	const told = "Webhooks of Harbour App go to this server's own receiver"
	v.wants(v.get("/"), 200, told, "/platforms/2/edit")
	v.wants(v.get(fmt.Sprintf("/events/%d", s.newestEvent(1).ID)), 200, "Accepted and discarded by Tenantry's own receiver.")
	must[*webhook.Platform](s)(s.service.Delivery.PlatformUpdate(s.ctx, 2, func(p *webhook.Platform) error { p.WebhookURL = ptr("https://app.example.com/"); return nil }, delivery.PlatformSecrets{}))
	if text := v.get("/").text(); strings.Contains(text, told) {
		t.Errorf("it still says so: %s", text)
	}
	if next := v.submit(v.get("/accounts/1/edit"), "name", "Acme"); strings.Contains(next.text(), "Next: ") {
		t.Errorf("the guide goes on behind its end: %s", next.text())
	}

	stranger := s.visit()
	stranger.wants(stranger.send(http.MethodPost, "/receiver", url.Values{"a": {"b"}}), 200, "Accepted and discarded by")
	stranger.wants(stranger.send(http.MethodPost, "/receiver", url.Values{"a": {strings.Repeat("x", 2<<20)}}), 413)
	stranger.wants(stranger.get("/receiver"), 405)
}
