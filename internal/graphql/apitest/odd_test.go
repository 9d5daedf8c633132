package apitest

import (
	"strings"
	"testing"
)

var long = strings.Repeat("😀", 10_000)

// TestOddLookups: what no row can have is not found, on every engine, and is
// not the server's fault.
func TestOddLookups(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation {
			productCreate(attributes: {code: "crm", name: "CRM"}) { errors }
			planCreate(attributes: {productId: 1, name: "P"}) { errors }
			priceListCreate(attributes: {planId: 1, code: "eur", name: "EUR", currencyId: "EUR"}) { errors }
		}`)
		for _, field := range []string{
			`account(code: CODE) { id }`, `contact(code: CODE) { id }`, `platform(code: CODE) { id }`, `product(code: CODE) { id }`,
			`feature(code: CODE) { id }`, `feature(code: "x", productCode: CODE) { id }`, `plan(code: CODE) { id }`, `plan(code: "x", productCode: CODE) { id }`,
			`plan(code: CODE, productCode: "crm") { id }`, `feature(code: CODE, productCode: "crm") { id }`,
			`priceList(code: CODE) { id }`, `priceListCharge(code: CODE) { id }`, `priceListCharge(code: CODE, priceListCode: "eur") { id }`,
		} {
			for _, code := range []string{"", "\x00", "a\x00b", "\ufffd", "'", `\`, "%", long} {
				document := "query ($code: String) { found: " + strings.ReplaceAll(field, "CODE", "$code") + " }"
				if got := s.do(t, document, "code", code); got.at("found").value != nil {
					t.Errorf("%s with %.20q finds %s", field, code, got.text())
				}
			}
		}
		for _, document := range []string{
			`mutation ($code: String) { found: productCreate(attributes: {code: "x", name: "X", platformCode: $code}) { product { id } userErrors { code field } } }`,
			`mutation ($code: String) { found: productUpdate(id: 1, attributes: {platformCode: $code}) { product { id } userErrors { code field } } }`,
			`mutation ($code: String) { found: priceListChargeCreate(attributes: {priceListId: 1, code: "x", name: "X", price: "1", featureCode: $code}) { priceListCharge { id } userErrors { code field } } }`,
		} {
			for _, code := range []string{"", "\x00", "a\x00b", long} {
				a := s.send(t, post(document, pairs([]any{"code", code})))
				if a.code() != "" || len(a.body) == 0 || !strings.Contains(string(a.body), `"userErrors":[{"code":"NOT_FOUND"`) {
					t.Errorf("%s with %.20q: %s", document, code, a.body)
				}
			}
		}
		for _, filter := range []string{
			"billingDay:3000000000", "billingDay:>-9223372036854775808", "billingDay:9223372036854775807", "id:9223372036854775807", "id:-1",
			"created:>0001-01-01", "created:<9999-12-31", "created:9999-12-31T23:59:59Z", "updated:0000-01-01", "code:\ufffd", `name:"%"`, `name:*`, `"\\"`, "\u0001",
		} {
			a := s.send(t, post(`query ($f: String) { accounts(filter: $f) { id } accountsConnection(filter: $f) { totalCount } }`, pairs([]any{"f", filter})))
			if a.code() != "" {
				t.Errorf("%q: %s", filter, a.body)
			}
		}
		for _, filter := range []string{"subjectId:9223372036854775807", "id:9223372036854775807", "actor:\ufffd"} {
			s.do(t, `query ($f: String) { auditEntries(filter: $f) { id } }`, "f", filter)
		}
		for _, filter := range []string{"product:9223372036854775807", "product:99999999999999999999", `product:"\\"`, "kind:quantity product:-1"} {
			s.do(t, `query ($f: String) { features(filter: $f) { id } }`, "f", filter)
		}
	})
}
