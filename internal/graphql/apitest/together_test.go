package apitest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// together sends requests at the same moment.
func (s *server) together(t *testing.T, requests ...request) []answer {
	t.Helper()
	if _, err := s.token(first); err != nil {
		t.Fatal(err)
	}
	answers := make([]answer, len(requests))
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i, r := range requests {
		all.Go(func() {
			<-begin
			answers[i] = s.send(t, r)
		})
	}
	close(begin)
	all.Wait()
	return answers
}

// TestUpdatesTogether: people who change different fields of one thing do not
// take back each other's work.
func TestUpdatesTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { accountCreate(attributes: {name: "A", billingContact: {firstName: "B"}}) { errors } }`)
		fields := []string{"code", "phone", "fax", "website", "description", "taxNumber", "duns", "billingCity", "shippingCity", "billingZip"}
		for round := range 3 {
			var requests []request
			for _, field := range fields {
				requests = append(requests, post(fmt.Sprintf(`mutation { accountUpdate(id: 1, attributes: {%s: "%s %d"}) { errors } }`, field, field, round), ""))
			}
			requests = append(requests,
				post(fmt.Sprintf(`mutation { accountUpdate(id: 1, attributes: {billingContact: {title: "t%d"}}) { errors } }`, round), ""),
				post(fmt.Sprintf(`mutation { contactUpdate(id: 1, attributes: {email: "b%d@example.com"}) { errors } }`, round), ""),
				post(fmt.Sprintf(`mutation { contactCreate(attributes: {accountId: 1, firstName: "C", email: "c%d@example.com"}) { errors } }`, round), ""))
			for _, a := range s.together(t, requests...) {
				s.done(t, a)
			}
			account := s.do(t, `{ account(id: 1) { `+strings.Join(fields, " ")+` billingContact { title email } } }`).at("account")
			for _, field := range fields {
				if got, want := account.at(field).text(), fmt.Sprintf("%s %d", field, round); got != want {
					t.Errorf("%s is %q, want %q", field, got, want)
				}
			}
			if got, want := account.at("billingContact").text(), fmt.Sprintf(`{"email":"b%d@example.com","title":"t%d"}`, round, round); got != want {
				t.Errorf("the contact is %s, want %s", got, want)
			}
			// The e-mail addresses of all contacts find the account.
			for _, word := range []string{"b%d@example.com", "c%d@example.com"} {
				if found := s.do(t, `query ($f: String) { accounts(filter: $f) { id } }`, "f", fmt.Sprintf(word, round)).at("accounts").list(); len(found) != 1 {
					t.Errorf("%s finds %d accounts", fmt.Sprintf(word, round), len(found))
				}
			}
		}
	})
}

// TestCodesTogether: of two who take the same code one gets it.
func TestCodesTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM"}) { errors } planCreate(attributes: {productId: 1, code: "plan", name: "P"}) { errors } featureCreate(productId: 1, attributes: {name: "F", code: "f"}, planIds: []) { errors } priceListCreate(attributes: {planId: 1, code: "list", name: "L", currencyId: "EUR"}) { errors } }`)
		for name, document := range map[string]string{
			"accounts":      `mutation { accountCreate(attributes: {name: "A", code: "same"}) { account { id } userErrors { code } } }`,
			"platforms":     `mutation { platformCreate(attributes: {name: "A", code: "same"}) { platform { id } userErrors { code } } }`,
			"products":      `mutation { productCreate(attributes: {name: "A", code: "same"}) { product { id } userErrors { code } } }`,
			"features":      `mutation { featureCreate(productId: 1, attributes: {name: "A", code: "same"}) { feature { id } userErrors { code } } }`,
			"plans":         `mutation { planCreate(attributes: {productId: 1, name: "A", code: "same"}) { plan { id } userErrors { code } } }`,
			"price lists":   `mutation { priceListCreate(attributes: {planId: 1, name: "A", code: "same", currencyId: "EUR"}) { priceList { id } userErrors { code } } }`,
			"charges":       `mutation { priceListChargeCreate(attributes: {priceListId: 1, name: "A", code: "same", price: "1"}) { priceListCharge { id } userErrors { code } } }`,
			"plan features": `mutation { planFeatureCreate(planId: 1, featureId: 1) { planFeature { id } userErrors { code } } }`,
		} {
			t.Run(name, func(t *testing.T) {
				won, taken := 0, 0
				for _, a := range s.together(t, post(document, ""), post(document, ""), post(document, ""), post(document, "")) {
					switch {
					case strings.HasSuffix(string(a.body), `"userErrors":[]}}}`):
						won++
					case strings.Contains(string(a.body), `null,"userErrors":[{"code":"TAKEN"}]`):
						taken++
					default:
						t.Errorf("neither: %s", a.body)
					}
				}
				if won != 1 || taken != 3 {
					t.Errorf("%d won and %d were told that it is taken", won, taken)
				}
			})
		}
	})
}

// TestJoinTogether: a plan and a feature that are made at the same moment do
// not miss each other.
func TestJoinTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM"}) { errors } }`)
		var requests []request
		const n = 5
		for i := range n {
			requests = append(requests,
				post(fmt.Sprintf(`mutation { planCreate(attributes: {productId: 1, name: "P", code: "p%d"}) { errors } }`, i), ""),
				post(fmt.Sprintf(`mutation { featureCreate(productId: 1, attributes: {name: "F", code: "f%d"}) { errors } }`, i), ""))
		}
		for _, a := range s.together(t, requests...) {
			s.done(t, a)
		}
		for _, plan := range s.do(t, `{ plans { code features { code position } } }`).at("plans").list() {
			if found := len(plan.at("features").list()); found != n {
				t.Errorf("%s has %d features, want %d: %s", plan.at("code").text(), found, n, plan.text())
			}
		}
	})
}

// TestDeleteTogether: what is deleted while somebody begins to use it is either
// gone and unused or there and used.
func TestDeleteTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		for round := range 8 {
			code := fmt.Sprintf("c%d", round)
			made := s.do(t, `mutation ($code: String!) {
				platformCreate(attributes: {code: $code, name: "P"}) { platform { id } }
				productCreate(attributes: {code: $code, name: "P"}) { product { id } }
				accountCreate(attributes: {code: $code, name: "A"}) { account { id } }
			}`, "code", code)
			platform, product, account := made.at("platformCreate.platform.id").text(), made.at("productCreate.product.id").text(), made.at("accountCreate.account.id").text()
			answers := s.together(t,
				post(`mutation { platformDelete(id: `+platform+`) { platform { id } userErrors { code } } }`, ""),
				post(`mutation { productUpdate(id: `+product+`, attributes: {platformId: `+platform+`}) { product { id } userErrors { code } } }`, ""),
				post(`mutation { productCreate(attributes: {code: "`+code+`-2", name: "P", platformCode: "`+code+`"}) { product { id } userErrors { code } } }`, ""),
				post(`mutation { accountDelete(id: `+account+`) { account { id } userErrors { code } } }`, ""),
				post(`mutation { contactCreate(attributes: {accountId: `+account+`, firstName: "C"}) { contact { id } userErrors { code } } }`, ""),
			)
			for i, a := range answers {
				if a.code() != "" || a.status != 200 {
					t.Fatalf("request %d: %s", i, a.body)
				}
			}
			now := s.do(t, `query ($p: ID!, $code: String!, $code2: String!) { platform(id: $p) { id } product(code: $code) { platform { id } } other: product(code: $code2) { platform { id } } }`,
				"p", platform, "code", code, "code2", code+"-2")
			gone := strings.Contains(string(answers[0].body), `"userErrors":[]`)
			used := now.at("product.platform").value != nil || now.at("other.platform").value != nil
			if exists := now.at("platform").value != nil; exists == gone || gone && used {
				t.Errorf("deleted: %t, exists: %t, used: %t", gone, exists, used)
			}
			if !gone && !strings.Contains(string(answers[0].body), "IN_USE") {
				t.Errorf("the deletion was refused for another reason: %s", answers[0].body)
			}
		}
		if orphans := s.do(t, `{ contacts { id account { id } } }`).at("contacts").list(); len(orphans) > 0 {
			t.Errorf("contacts without an account: %v", orphans)
		}
	})
}

// TestKindTogether: a value is one that the feature's kind allows, whoever is
// first.
func TestKindTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM"}) { errors } planCreate(attributes: {productId: 1, name: "P"}) { errors } featureCreate(productId: 1, attributes: {code: "f", name: "F", kind: VALUE}) { errors } }`)
		for range 8 {
			s.do(t, `mutation { featureUpdate(id: 1, attributes: {kind: VALUE}) { errors } planFeatureUpdate(id: 1, attributes: {value: "true"}) { errors } }`)
			for _, a := range s.together(t,
				post(`mutation { featureUpdate(id: 1, attributes: {kind: BOOLEAN}) { userErrors { code } } }`, ""),
				post(`mutation { planFeatureUpdate(id: 1, attributes: {value: "gold"}) { userErrors { code } } }`, "")) {
				if a.code() != "" {
					t.Fatalf("failed: %s", a.body)
				}
			}
			if value := s.do(t, `{ planFeature(id: 1) { value } }`).at("planFeature.value").text(); value != "true" && value != "false" {
				t.Fatalf("a switch has the value %q", value)
			}
		}
	})
}

// TestReadsTogether: a query while things are deleted shows them or does not,
// and if it fell between two chairs it says so.
func TestReadsTogether(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM"}) { errors } planCreate(attributes: {productId: 1, name: "P"}) { errors } }`)
		read := post(`{ plans { features { code } planFeatures { feature { code plans { name } } } } accounts { name contacts { account { name } } billingContact { account { name } } } }`, "")
		for round := range 10 {
			made := s.do(t, `mutation ($code: String!) {
				featureCreate(productId: 1, attributes: {code: $code, name: "F"}) { feature { id } }
				accountCreate(attributes: {name: "A", billingContact: {firstName: "B"}}) { account { id } }
			}`, "code", fmt.Sprint(round))
			remove := post(`mutation ($f: ID!, $a: ID!) { featureDelete(id: $f) { errors } accountDelete(id: $a) { errors } }`,
				pairs([]any{"f", made.at("featureCreate.feature.id").text(), "a", made.at("accountCreate.account.id").text()}))
			for _, a := range s.together(t, read, read, read, remove, read, read, read) {
				if code := a.code(); code != "" && code != conflict {
					t.Errorf("answer %d: %s", a.status, a.body)
				}
			}
		}
	})
}
