package console_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/console"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// typedValues are for fields that do not take just anything of their kind. The
// second value, if there is one, is for the edit.
var typedValues = map[string][]string{
	"accounts.timezone": {"Europe/Berlin", "UTC"}, "accounts.currencyId": {"EUR", "USD"}, "entities.country": {"DE", "AT"}, "entities.taxNumber": {"12/345/67890", "98/765/43210"}, "entities.invoiceNumberFormat": {"A-{0000}", "B-{0000}"},
	"entities.creditNoteNumberFormat": {"AC-{0000}", "BC-{0000}"}, "entities.invoiceTime": {"06:00", "23:59"}, "entities.email": {"ann@example.com", "bob@example.com"},
	"entities.iban": {"DE89370400440532013000", "AT611904300234573201"}, "entities.bic": {"COBADEFFXXX", "BKAUATWW"}, "entities.logo": {pixel},
	"entities.invoicingStartsOn": {"2026-01-31", "2026-02-28"}, "entities.collectionTime": {"06:00", "07:30"}, "dunning-policies.tolerance": {"0.5", "1"}, "dunning-policies.steps": {"21 SUSPEND", "14 SUSPEND"}, "email-templates.name": {"invoice", "receipt"}, "email-templates.locale": {"nl", "it-CH"}, "tax-rates.country": {"US", "CA"}, "tax-rates.region": {"NY", "ON"}, "tax-rates.rate": {"8.875", "9"},
	"tax-rates.validFrom": {"2026-01-31", "2026-02-28"}, "tax-rates.validTo": {"2026-12-31", "2027-12-31"},
	"accounts.collection": {"ON_BILLING_DAY", "AS_DUE"}, "accounts.taxNumberState": {"VALID", "INVALID"}, "accounts.locale": {"de", "fr-CH"}, "accounts.invoiceEmail": {"invoices@example.com", "ann@example.com"}, "price-lists.currencyId": {"USD", "GBP"}, "price-lists.renewalTermMonths": {"3", "6"}, "price-lists.price": {"12.00"},
	"charges.priceListId": {"1"}, "charges.featureId": {"1", "2"}, "charges.chargeType": {"USAGE", "RECURRING"}, "charges.billingPeriod": {"QUARTERLY", "ANNUAL"},
	"charges.billingTiming": {"IN_ARREARS", "IN_ADVANCE"},
	"charges.pricingModel":  {"FLAT", "TIERED"}, "charges.price": {"10.00", "11.00"}, "charges.priceListChargeTiers": {"", "1 11.00"}, "charges.quantityMax": {"1000", "2000"},
	"event-endpoints.code": {"books", "ledger"}, "platforms.plainSignatureKey": {"a-key-that-is-long-enough"}, "users.password": {password},
	"contacts.accountId": {"Acme Inc"}, "test-clocks.now": {"2026-01-31 12:00"}, "features.kind": {"QUANTITY"},
	"plans.productId": {"2"}, "tenants.subdomain": {"one", "two"}, "platforms.recipe.retryDelays": {"5, 6"}, "platforms.recipe.headers": {"X-Source: billing"}, "platforms.recipe.payloadProgram": {"{type}"}, "platforms.recipe.stateProgram": {"{code: .id}"},
}

// pixel is a picture of one pixel.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

// typedTogether are fields that are only right together with others.
var typedTogether = map[string]map[string]string{
	"charges.pricingModel":         {"price": "", "priceListChargeTiers": "1 9.00"},
	"charges.billingTiming":        {"chargeType": "RECURRING"},
	"charges.priceListChargeTiers": {"price": "", "pricingModel": "TIERED"},
}

// TestEveryFormFieldIsKept types something into every field of the forms that
// describe a thing, reads it back, empties it and reads that back. The fields
// come from the forms, so a new one is tested without being named here. Forms of
// operations, which describe no thing, have tests of their own.
func TestEveryFormFieldIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	must[*catalog.Product](s)(s.service.Catalog.ProductCreate(s.ctx, func(p *catalog.Product) error { p.Code, p.Name = "erp", "Harbour ERP"; return nil }, nil))
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error { e.Code, e.Name, e.Country = "gmbh", "GmbH", "DE"; return nil }))
	for _, code := range []string{"strict", "lenient"} {
		must[*dunning.Policy](s)(invoicing.DunningPolicies.Create(s.ctx, s.service.Runner, func(p *dunning.Policy) error { p.Code, p.Name = code, code; return nil }))
	}
	v := s.as(billing.Admin)
	for _, pattern := range console.FormPatterns() {
		path, isNew := strings.CutSuffix(strings.TrimPrefix(pattern, "POST /"), "/new")
		switch {
		case isNew && path != "subscriptions":
			v.keepsNew(path)
		case pattern == "POST /tenants/{id}/edit", pattern == "POST /platforms/{id}/workflow": // which are not made in a form
			v.keepsEdited(path[:strings.Index(path, "/")], strings.ReplaceAll("/"+path, "{id}", "1"))
		}
	}
}

// keepsNew makes a thing with something in every field.
func (v *visitor) keepsNew(path string) {
	v.t.Helper()
	// Plans are of a product without features, which have a test of their own.
	form := readForm(v, v.get("/"+path+"/new?productId=2&priceListId=1"))
	typed := map[string]string{}
	for _, name := range form.names {
		typed[name] = form.other(path, name, 0)
	}
	made := v.submitForm(form, typed)
	if strings.Contains(made.body, `name="confirmed"`) || strings.Contains(made.text(), "Nothing is created yet") {
		made = v.submit(made)
	}
	v.wants(made, 200)
	here := regexp.MustCompile(`/` + path + `/\d+`).FindString(made.path + " " + made.body)
	if here == "" {
		v.t.Fatalf("a new thing of %s has no page: %s", path, made.text())
	}
	page := v.get(here)
	edit := v.get(here + "/edit")
	if edit.status != 200 {
		for name, value := range typed {
			v.showsTyped(page, path, name, form, value)
		}
		return
	}
	saved := readForm(v, edit)
	for name, value := range typed {
		switch {
		case path == "users" && name == "password":
			v.site.visit().signIn(typed["email"])
		case form.kind(name) == "password":
			if !slices.Contains(saved.names, name+"Remove") {
				v.t.Errorf("/%s/new drops %s", path, name)
			}
		case !slices.Contains(saved.names, name):
			v.showsTyped(edit, path, name, form, value)
		case saved.value(name) != value:
			v.t.Errorf("/%s/new: %s was %q and is %q", path, name, value, saved.value(name))
		}
	}
	if path == "accounts" { // a billing contact is one of the account's own
		id, _ := strconv.ParseInt(here[len("/accounts/"):], 10, 64)
		must[*billing.Contact](v.site)(v.service.Customers.ContactCreate(v.ctx, func(c *billing.Contact) error {
			c.AccountID, c.FirstName = billing.AccountID(id), "Kim"
			return nil
		}))
	}
	v.keepsEdited(path, here+"/edit")
}

func (v *visitor) showsTyped(page answer, path, name string, form form, value string) {
	v.t.Helper()
	if text := form.text(name, value); !strings.Contains(page.text(), text) {
		v.t.Errorf("/%s/new: %s was %q, and its page does not show it: %s", path, name, text, page.text())
	}
}

// keepsEdited changes one field of a saved thing after the other, and changes it
// back.
func (v *visitor) keepsEdited(path, edit string) {
	v.t.Helper()
	form := readForm(v, v.get(edit))
	for _, name := range form.names {
		if strings.HasSuffix(name, "Remove") || form.kind(name) == "password" {
			continue // see removesSecret
		}
		there, back := map[string]string{name: form.other(path, name, 1)}, map[string]string{name: form.value(name)}
		for other, value := range typedTogether[path+"."+name] {
			there[other], back[other] = value, form.value(other)
		}
		for _, typed := range []map[string]string{there, back} {
			saved := v.submitForm(readForm(v, v.get(edit)), typed)
			if strings.Contains(saved.body, `name="confirmed"`) { // tenants are told of it
				saved = v.submit(saved)
			}
			v.wants(saved, 200, "Saved ")
			if now := readForm(v, v.get(edit)).value(name); now != typed[name] {
				v.t.Errorf("%s: %s was %q and is %q", edit, name, typed[name], now)
			}
		}
	}
	for _, name := range form.names {
		if form.kind(name) == "password" && slices.Contains(form.names, name+"Remove") {
			changed := map[string]string{name + "Remove": "on"}
			if name == "plainSignatureKey" { // the signature goes with its key
				changed["plainSignatureHeader"], changed["plainSignatureAlgorithm"] = "", ""
			}
			v.submitForm(readForm(v, v.get(edit)), changed)
			if slices.Contains(readForm(v, v.get(edit)).names, name+"Remove") {
				v.t.Errorf("%s does not remove %s", edit, name)
			}
		}
	}
}

// form is a form as it was sent to the browser.
type form struct {
	page   answer
	action string
	body   string
	names  []string // of the fields that people fill in
}

// readForm finds the form of a page that has named fields.
func readForm(v *visitor, page answer) form {
	v.t.Helper()
	for _, found := range anyForm.FindAllStringSubmatch(page.body, -1) {
		if names := filled(found[2], nil).Get("fields"); names != "" {
			return form{page, attribute(found[1], "action"), found[2], strings.Fields(names)}
		}
	}
	v.t.Fatalf("%s has no form (%d): %s", page.path, page.status, page.text())
	return form{}
}

// submitForm sends a form as a browser would, with some values changed.
func (v *visitor) submitForm(f form, changed map[string]string) answer {
	v.t.Helper()
	values := filled(f.body, nil)
	for name, value := range changed {
		values.Del(name)
		if kind := f.kind(name); value == "" && kind == "checkbox" {
			continue
		} else if kind == "checks" {
			values[name] = strings.Fields(value)
			continue
		}
		values.Set(name, value)
	}
	return v.send("POST", f.action, values)
}

func (f form) tag(name string) string {
	for _, all := range []*regexp.Regexp{inputTag, selectTag, textareaTag} {
		for _, tag := range all.FindAllStringSubmatch(f.body, -1) {
			if attribute(tag[1], "name") == name {
				return tag[0]
			}
		}
	}
	return ""
}

// kind is checkbox, checks, select, area, or what an input says it takes.
func (f form) kind(name string) string {
	tag := f.tag(name)
	switch {
	case strings.HasPrefix(tag, "<select"):
		return "select"
	case strings.HasPrefix(tag, "<textarea"):
		return "area"
	case strings.Contains(tag, `type="checkbox"`) && attribute(tag, "value") == "on":
		return "checkbox"
	case strings.Contains(tag, `type="checkbox"`):
		return "checks"
	case strings.Contains(tag, `inputmode="`):
		return attribute(tag, "inputmode")
	}
	return attribute(tag, "type")
}

func (f form) value(name string) string { return strings.Join(filled(f.body, nil)[name], " ") }

func (f form) options(name string) [][]string {
	return regexp.MustCompile(`<option value="([^"]*)"[^>]*>([^<]*)<`).FindAllStringSubmatch(f.tag(name), -1)
}

// text is what people read when a field has a value.
func (f form) text(name, value string) string {
	for _, option := range f.options(name) {
		if option[1] == value {
			short := strings.Split(unescape(option[2]), " (")[0] // without its code, and without what it is part of
			return short[strings.LastIndex(short, ": ")+1:]
		}
	}
	if value == typedValues["test-clocks.now"][0] {
		return "31 Jan 2026, 12:00:00 UTC"
	}
	return value
}

// other is a value that a field does not have.
func (f form) other(path, name string, n int) string {
	now := f.value(name)
	if values := typedValues[path+"."+name]; values != nil {
		return values[min(n, len(values)-1)]
	}
	switch f.kind(name) {
	case "checkbox":
		if now != "" {
			return ""
		}
		return "on"
	case "checks":
		for _, tag := range inputTag.FindAllStringSubmatch(f.body, -1) {
			if value := attribute(tag[1], "value"); attribute(tag[1], "name") == name && value != now {
				return value
			}
		}
	case "select":
		options := f.options(name)
		slices.Reverse(options) // none is the first
		for _, option := range options {
			if option[1] != now {
				return unescape(option[1])
			}
		}
		panic("the test makes nothing else to choose for " + path + "." + name)
	case "numeric":
		number, _ := strconv.Atoi(now)
		return strconv.Itoa(number + 1)
	case "email":
		return "kim" + strconv.Itoa(n) + "@harbour.example"
	case "url":
		return "https://app.example.com/" + strconv.Itoa(n)
	}
	return "typed-" + strconv.Itoa(n)
}
