package billing_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
)

func goodEntity() *billing.Entity {
	e := billing.NewEntity()
	e.Code, e.Name, e.Country = "de", "Tenantry", "DE"
	return &e
}

func pngURL(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestEntityAccepts(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	accepted := map[string]billingtest.Checked{"the least": goodEntity()}
	for name, edit := range map[string]func(*billing.Entity){
		"all": func(e *billing.Entity) {
			e.TaxNumber, e.IBAN, e.BIC, e.Email = new("DE123456789"), new("de89 3704 0044 0532 0130 00"), new("cobadeffxxx"), new("billing@example.com")
			e.InvoiceTime, e.Logo = "23:59", new(pngURL(1, 1))
		},
		"a photo": func(e *billing.Entity) {
			e.Logo = new("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(photo.Bytes()))
		},
		"a number that is no VAT's":  func(e *billing.Entity) { e.TaxNumber = new("12/345/67890") },
		"a Greek number":             func(e *billing.Entity) { e.Country, e.TaxNumber = "GR", new("EL123456789") },
		"a Spanish number":           func(e *billing.Entity) { e.Country, e.TaxNumber = "ES", new("B12345678") },
		"a number outside of the EU": func(e *billing.Entity) { e.Country, e.TaxNumber = "CH", new("CHE-123.456.789 MWST") },
		"another IBAN":               func(e *billing.Entity) { e.IBAN = new("MT84MALT011000012345MTLCAST001S") },
		"nothing": func(e *billing.Entity) {
			e.IBAN, e.BIC, e.Email, e.Logo, e.TaxNumber = new(" "), new(""), new(""), new(""), new(" ")
		},
	} {
		e := billingtest.With(goodEntity(), edit)
		e.Normalize()
		accepted[name] = e
	}
	billingtest.Accepted(t, accepted)
}

func TestEntityRefuses(t *testing.T) {
	for _, row := range []struct {
		field, says string
		edit        func(*billing.Entity)
	}{
		{"country", "ISO 3166", func(e *billing.Entity) { e.Country = "" }},
		{"country", "Did you mean DE", func(e *billing.Entity) { e.Country = "de" }},
		{"country", `no country "Germany"`, func(e *billing.Entity) { e.Country = "Germany" }},
		{"country", `no country "UK"`, func(e *billing.Entity) { e.Country = "UK" }},
		{"taxNumber", "begin with DE", func(e *billing.Entity) { e.TaxNumber = new("FR12345678901") }},
		{"taxNumber", "begin with EL", func(e *billing.Entity) { e.Country, e.TaxNumber = "GR", new("GR123456789") }},
		{"taxNumber", "4 to 20", func(e *billing.Entity) { e.TaxNumber = new("DE1") }},
		{"taxNumber", "4 to 20", func(e *billing.Entity) { e.TaxNumber = new("DE" + strings.Repeat("1", 19)) }},
		{"taxNumber", "no digit", func(e *billing.Entity) { e.TaxNumber = new("DEABCDEF") }},
		{"taxNumber", "'%'", func(e *billing.Entity) { e.TaxNumber = new("19 % VAT") }},
		{"iban", "check digits", func(e *billing.Entity) { e.IBAN = new("DE88370400440532013000") }},
		{"iban", "15 to 34", func(e *billing.Entity) { e.IBAN = new("DE89") }},
		{"iban", "not an IBAN", func(e *billing.Entity) { e.IBAN = new("ZZ89370400440532013000") }},
		{"iban", "letters and digits", func(e *billing.Entity) { e.IBAN = new("DE8937040044053201300-") }},
		{"bic", "not a BIC", func(e *billing.Entity) { e.BIC = new("COBADEF") }},
		{"bic", "not a BIC", func(e *billing.Entity) { e.BIC = new("COBAZZFF") }},
		{"bic", "not a BIC", func(e *billing.Entity) { e.BIC = new("COBADEFé") }},
		{"invoiceTime", "HH:MM", func(e *billing.Entity) { e.InvoiceTime = "24:00" }},
		{"invoiceTime", "HH:MM", func(e *billing.Entity) { e.InvoiceTime = "6:00" }},
		{"netPaymentDays", "0 to 365", func(e *billing.Entity) { e.NetPaymentDays = 366 }},
		{"graceHours", "0 to 720", func(e *billing.Entity) { e.GraceHours = -1 }},
		{"logo", "data URL", func(e *billing.Entity) { e.Logo = new("https://example.com/logo.png") }},
		{"logo", "base64", func(e *billing.Entity) { e.Logo = new("data:image/png;base64,?") }},
		{"logo", "not the picture", func(e *billing.Entity) {
			e.Logo = new("data:image/jpeg" + strings.TrimPrefix(pngURL(1, 1), "data:image/png"))
		}},
		{"logo", "2000 pixels", func(e *billing.Entity) { e.Logo = new(pngURL(2001, 1)) }},
		{"logo", "2000 pixels", func(e *billing.Entity) { e.Logo = new(pngURL(1, 2001)) }},
		{"logo", "2000000 pixels", func(e *billing.Entity) { e.Logo = new(pngURL(2000, 1001)) }},
		{"logo", "200000 bytes", func(e *billing.Entity) {
			e.Logo = new("data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, billing.MaxLogoBytes+3)))
		}},
	} {
		e := billingtest.With(goodEntity(), row.edit)
		if p := e.Check(); len(p) != 1 || p[0].Field[0] != row.field || !strings.Contains(p[0].Message, row.says) {
			t.Errorf("%s: %v, want %q", row.field, p, row.says)
		}
	}
}

func TestCountries(t *testing.T) {
	for _, code := range billing.EUMembers {
		if !billing.IsCountry(code) {
			t.Errorf("the member state %s is no country", code)
		}
	}
	if !billing.IsCountry("US") || billing.IsCountry("UK") || billing.IsCountry("EU") {
		t.Error("US is a country, UK and EU are not")
	}
}
