package billing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func goodPlatform() *billing.Platform {
	return &billing.Platform{Code: "crm", Name: "CRM", PlainSignatureKeySealed: "sealed"}
}

func TestPlatformCheckAccepts(t *testing.T) {
	Accepted(t, map[string]Checked{
		"platform": goodPlatform(),
		"private address": With(goodPlatform(), func(p *billing.Platform) {
			p.WebhookURL, p.PlainSignatureHeader = new("http://10.0.0.7:8080/hook?x=1"), new("X-Signature")
			p.PlainSignatureAlgorithm = new(billing.SHA256)
		}),
	})
}

func TestPlatformCheckRefuses(t *testing.T) {
	platform := func(how func(*billing.Platform)) Checked { return With(goodPlatform(), how) }
	for _, c := range []struct {
		thing Checked
		code  billing.Code
		field string
		says  string
	}{
		{platform(func(p *billing.Platform) { p.Code = "" }), billing.Required, "code", "code"},
		{platform(func(p *billing.Platform) { p.WebhookURL = new("ftp://a.b") }), billing.Invalid, "webhookUrl", "https://"},
		{platform(func(p *billing.Platform) { p.WebhookURL = new("https://u:p@a.b/") }), billing.Invalid, "webhookUrl", "password"},
		{platform(func(p *billing.Platform) { p.WebhookURL = new("https://a.b/#x") }), billing.Invalid, "webhookUrl", "fragment"},
		{platform(func(p *billing.Platform) { p.WebhookURL = new("/relative") }), billing.Invalid, "webhookUrl", "full address"},
		{platform(func(p *billing.Platform) { p.PlainSignatureHeader = new("X Signature") }), billing.Invalid, "plainSignatureHeader", "header"},
		{platform(func(p *billing.Platform) { p.PlainSignatureHeader = new("Webhook-ID") }), billing.Invalid, "plainSignatureHeader", "Tenantry"},
		{platform(func(p *billing.Platform) { p.PlainSignatureHeader, p.PlainSignatureKeySealed = new("X-S"), "" }), billing.Required, "plainSignatureKey", "key"},
		{platform(func(p *billing.Platform) { p.PlainSignatureAlgorithm = new(billing.SignatureAlgorithm("MD5")) }), billing.Invalid, "plainSignatureAlgorithm", "SHA256"},
	} {
		Refused(t, c.thing, c.code, c.field, c.says)
	}
}

func TestPlatformWithEmptyTexts(t *testing.T) {
	p := billing.Platform{WebhookURL: new(""), PlainSignatureHeader: new("")}
	p.Normalize()
	if p.WebhookURL != nil || p.PlainSignatureHeader != nil || p.EndpointState() != billing.EndpointNoURL {
		t.Errorf("%+v", p)
	}
}
