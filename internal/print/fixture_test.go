package print

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// day reads a date.
func day(s string) billing.Date {
	d, err := billing.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}

// logo is a picture of a triangle, partly transparent.
func logo() string {
	const width, height = 240, 64
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if x < 4*y {
				picture.Set(x, y, color.NRGBA{0x0f, 0x76, 0x6e, uint8(100 + y)})
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		panic(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
}

func raw(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

var seller = map[string]any{
	"code": "eu", "name": "Example Software", "legalName": "Example Software GmbH", "street": "Torstraße 1", "zip": "10119", "city": "Berlin", "country": "DE",
	"taxNumber": "DE123456789", "registrationNumber": "HRB 12345 B", "email": "billing@example.com", "phone": "+49 30 123456", "website": "example.com",
	"iban": "DE89370400440532013000", "bic": "COBADEFFXXX", "bankName": "Commerzbank", "netPaymentDays": 14,
	"footer": "Example Software GmbH · Managing director: Erika Mustermann\nAmtsgericht Charlottenburg HRB 12345 B",
}

var buyer = map[string]any{
	"name": "Globex Inc", "contact": "Ms. Ada Lovelace", "street": "1 Main Street", "city": "Springfield", "zip": "12345", "state": "", "country": "DE",
	"taxNumber": "DE987654321", "email": "ap@globex.example", "locale": "en", "poNumber": "PO-4711", "buyerReference": "Cost center 12",
}

// invoice is one with items of every kind.
func invoice(locale string) *document.Invoice {
	standard := tax.Treatment{Category: tax.Standard, Percent: "19"}
	eur := money.Currency{Code: "EUR", Digits: 2}
	whole := json.RawMessage(`{"pieces":[["2026-01-01","2026-01-31","50"]],"billedBefore":"0.00","forgiven":"0.00"}`)
	i := &document.Invoice{
		ID: 1, Number: "INV-2026-000017", Currency: eur, IssuedAt: day("2026-01-16"), DueAt: day("2026-01-30"), Locale: locale,
		Seller: raw(seller), Buyer: raw(buyer), PONumber: "PO-4711", BuyerReference: "Cost center 12", Notes: "Thank you for your business.",
		Items: []document.Item{
			{
				Kind: document.RecurringItem, LineText: "Professional: Seats", TenantCode: "globex", UnitName: "seats", Quantity: "125", Price: new(billing.Price("10")),
				StartDate: day("2026-01-01"), EndDate: day("2026-01-31"), Days: 31, PeriodDays: 31, Tax: standard, Priced: 125000, Explanation: whole,
			},
			{
				Kind: document.DifferenceItem, LineText: "Professional: Seats", TenantCode: "globex", UnitName: "seats", Quantity: "8", PreviousQuantity: new("5"), Price: new(billing.Price("10")),
				StartDate: day("2026-01-16"), EndDate: day("2026-01-31"), Days: 16, PeriodDays: 31, Tax: standard, Priced: 1548,
			},
			{
				Kind: document.OneTimeItem, LineText: "Onboarding", Quantity: "1", Price: new(billing.Price("300")),
				StartDate: day("2026-01-16"), EndDate: day("2026-01-16"), Days: 1, PeriodDays: 1, Tax: standard, Priced: 30000, Explanation: whole,
			},
			{Kind: document.UsageItem, LineText: "API calls", UnitName: "calls", Quantity: "1204500.5", StartDate: day("2025-12-01"), EndDate: day("2025-12-31"), Days: 31, PeriodDays: 31, Tax: standard, Priced: 4250},
			{Kind: document.ManualItem, LineText: "Printed manual", UnitName: "pieces", Quantity: "2", Price: new(billing.Price("9.9")), StartDate: day("2026-01-16"), EndDate: day("2026-01-16"), Tax: tax.Treatment{Category: tax.Standard, Percent: "7"}, Inclusive: true, Priced: 1980},
		},
	}
	if err := i.Total(); err != nil {
		panic(err)
	}
	return i
}

// invoiceDocument is an invoice as it is printed, with its hash.
func invoiceDocument(t testing.TB, i *document.Invoice) Document {
	t.Helper()
	d, err := OfInvoice(i)
	if err != nil {
		t.Fatal(err)
	}
	d.Hash = document.Chain(document.Hash{}, []byte(d.Number))
	return d
}

// long is an invoice of many items.
func long(locale string, items int) *document.Invoice {
	i := invoice(locale)
	kinds := len(i.Items)
	for n := kinds; n < items; n++ {
		item := i.Items[n%(kinds-1)]
		item.TenantCode = fmt.Sprintf("tenant-%d", n)
		i.Items = append(i.Items, item)
	}
	if err := i.Total(); err != nil {
		panic(err)
	}
	return i
}

// creditNote credits parts of two invoices.
func creditNote(t testing.TB) Document {
	t.Helper()
	reverse := tax.Treatment{Category: tax.ReverseCharge, Percent: "0", Reason: "Reverse charge"}
	c := &document.CreditNote{
		Number: "CN-2026-000003", Kind: document.ManualCredit, Reason: "Service was not available", Currency: money.Currency{Code: "EUR", Digits: 2}, IssuedAt: day("2026-02-03"),
		Seller: raw(seller), Buyer: raw(buyer),
		Items: []document.CreditItem{
			{InvoiceID: 1, LineText: "Professional: Seats", StartDate: day("2026-01-10"), EndDate: day("2026-01-12"), Tax: reverse, Priced: 903, Amount: 903},
			{InvoiceID: 2, LineText: "Professional: Seats", StartDate: day("2026-02-01"), EndDate: day("2026-02-02"), Tax: reverse, Priced: 500, Amount: 500},
		},
		Taxes: []tax.Group{{Treatment: reverse, Net: 1403}}, Subtotal: 1403, Amount: 1403,
	}
	d, err := OfCreditNote(c)
	if err != nil {
		t.Fatal(err)
	}
	d.Credited = []Reference{{1, "INV-2026-000017", day("2026-01-16")}, {2, "INV-2026-000021", day("2026-02-01")}}
	d.Hash = document.Chain(document.Hash{}, []byte(d.Number))
	return d
}
