package console_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// TestEntityShowsItsLogo shows the picture, on its page and in its form.
func TestEntityShowsItsLogo(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	v := s.as(billing.Editor)
	form := v.wants(v.get("/entities/new"), 200, "A PNG or JPEG picture of up to 200,000 bytes.", "data-picture")
	entity := []string{"name", "GmbH", "code", "gmbh", "country", "DE", "netPaymentDays", "14", "invoiceNumberFormat", "INV-{000000}", "creditNoteNumberFormat", "CN-{000000}",
		"invoiceTime", "00:00", "graceHours", "0", "collectionTime", "09:00", "iban", "DE89370400440532013000"}
	v.wants(v.submit(form, append(entity, "logo", "data:image/png;base64,lots")...), 422, "logo")
	made := v.wants(v.submit(form, append(entity, "logo", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture.Bytes()))...), 200, "DE89 3704 0044 0532 0130 00", "has not started")
	const address = "/entities/1/logo"
	if !strings.Contains(made.body, `<img class="picture" src="`+address+`" alt="Logo of GmbH">`) {
		t.Errorf("the page does not show the logo: %s", made.text())
	}
	if a := v.get(address); a.status != 200 || a.header.Get("Content-Type") != "image/png" || a.body != picture.String() {
		t.Errorf("the logo is answered with %d, %s and %d bytes", a.status, a.header.Get("Content-Type"), len(a.body))
	}
	v.wants(v.get("/entities/1/edit"), 200, `src="`+address+`"`)
	must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, 1, func(e *billing.Entity) error { e.Logo = nil; return nil }))
	v.wants(v.get(address), 404, "There is no such logo")
}

var placePattern = regexp.MustCompile(`<a href="/tax-rates/\d+">([A-Z0-9-]+)</a>`)

// TestTaxRatesByPlace lists rates in the order in which one looks for them.
func TestTaxRatesByPlace(t *testing.T) {
	t.Parallel()
	v := open(t, "sqlite").as(billing.Viewer)
	var places []string
	for _, match := range placePattern.FindAllStringSubmatch(v.get("/tax-rates").body, -1) {
		places = append(places, match[1])
	}
	if len(places) < 30 || !slices.IsSorted(places) {
		t.Errorf("the places are %q", places)
	}
	v.wants(v.get("/tax-rates?q=country:EE"), 200, "EE standard 24 % VAT 24 % 1 Jul 2025 until further notice EE standard 22 %")
}

// TestBillingBeforeInvoicing says in words what is missing, and leads there.
func TestBillingBeforeInvoicing(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	none := v.wants(v.get("/accounts/1/billing"), 200, "there is no entity yet that issues invoices", "New entity")
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error { e.Code, e.Name, e.Country = "gmbh", "GmbH", "DE"; return nil }))
	idle := v.wants(v.get("/accounts/1/billing"), 200, "no day yet on which invoicing starts", "Start invoicing")
	sent := v.submit(v.get("/accounts/1/invoice"))
	for _, page := range []answer{none, idle, sent} {
		if strings.Contains(page.text(), "invoicingStartsOn") {
			t.Errorf("%s names a field of the API: %s", page.path, page.text())
		}
	}
}

// TestChargesSayTheirTax shows on charges and price lists how they are taxed.
func TestChargesSayTheirTax(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	v.wants(v.get("/charges/new?priceListId=1"), 200, `name="taxCode" type="text" value="standard"`, "Tiered: each unit costs what its tier does")
	v.wants(v.get("/charges/1"), 200, "Tax code standard", "a month")
	v.wants(v.get("/price-lists/1"), 200, "Tax is added to the prices")
	must[*catalog.PriceList](s)(s.service.Catalog.PriceListCreate(s.ctx, func(l *catalog.PriceList) error {
		l.PlanID, l.Code, l.Name, l.CurrencyID, l.RenewalTermMonths, l.PricesIncludeTax = s.plans[0].ID, "gross", "Gross", "EUR", 1, true
		return nil
	}, []catalog.ChargeEdit{{Edit: func(c *catalog.Charge) error {
		price, err := billing.ParsePrice("49.90")
		c.Code, c.Name, c.ChargeType, c.BillingPeriod, c.PricingModel, c.Price = "base", "Base", catalog.Recurring, catalog.Monthly, catalog.Flat, &price
		return err
	}}}))
	v.wants(v.get("/price-lists?q=gross"), 200, "EUR 49.90 a month, tax included")
	s.bill()
	page := v.submit(v.get("/subscriptions/new?priceListId="+lastID(v, "/price-lists")), "accountId", "c-2", "evergreen", "on", "invoiceImmediately", "on")
	v.wants(page, 200, "EUR 49.90 a month, EUR 49.90 now with tax.", "EUR 49.90, of which EUR 7.97 tax.", "1 × EUR 49.90 with tax")
	v.wants(v.submit(page), 200, "Issued: Invoice")
	invoice := v.wants(v.get("/invoices/"+lastID(v, "/invoices")), 200, "EUR 49.90 with tax 19% EUR 41.93", "This item, with tax EUR 49.90 Tax in it −EUR 7.97 Without tax EUR 41.93")
	if strings.Contains(page.text(), "Terms begin") {
		t.Errorf("the preview repeats what is as usual: %s, %s", page.text(), invoice.path)
	}
}

// lastID is the largest id that a list links to.
func lastID(v *visitor, list string) string {
	v.t.Helper()
	last := 0
	for _, match := range regexp.MustCompile(`href="`+list+`/(\d+)"`).FindAllStringSubmatch(v.get(list).body, -1) {
		var id int
		if _, err := fmt.Sscan(match[1], &id); err == nil {
			last = max(last, id)
		}
	}
	return fmt.Sprint(last)
}

// TestVoidedInvoiceLeadsToTheNext voids an invoice whose days are billed again.
func TestVoidedInvoiceLeadsToTheNext(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	open := fmt.Sprintf("/invoices/%d", s.office.open)
	v.does(open+"/void", "Voided", "reason", "The address was wrong", "rebill", "yes")
	must[*invoicing.Outcome](s)(s.service.Invoicing.AccountInvoice(s.ctx, s.accounts[1].ID, nil))
	v.wants(v.get(open), 200, "voided", "Billed again on INV-2026-")
}

// TestCreditingAsTyped takes amounts as people write them, and offers nothing that
// is not left.
func TestCreditingAsTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	open := fmt.Sprintf("/invoices/%d", s.office.open)
	some := v.submit(v.get(open+"/credit"), "reason", "Sorry", fmt.Sprintf("item:%d", s.office.item), "5")
	v.wants(some, 200, "A credit note is issued on EUR 5.00, and the tax on it.")
	v.wants(v.submit(some), 200, "EUR 5.00 credited")
	v.wants(v.submit(v.get(open+"/pay"), "amount", "1", "currencyId", "eur"), 200, "EUR 1.00 are recorded as received")
	all := v.submit(v.get(open+"/credit"), "reason", "Sorry")
	v.wants(all, 200, "All that is left of invoice", "is credited: EUR")
	if page := v.wants(v.submit(all), 200, "Credited"); strings.Contains(page.body, open+"/credit") {
		t.Error("an invoice of which nothing is left can be credited")
	}
	v.wants(v.get("/accounts/1/pay"), 200, `name="currencyId" type="text" value="EUR"`)
}

// TestHomeSaysWhatIsOverdue counts the money that should have come.
func TestHomeSaysWhatIsOverdue(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Viewer)
	if page := v.get("/"); strings.Contains(page.text(), "overdue") {
		t.Errorf("something is overdue: %s", page.text())
	}
	s.clock.Advance(20 * 24 * time.Hour)
	v = s.as(billing.Viewer)
	v.wants(v.get("/"), 200, "overdue: EUR ", `href="/overdue"`)
}
