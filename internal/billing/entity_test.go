package billing

import (
	"strings"
	"testing"
)

func ptr[T any](v T) *T { return &v }

// checked is anything with rules of its own.
type checked interface{ Check() Problems }

// The right ones, which each case below spoils in one place.
func goodAccount() *Account { return &Account{Name: "Acme", BillingDay: 15} }
func goodContact() *Contact { return &Contact{AccountID: 1, FirstName: "Ann"} }
func goodPlatform() *Platform {
	return &Platform{Code: "crm", Name: "CRM", PlainSignatureKeySealed: "sealed"}
}
func goodProduct() *Product { return &Product{Code: "p", Name: "P"} }
func goodFeature() *Feature { return &Feature{Code: "f", Name: "F", Kind: Quantity} }
func goodPlan() *Plan       { return &Plan{Name: "Basic"} }
func goodPriceList() *PriceList {
	return &PriceList{Code: "l", Name: "L", CurrencyID: "EUR", RenewalTermMonths: 12}
}
func goodCharge() *Charge {
	return &Charge{
		Code: "c", Name: "C", ChargeType: Recurring, BillingPeriod: Monthly,
		PricingModel: Flat, Price: ptr(Price("9.9")),
	}
}
func goodClient() *Client {
	return &Client{Name: "Orders", Scopes: []string{StandardRead}, AccessTokenExpiresIn: 7200}
}

func spoil[T any](v *T, how func(*T)) *T {
	how(v)
	return v
}

func TestRightThingsPass(t *testing.T) {
	long := strings.Repeat("é", MaxName)
	for name, thing := range map[string]checked{
		"account":                  goodAccount(),
		"contact":                  goodContact(),
		"contact with a last name": &Contact{AccountID: 1, LastName: ptr("Lee")},
		"contact with an address":  &Contact{AccountID: 1, Email: ptr("ann@example.com")},
		"platform":                 goodPlatform(),
		"product":                  goodProduct(),
		"feature":                  goodFeature(),
		"plan":                     goodPlan(),
		"list":                     goodPriceList(),
		"charge":                   goodCharge(),
		"client":                   goodClient(),
		"account with all": spoil(goodAccount(), func(a *Account) {
			a.Name, a.Code, a.Timezone, a.CurrencyID = long, ptr("Kundé 7"), ptr("Europe/Berlin"), ptr("JPY")
			a.BillingDay, a.NetPaymentDays, a.Description = 31, ptr(0), ptr(strings.Repeat("x", MaxDescription))
		}),
		"platform with private address": spoil(goodPlatform(), func(p *Platform) {
			p.WebhookURL, p.PlainSignatureHeader = ptr("http://10.0.0.7:8080/hook?x=1"), ptr("X-Signature")
			p.PlainSignatureAlgorithm = ptr(SHA256)
		}),
		"list with trial": spoil(goodPriceList(), func(l *PriceList) {
			l.TrialAllowed, l.TrialLengthDays, l.TrialExpirationAction = true, ptr(14), ptr(TrialCancel)
		}),
		"charge with tiers": spoil(goodCharge(), func(c *Charge) {
			c.PricingModel, c.Price, c.Tiers = Volume, nil, []Tier{{1, "10"}, {11, "8"}, {101, "0"}}
			c.QuantityMin, c.QuantityMax = ptr(0), ptr(0)
		}),
		"one-time charge": spoil(goodCharge(), func(c *Charge) { c.ChargeType, c.BillingPeriod = OneTime, Once }),
	} {
		if problems := thing.Check(); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestWrongThingsAreNamed(t *testing.T) {
	account := func(how func(*Account)) checked { return spoil(goodAccount(), how) }
	contact := func(how func(*Contact)) checked { return spoil(goodContact(), how) }
	platform := func(how func(*Platform)) checked { return spoil(goodPlatform(), how) }
	feature := func(how func(*Feature)) checked { return spoil(goodFeature(), how) }
	list := func(how func(*PriceList)) checked { return spoil(goodPriceList(), how) }
	charge := func(how func(*Charge)) checked { return spoil(goodCharge(), how) }
	client := func(how func(*Client)) checked { return spoil(goodClient(), how) }
	tiers := func(tiers ...Tier) checked {
		return charge(func(c *Charge) { c.PricingModel, c.Price, c.Tiers = Tiered, nil, tiers })
	}
	for _, c := range []struct {
		thing checked
		code  Code
		field string
		says  string
	}{
		{account(func(a *Account) { a.Name = "" }), Required, "name", "name"},
		{account(func(a *Account) { a.Name = " \t" }), Required, "name", "name"},
		{account(func(a *Account) { a.Name = strings.Repeat("x", MaxName+1) }), Invalid, "name", "255"},
		{account(func(a *Account) { a.Name = "a\x00b" }), Invalid, "name", "NUL"},
		{account(func(a *Account) { a.Name = "a\xff" }), Invalid, "name", "UTF-8"},
		{account(func(a *Account) { a.BillingDay = 0 }), Invalid, "billingDay", "1 to 31"},
		{account(func(a *Account) { a.BillingDay = 32 }), Invalid, "billingDay", "1 to 31"},
		{account(func(a *Account) { a.Timezone = ptr("Mars/Olympus") }), Invalid, "timezone", "Mars/Olympus"},
		{account(func(a *Account) { a.Timezone = ptr("Local") }), Invalid, "timezone", "Local"},
		{account(func(a *Account) { a.CurrencyID = ptr("EURO") }), Invalid, "currencyId", "ISO 4217"},
		{account(func(a *Account) { a.Phone = ptr(strings.Repeat("1", 256)) }), Invalid, "phone", "255"},
		{account(func(a *Account) { a.OwnerUserID = ptr("\x00") }), Invalid, "ownerUserId", "NUL"},
		{account(func(a *Account) { a.NetPaymentDays = ptr(-1) }), Invalid, "netPaymentDays", "0 to 365"},
		{contact(func(c *Contact) { c.FirstName = "" }), Required, "firstName", "name or an e-mail address"},
		{contact(func(c *Contact) { c.FirstName, c.LastName, c.Phone = " ", ptr("\u200b"), ptr("1") }), Required, "firstName", "name or an e-mail address"},
		{contact(func(c *Contact) { c.Email = ptr("nobody") }), Invalid, "email", "@"},
		{contact(func(c *Contact) { c.MailingZip = ptr(strings.Repeat("1", 256)) }), Invalid, "mailingZip", "255"},
		{platform(func(p *Platform) { p.Code = "" }), Required, "code", "code"},
		{platform(func(p *Platform) { p.WebhookURL = ptr("ftp://a.b") }), Invalid, "webhookUrl", "https://"},
		{platform(func(p *Platform) { p.WebhookURL = ptr("https://u:p@a.b/") }), Invalid, "webhookUrl", "password"},
		{platform(func(p *Platform) { p.WebhookURL = ptr("https://a.b/#x") }), Invalid, "webhookUrl", "fragment"},
		{platform(func(p *Platform) { p.WebhookURL = ptr("/relative") }), Invalid, "webhookUrl", "full address"},
		{platform(func(p *Platform) { p.PlainSignatureHeader = ptr("X Signature") }), Invalid, "plainSignatureHeader", "header"},
		{platform(func(p *Platform) { p.PlainSignatureHeader = ptr("Webhook-ID") }), Invalid, "plainSignatureHeader", "Tenantry"},
		{platform(func(p *Platform) { p.PlainSignatureHeader, p.PlainSignatureKeySealed = ptr("X-S"), "" }), Required, "plainSignatureKey", "key"},
		{platform(func(p *Platform) { p.PlainSignatureAlgorithm = ptr(SignatureAlgorithm("MD5")) }), Invalid, "plainSignatureAlgorithm", "SHA256"},
		{feature(func(f *Feature) { f.Kind = "LIST" }), Invalid, "kind", "QUANTITY"},
		{feature(func(f *Feature) { f.Position = -1 }), Invalid, "position", "0"},
		{feature(func(f *Feature) { f.Code = " x" }), Invalid, "code", "blank"},
		{list(func(l *PriceList) { l.CurrencyID = "" }), Required, "currencyId", "currency"},
		{list(func(l *PriceList) { l.CurrencyID = "eur" }), Invalid, "currencyId", "EUR"},
		{list(func(l *PriceList) { l.RenewalTermMonths = 0 }), Invalid, "renewalTermMonths", "1 to 120"},
		{list(func(l *PriceList) { l.TrialAllowed = true }), Required, "trialLengthDays", "length"},
		{list(func(l *PriceList) { l.TrialLengthDays = ptr(0) }), Invalid, "trialLengthDays", "1 to 3650"},
		{list(func(l *PriceList) { l.TrialExpirationAction = ptr(TrialExpirationAction("X")) }), Invalid, "trialExpirationAction", "ACTIVATE"},
		{charge(func(c *Charge) { c.Price = nil }), Required, "price", "price"},
		{charge(func(c *Charge) { c.Tiers = []Tier{{1, "1"}} }), Invalid, "priceListChargeTiers", "FLAT"},
		{charge(func(c *Charge) { c.PricingModel = "X" }), Invalid, "pricingModel", "FLAT"},
		{charge(func(c *Charge) { c.PricingModel, c.Tiers = Tiered, []Tier{{1, "1"}} }), Invalid, "price", "tiers"},
		{charge(func(c *Charge) { c.BillingPeriod = Once }), Invalid, "billingPeriod", "MONTHLY"},
		{charge(func(c *Charge) { c.ChargeType = OneTime }), Invalid, "billingPeriod", "ONCE"},
		{charge(func(c *Charge) { c.ChargeType = "X" }), Invalid, "chargeType", "RECURRING"},
		{charge(func(c *Charge) { c.QuantityMin = ptr(-1) }), Invalid, "quantityMin", "0"},
		{charge(func(c *Charge) { c.QuantityMin, c.QuantityMax = ptr(5), ptr(4) }), Invalid, "quantityMax", "below"},
		{tiers(), Required, "priceListChargeTiers", "at least one"},
		{tiers(Tier{0, "1"}), Invalid, "priceListChargeTiers.0.starts", "starts at 1"},
		{tiers(Tier{1, "1"}, Tier{1, "1"}), Invalid, "priceListChargeTiers.1.starts", "ascend"},
		{tiers(Tier{1, "1"}, Tier{MaxQuantity + 1, "1"}), Invalid, "priceListChargeTiers.1.starts", "1000000000"},
		{tiers(make([]Tier, MaxTiers+1)...), Invalid, "priceListChargeTiers", "100"},
		{client(func(c *Client) { c.Scopes = nil }), Required, "scopes", "standard:read"},
		{client(func(c *Client) { c.Scopes = []string{"all"} }), Invalid, "scopes", "all"},
		{client(func(c *Client) { c.AccessTokenExpiresIn = 0 }), Invalid, "accessTokenExpiresIn", "2592000"},
		{client(func(c *Client) { c.AccessTokenExpiresIn = MaxTokenSeconds + 1 }), Invalid, "accessTokenExpiresIn", "2592000"},
		{client(func(c *Client) { c.MaxConcurrentRequests = ptr(0) }), Invalid, "maxConcurrentRequests", "from 1 to 1000000"},
		{client(func(c *Client) { c.MaxCPUSecondsPerMinute = ptr(-1) }), Invalid, "maxCpuSecondsPerMinute", "from 1 to 1000000"},
		{client(func(c *Client) { c.MaxMegabytesPerMinute = ptr(MaxClientLimit + 1) }), Invalid, "maxMegabytesPerMinute", "from 1 to 1000000"},
	} {
		problems := c.thing.Check()
		if len(problems) != 1 {
			t.Errorf("%T %s: %d problems (%v), want one", c.thing, c.field, len(problems), problems)
			continue
		}
		p := problems[0]
		if p.Code != c.code || strings.Join(p.Field, ".") != c.field || !strings.Contains(p.Message, c.says) {
			t.Errorf("%T: got %s %v %q, want %s %s saying %q", c.thing, p.Code, p.Field, p.Message, c.code, c.field, c.says)
		}
	}
}

func TestPlanValuesFitTheKind(t *testing.T) {
	for _, c := range []struct {
		kind  FeatureKind
		value string
		fits  bool
	}{
		{Boolean, "true", true}, {Boolean, "false", true}, {Boolean, "", false}, {Boolean, "yes", false},
		{Quantity, "", true}, {Quantity, "0", true}, {Quantity, "25", true}, {Quantity, "1000000000", true},
		{Quantity, "1000000001", false}, {Quantity, "-1", false}, {Quantity, "1.5", false}, {Quantity, "025", false},
		{Quantity, "+5", false}, {Quantity, "many", false},
		{Value, "", true}, {Value, "gold <&> plated", true},
	} {
		pf := PlanFeature{Value: c.value}
		if got := len(pf.CheckFor(c.kind)) == 0; got != c.fits {
			t.Errorf("%s %q: fits is %v, want %v", c.kind, c.value, got, c.fits)
		}
		if !c.kind.Allows(c.kind.DefaultValue()) {
			t.Errorf("the default of %s is not allowed", c.kind)
		}
	}
	if len((&PlanFeature{Value: "\x00"}).CheckFor(Value)) != 1 {
		t.Error("NUL in a value was accepted")
	}
}

func TestScopesAreSortedAndUnique(t *testing.T) {
	c := Client{Scopes: []string{"zzz", AdminWrite, StandardWrite, StandardRead, StandardWrite}}
	c.Normalize()
	if got := strings.Join(c.Scopes, " "); got != "standard:read standard:write admin:write zzz" {
		t.Errorf("scopes %s", got)
	}
}

func TestEmptyCodesAreNone(t *testing.T) {
	a := Account{Code: ptr("")}
	a.Normalize()
	c := Contact{FirstName: " ", LastName: ptr("\t"), Code: ptr(""), Email: ptr(" ")}
	c.Normalize()
	p := Platform{WebhookURL: ptr(""), PlainSignatureHeader: ptr("")}
	p.Normalize()
	if a.Code != nil || c.Code != nil || c.Email != nil || c.FirstName != "" || c.LastName != nil || p.WebhookURL != nil || p.PlainSignatureHeader != nil {
		t.Error("an empty text was kept")
	}
	if p.EndpointState() != EndpointNoURL {
		t.Error("a platform without a URL is ready")
	}
}

func TestChangesNamesWhatDiffers(t *testing.T) {
	before := goodAccount()
	after := goodAccount()
	after.ID, after.Name, after.Code = 7, "Acme <Inc>", ptr("acme")
	changes := Changes(before, after)
	if len(changes) != 2 || string(changes["name"].From) != `"Acme"` || string(changes["code"].From) != "null" || string(changes["code"].To) != `"acme"` {
		t.Errorf("changes %v", changes)
	}
	if len(Changes(before, goodAccount())) != 0 {
		t.Error("equal things differ")
	}
	created, deleted := Changes(nil, after), Changes(after, nil)
	if string(created["name"].From) != "null" || string(deleted["name"].To) != "null" || len(created) != len(deleted) {
		t.Errorf("created %v, deleted %v", created, deleted)
	}
	secretive := Changes(nil, &Client{SecretHash: "hash", OldSecretHash: "old", Name: "x"})
	for name := range secretive {
		if strings.Contains(strings.ToLower(name), "secret") {
			t.Errorf("the change of a client shows %s", name)
		}
	}
}

func TestHeaderValues(t *testing.T) {
	if CheckHeaderValue("x", "Bearer abc") != nil {
		t.Error("a plain value was refused")
	}
	for _, value := range []string{"a\nb", "é", "a\x7f", strings.Repeat("a", 2001)} {
		if CheckHeaderValue("x", value) == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}

func TestProblemsAsErrors(t *testing.T) {
	if Problems(nil).Err() != nil {
		t.Error("no problems are an error")
	}
	p := Problems{invalid("a.b", "first"), Fail(Taken, "", "second")}
	if p.Err().Error() != "first; second" || !Is(p, Taken) || Is(p, InUse) {
		t.Errorf("%v", p)
	}
	if got := strings.Join(p.Within("charges", "0")[0].Field, "."); got != "charges.0.a.b" {
		t.Errorf("field %s", got)
	}
	if found, ok := AsProblems(Missing("id", "plan", 3)); !ok || found[0].Message != "There is no plan with id 3." {
		t.Errorf("%v", found)
	}
}

func TestContactIsEmpty(t *testing.T) {
	t.Parallel()
	empty := map[string]Contact{
		"nothing": {}, "of an account": {AccountID: 1},
		"blank texts": {FirstName: " ", LastName: ptr(""), Email: ptr("\t"), Code: ptr(""), Phone: ptr(" "), MailingCity: ptr("")},
	}
	for name, c := range empty {
		if !c.Empty() {
			t.Errorf("%s: it is a contact", name)
		}
	}
	for i, c := range []Contact{{FirstName: "A"}, {LastName: ptr("L")}, {Email: ptr("@")}, {Code: ptr("c")}, {MailingCountry: ptr("BE")}} {
		if c.Empty() {
			t.Errorf("%d: it is no contact", i)
		}
	}
}

func TestContactLabel(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Contact{
		"Ann Lee": {FirstName: "Ann", LastName: ptr("Lee"), Email: ptr("ann@example.com")}, "Lee": {LastName: ptr("Lee")},
		"ann@example.com": {Email: ptr("ann@example.com")},
	} {
		if got := c.Label(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
