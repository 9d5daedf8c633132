package transfer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

// lineValues are values for fields that do not take just anything of their type,
// for the first and for the second import. What a thing belongs to stays, and so does
// what names it.
var lineValues = map[string][2]any{
	"platform.driftPolicy": {"REPAIR", "OFF"}, "platform.driftRepairsPerMinute": {30, 40},
	"platform.code": {"cloud", "cloud"}, "platform.webhookUrl": {"https://one.example.com/", "https://two.example.com/"},
	"eventEndpoint.code": {"books", "books"}, "eventEndpoint.url": {"https://one.example.com/", "https://two.example.com/"}, "eventEndpoint.types": {[]any{"InvoiceIssued"}, []any{"InvoiceIssued", "InvoicePaid"}},
	"product.code": {"crm", "crm"}, "product.platform": {"cloud", nil},
	"feature.product": {"crm", "crm"}, "feature.code": {"users", "users"}, "feature.kind": {"QUANTITY", "QUANTITY"},
	"plan.product": {"crm", "crm"}, "plan.code": {"pro", "pro"},
	"planFeature.product": {"crm", "crm"}, "planFeature.plan": {"pro", "pro"}, "planFeature.feature": {"users", "users"}, "planFeature.value": {"5", "6"},
	"planFeature.whenRestricted": {"KEEP", "REMOVE"},
	"priceList.code":             {"monthly", "monthly"}, "priceList.product": {"crm", "crm"}, "priceList.plan": {"pro", "pro"}, "priceList.currencyId": {"EUR", "USD"},
	"priceList.trialExpirationAction": {"ACTIVATE", "CANCEL"},
	"charge.priceList":                {"monthly", "monthly"}, "charge.code": {"seats", "seats"}, "charge.feature": {"users", nil},
	"charge.chargeType": {"RECURRING", "USAGE"}, "charge.billingPeriod": {"MONTHLY", "ANNUAL"}, "charge.pricingModel": {"FLAT", "TIERED"},
	"charge.billingTiming": {"IN_ADVANCE", "IN_ARREARS"},
	"charge.price":         {"9.90", nil}, "charge.tiers": {nil, []any{map[string]any{"price": "8.00", "starts": 1}}}, "charge.quantityMax": {10, 20},
	"account.code": {"acme", "acme"}, "account.timezone": {"Europe/Berlin", "UTC"}, "account.currencyId": {"EUR", "USD"},
	"entity.code": {"de", "de"}, "entity.country": {"DE", "DE"}, "entity.taxNumber": {"DE123456789", "12/345/67890"}, "entity.email": {"ann@acme.example", "bob@acme.example"},
	"entity.iban": {"DE89370400440532013000", "AT611904300234573201"}, "entity.bic": {"COBADEFFXXX", "BKAUATWW"}, "entity.invoiceTime": {"06:00", "23:59"},
	"entity.invoiceNumberFormat": {"A-{0000}", "B-{0000}"}, "entity.creditNoteNumberFormat": {"AC-{0000}", "BC-{0000}"}, "entity.invoicingStartsOn": {"2026-01-31", "2026-02-28"},
	"entity.logo": {pixel, nil}, "account.entity": {"de", nil},
	"dunningPolicy.steps": {[]any{map[string]any{"day": 3, "action": "COLLECT", "template": ""}}, []any{map[string]any{"day": 21, "action": "SUSPEND", "template": ""}}}, "dunningPolicy.tolerance": {"0.5", "1"},
	"dunningPolicy.code": {"strict", "strict"}, "entity.dunningPolicy": {"strict", nil}, "account.dunningPolicy": {"strict", nil}, "entity.collectionTime": {"06:00", "23:59"},
	"emailTemplate.name": {"invoice", "invoice"}, "emailTemplate.locale": {"de", "de"}, "emailTemplate.subject": {"Rechnung {{.InvoiceNumber}}", "Beleg"}, "emailTemplate.body": {"Hallo", "Guten Tag"},
	"taxRate.country": {"JP", "JP"}, "taxRate.taxCode": {"standard", "standard"}, "taxRate.region": {"13", "13"}, "taxRate.validFrom": {"2026-01-01", "2026-01-01"},
	"taxRate.validTo": {"2026-12-31", "2027-12-31"}, "taxRate.rate": {"10", "12.5"},
	"account.collection": {"AS_DUE", "ON_BILLING_DAY"}, "account.taxNumberState": {"VALID", "INVALID"}, "account.locale": {"de", "fr-CH"},
	"account.invoiceEmail": {"invoices@acme.example", "ann@acme.example"},
	"contact.account":      {"acme", "acme"}, "contact.email": {"ann@acme.example", "ann@acme.example"}, "contact.code": {"ann", "ann"}, "contact.billing": {true, true},
	"invoice.number": {"R-1", "R-1"}, "invoice.account": {"acme", "acme"}, "invoice.entity": {"de", "de"}, "invoice.currencyId": {"EUR", "EUR"}, "invoice.issuedAt": {"2026-01-01", "2026-01-01"},
	"invoice.dueAt": {"2026-01-15", "2026-01-15"}, "invoice.amount": {"119.00", "119.00"}, "invoice.taxAmount": {"19.00", "19.00"}, "invoice.amountPaid": {"19.00", "20.00"}, "invoice.amountDue": {nil, nil},
	"invoice.state":   {"UNPAID", "UNPAID"}, // what was issued stays
	"tenant.platform": {"cloud", "cloud"}, "tenant.code": {"acme", "acme"}, "tenant.account": {"acme", "acme"},
	"tenant.lastLogin":          {"2026-01-14T10:00:00Z", "2026-01-14T11:00:00Z"},
	"tenant.utilizationMetrics": {map[string]any{"files": 1}, map[string]any{"files": 2}}, "tenant.sequence": {7, 7}, // a tenant keeps its numbers
}

// pixel is a picture of one pixel.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

// TestEveryFieldOfALineIsKept imports lines with something in every field, twice
// with different values, and finds it in the export. The fields are those of the
// format, so a new one is tested without being named here.
func TestEveryFieldOfALineIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		for n := range 2 {
			sent := map[string]map[string]any{}
			var text strings.Builder
			for _, kind := range transfer.Kinds {
				if kind == "subscription" {
					continue
				}
				sent[kind] = map[string]any{"type": kind}
				for name, at := range transfer.LineFields(kind) {
					if sent[kind][name] = lineValue(kind+"."+name, at, n); slices.Contains(transfer.LineKey(kind), name) {
						sent[kind][name] = lineValue(kind+"."+name, at, 0)
					}
				}
				line, err := json.Marshal(sent[kind])
				w.ok(err)
				fmt.Fprintf(&text, "%s\n", line)
			}
			w.mustImport(text.String(), transfer.Options{})
			for line := range strings.Lines(w.export()) {
				var found map[string]any
				w.ok(json.Unmarshal([]byte(line), &found))
				kind := found["type"].(string)
				for name, value := range sent[kind] {
					w.same(fmt.Sprintf("%s.%s", kind, name), fmt.Sprint(found[name]), value)
				}
				delete(sent, kind)
			}
			w.same("what was not exported", len(sent), 0)
		}
	})
}

func lineValue(name string, at any, n int) any {
	if values, special := lineValues[name]; special {
		return values[n]
	}
	switch at.(type) {
	case *string, **string:
		return fmt.Sprint(name, " ", n)
	case *int, **int:
		return 2 + n
	case *bool, **bool:
		return n == 0
	}
	panic(fmt.Sprintf("say in lineValues what %s is given", name))
}

// subscriptionLines have every field of a subscription between them. asOf is the
// day of the export, and quantities are exported as lines.
const subscriptionLines = `{"type":"subscription","code":"1","account":"acme","tenant":"acme-prod","priceList":"pro-monthly","state":"ACTIVE","startDate":"2026-01-10","endDate":"2026-02-09","termStartDate":"2026-01-10","anchorDay":10,"renewalTermMonths":3,"evergreen":true,"nextPriceList":{"priceList":"pro-yearly","on":"2026-02-10"},"quantities":{"users":25},"poNumber":"PO-7","separateInvoice":true,"billedThrough":"2026-01-31"}
{"type":"subscription","code":"2","account":"zenith","tenant":"zenith","priceList":"pro-monthly","state":"TRIAL","trialStartDate":"2026-01-10","trialEndDate":"2026-01-24","trialExpirationAction":"CANCEL","evergreen":false}
{"type":"subscription","code":"3","account":"zenith","priceList":"pro-yearly","state":"CANCELED","startDate":"2025-06-01","cancellationDate":"2025-09-15","unused":"KEEP","asOf":"2026-01-15","endDate":"2026-05-31","termStartDate":"2025-06-01","anchorDay":1,"epochs":[{"from":"2025-06-01","origin":"2025-07-01","anchorDay":1,"termMonths":12}],"pauses":[{"from":"2025-07-01","to":"2025-07-10"}],"lines":[{"charge":"seats","name":"Places","feature":"users","type":"RECURRING","quantity":3,"price":"98.00","rate":{"chargeType":"RECURRING","billingPeriod":"QUARTERLY","billingTiming":"IN_ARREARS","pricingModel":"FLAT","price":"97"},"startDate":"2025-06-01","endDate":"2026-05-31","keptTo":"2026-06-30"}]}
`

// TestEveryFieldOfASubscriptionIsKept does the same for subscriptions, whose
// fields depend on each other.
func TestEveryFieldOfASubscriptionIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(example(t), transfer.Options{})
		w.mustImport(subscriptionLines, transfer.Options{})
		exported := map[any]map[string]any{}
		for line := range strings.Lines(w.export()) {
			var found map[string]any
			w.ok(json.Unmarshal([]byte(line), &found))
			if found["type"] == "subscription" {
				exported[found["code"]] = found
			}
		}
		missing := transfer.LineFields("subscription")
		for line := range strings.Lines(subscriptionLines) {
			var sent map[string]any
			w.ok(json.Unmarshal([]byte(line), &sent))
			for name, value := range sent {
				delete(missing, name)
				if name == "quantities" {
					name, value = "lines", "quantity:25"
				}
				if found := fmt.Sprint(exported[sent["code"]][name]); found != fmt.Sprint(value) && !strings.Contains(found, fmt.Sprint(value)) {
					t.Errorf("%s of subscription %v was %v and is %s", name, sent["code"], value, found)
				}
			}
		}
		w.same("fields that no line has", slices.Sorted(maps.Keys(missing)), []string{})
		w.same("the day of the export", exported["1"]["asOf"], billing.DateOf(db.Clock.Now(), time.UTC))
	})
}
