package webhook_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

func goodPlatform() *webhook.Platform {
	p := webhook.NewPlatform()
	p.Code, p.Name, p.PlainSignatureKeySealed = "crm", "CRM", "sealed"
	return &p
}

func TestPlatformCheckAccepts(t *testing.T) {
	billingtest.Accepted(t, map[string]billingtest.Checked{
		"platform": goodPlatform(),
		"private address": billingtest.With(goodPlatform(), func(p *webhook.Platform) {
			p.WebhookURL, p.PlainSignatureHeader = new("http://10.0.0.7:8080/hook?x=1"), new("X-Signature")
			p.PlainSignatureAlgorithm = new(webhook.SHA256)
		}),
	})
}

func TestPlatformCheckRefuses(t *testing.T) {
	platform := func(how func(*webhook.Platform)) billingtest.Checked { return billingtest.With(goodPlatform(), how) }
	for _, c := range []struct {
		thing billingtest.Checked
		code  billing.Code
		field string
		says  string
	}{
		{platform(func(p *webhook.Platform) { p.Code = "" }), billing.Required, "code", "code"},
		{platform(func(p *webhook.Platform) { p.WebhookURL = new("ftp://a.b") }), billing.Invalid, "webhookUrl", "https://"},
		{platform(func(p *webhook.Platform) { p.WebhookURL = new("https://u:p@a.b/") }), billing.Invalid, "webhookUrl", "password"},
		{platform(func(p *webhook.Platform) { p.WebhookURL = new("https://a.b/#x") }), billing.Invalid, "webhookUrl", "fragment"},
		{platform(func(p *webhook.Platform) { p.WebhookURL = new("/relative") }), billing.Invalid, "webhookUrl", "full address"},
		{platform(func(p *webhook.Platform) { p.PlainSignatureHeader = new("X Signature") }), billing.Invalid, "plainSignatureHeader", "header"},
		{platform(func(p *webhook.Platform) { p.PlainSignatureHeader = new("Webhook-ID") }), billing.Invalid, "plainSignatureHeader", "Tenantry"},
		{platform(func(p *webhook.Platform) { p.PlainSignatureHeader, p.PlainSignatureKeySealed = new("X-S"), "" }), billing.Required, "plainSignatureKey", "key"},
		{platform(func(p *webhook.Platform) { p.PlainSignatureAlgorithm = new(webhook.SignatureAlgorithm("MD5")) }), billing.Invalid, "plainSignatureAlgorithm", "SHA256"},
		{platform(func(p *webhook.Platform) { p.DriftPolicy = "MEND" }), billing.Invalid, "driftPolicy", "REPAIR"},
		{platform(func(p *webhook.Platform) { p.DriftRepairsPerMinute = 0 }), billing.Invalid, "driftRepairsPerMinute", "10000"},
	} {
		billingtest.Refused(t, c.thing, c.code, c.field, c.says)
	}
}

func TestPlatformWithEmptyTexts(t *testing.T) {
	p := webhook.Platform{WebhookURL: new(""), PlainSignatureHeader: new("")}
	p.Normalize()
	if p.WebhookURL != nil || p.PlainSignatureHeader != nil || p.DriftPolicy != drift.Report || p.DriftRepairsPerMinute != drift.UsualRepairsPerMinute || p.EndpointState() != webhook.EndpointNoURL {
		t.Errorf("%+v", p)
	}
}
