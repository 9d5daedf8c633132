package apitest

// attributeFixture makes what attributes refer to. Ids are given out from 1 on.
const attributeFixture = `mutation {
  d1: dunningPolicyCreate(attributes: {code: "one", name: "One"}) { errors }
  d2: dunningPolicyCreate(attributes: {code: "two", name: "Two"}) { errors }
  e1: entityCreate(attributes: {code: "one", name: "One", country: "DE"}) { errors }
  e2: entityCreate(attributes: {code: "two", name: "Two", country: "AT", invoiceNumberFormat: "AT-{0000}", creditNoteNumberFormat: "ATC-{0000}"}) { errors }
  c1: testClockCreate(name: "One", now: "2026-01-15T12:00:00Z") { errors }
  c2: testClockCreate(name: "Two", now: "2026-01-15T12:00:00Z") { errors }
  w1: platformCreate(attributes: {code: "one", name: "One"}) { errors }
  w2: platformCreate(attributes: {code: "two", name: "Two"}) { errors }
  p1: productCreate(attributes: {code: "one", name: "One", platformCode: "one"}) { errors }
  p2: productCreate(attributes: {code: "two", name: "Two", platformCode: "two"}) { errors }
  f1: featureCreate(productId: 1, attributes: {code: "users", name: "Users", kind: QUANTITY}) { errors }
  f2: featureCreate(productId: 1, attributes: {code: "sites", name: "Sites", kind: QUANTITY}) { errors }
  n1: planCreate(attributes: {productId: 1, code: "one", name: "One"}) { errors }
  n2: planCreate(attributes: {productId: 1, code: "two", name: "Two"}) { errors }
  l1: priceListCreate(attributes: {planId: 1, code: "one", name: "One", currencyId: "EUR", trialAllowed: true, trialLengthDays: 14, trialExpirationAction: ACTIVATE,
    charges: [{code: "seats", name: "Seats", price: "1", featureCode: "users"}]}) { errors }
  l2: priceListCreate(attributes: {planId: 1, code: "two", name: "Two", currencyId: "EUR"}) { errors }
  l3: priceListCreate(attributes: {planId: 1, code: "three", name: "Three", currencyId: "EUR"}) { errors }
  a1: accountCreate(attributes: {name: "One", code: "one", billingContact: {firstName: "Ann"}}) { errors }
  a2: accountCreate(attributes: {name: "Two", code: "two"}) { errors }
  a3: accountCreate(attributes: {name: "Three", code: "three", billingCountry: "DE"}) { errors }
  i1: invoiceCreate(accountId: 3, attributes: {currencyId: "EUR", items: [{lineText: "Setup", amount: "1000.00"}]}) { errors }
  i2: invoiceCreate(accountId: 3, attributes: {currencyId: "EUR", draft: true, items: [{lineText: "Setup", amount: "10.00"}]}) { errors }
  b: contactCreate(attributes: {accountId: 1, firstName: "Bob"}) { errors }
  s1: subscriptionCreate(attributes: {accountId: 1, priceListId: 1, tenantCode: "one"}) { errors }
  s2: subscriptionCreate(attributes: {accountId: 1, priceListId: 1, startDate: "2026-06-01"}) { errors }
  s3: subscriptionCreate(attributes: {accountId: 2, priceListId: 1, trial: true}) { errors }
  w3: platformCreate(attributes: {code: "three", name: "Three", provisioningEnabled: true}) { errors }
  t3: tenantCreate(attributes: {code: "state", name: "State", accountId: 1, platformCode: "three"}) { errors }
  w4: platformCreate(attributes: {code: "four", name: "Four", provisioningEnabled: true}) { errors }
  t4: tenantCreate(attributes: {code: "state", name: "State", accountId: 1, platformCode: "four"}) { errors }
}`

// pixel is a picture of one pixel.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

// tiered leaves out the price that the base of a charge has.
var tiered = object{"price": nil, "pricingModel": "TIERED", "priceListChargeTiers": []any{object{"starts": 1, "price": "3"}}}

// trial is of an account that had none.
var trial = object{"accountId": nil, "account": object{"name": "Trial"}, "trial": true}

// plain is all that a plain signature needs.
var plain = object{"webhookUrl": "https://example.com/hooks", "plainSignatureHeader": "X-Signature", "plainSignatureAlgorithm": "SHA1", "plainSignatureKey": "a-key-that-is-long-enough"}

// attributeWays are the ways of input types, where they are not the usual ones: see
// wayOf.
var attributeWays = map[string]way{
	"AccountAttributes": {base: object{"name": "Acme"}, attributes: map[string]attribute{
		"timezone":         {values: []any{"Europe/Berlin", "UTC"}},
		"currencyId":       {values: []any{"EUR", "USD"}},
		"billingContact":   {values: []any{object{"firstName": "Ann"}, object{"firstName": "Bob"}}, at: "billingContact.firstName", want: []any{"Ann", "Bob"}},
		"billingContactId": {values: []any{"2", "1"}, at: "billingContact.id", send: "accountUpdate(id: 1, attributes: $a)"},
		"entityId":         {values: []any{"1", "2"}, at: "entity.id"},
		"invoiceEmail":     {values: []any{"invoices@example.com", "ann@example.com"}},
		"locale":           {values: []any{"de", "fr-CH"}},
		"dunningPolicyId":  {values: []any{"1", "2"}, at: "dunningPolicy.id"},
		"testClockId":      {values: []any{"1", "2"}, at: "testClock.id"},
	}},
	"InvoiceAttributes": {send: "invoiceCreate(accountId: 3, attributes: $a)", read: "invoice",
		base: object{"currencyId": "EUR", "items": []any{object{"lineText": "Setup", "amount": "1.00"}}},
		attributes: map[string]attribute{
			"currencyId": {values: []any{"EUR", "USD"}},
			"items": {values: []any{[]any{object{"lineText": "One", "amount": "1.00"}}, []any{object{"lineText": "Two", "amount": "1.00"}}},
				at: "invoiceItems.lineText", want: []any{[]any{"One"}, []any{"Two"}}},
			"draft": {at: "number", values: []any{true}, want: []any{nil}},
		}},
	"InvoiceUpdateAttributes": {send: "invoiceUpdate(id: 2, attributes: $a)", read: "invoice", attributes: map[string]attribute{
		"items": {values: []any{[]any{object{"lineText": "One", "amount": "1.00"}}, []any{object{"lineText": "Two", "amount": "1.00"}}},
			at: "invoiceItems.lineText", want: []any{[]any{"One"}, []any{"Two"}}},
	}},
	"InvoiceLineAttributes": {send: `invoiceCreate(accountId: 3, attributes: {currencyId: "EUR", items: [$a]})`, base: object{"lineText": "Setup", "amount": "1.00"}, read: "invoice", in: "invoiceItems.0",
		attributes: map[string]attribute{
			"quantity": {values: []any{"2", "3.5"}},
			"price":    {with: object{"amount": nil}},
			"taxCode":  {values: []any{"standard"}}, // there are no rates of another
		}},
	"CreditItemAttributes": {send: `invoiceCredit(invoiceId: 1, items: [$a], reason: "Goodwill")`, base: object{"invoiceItemId": "1", "amount": "1.00"}, read: "creditNote", in: "creditNoteItems.0",
		attributes: map[string]attribute{"invoiceItemId": {values: []any{"1"}, at: "creditedItem.id"}}},
	"PaymentAttributes": {base: object{"accountId": "3", "amount": "1.00", "currencyId": "EUR"}, attributes: map[string]attribute{
		"accountId":  {values: []any{"1", "2"}},
		"currencyId": {values: []any{"EUR", "USD"}},
		"receivedAt": {values: []any{"2026-01-13", "2026-01-14"}},
		"invoiceIds": {values: []any{[]any{"1"}}, at: "paymentApplications.invoice.id"},
	}},
	"InvoiceItemAttributes": {send: "invoiceItemCreate(accountId: 1, attributes: $a)", base: object{"lineText": "Training", "amount": "1.00", "currencyId": "EUR"}, read: "pendingItem",
		attributes: map[string]attribute{
			"quantity":       {values: []any{"2", "3.5"}},
			"price":          {with: object{"amount": nil}},
			"currencyId":     {values: []any{"EUR", "USD"}},
			"subscriptionId": {values: []any{"1", "2"}},
		}},
	"EntityAttributes": {base: object{"code": "#", "name": "GmbH", "country": "DE", "invoiceNumberFormat": "#-{000}", "creditNoteNumberFormat": "C#-{000}"},
		attributes: map[string]attribute{
			"country":                {values: []any{"DE", "AT"}},
			"email":                  {values: []any{"ann@example.com", "bob@example.com"}},
			"taxNumber":              {values: []any{"DE123456789", "12/345/67890"}},
			"iban":                   {values: []any{"DE89370400440532013000", "AT611904300234573201"}},
			"bic":                    {values: []any{"COBADEFFXXX", "BKAUATWW"}},
			"logo":                   {values: []any{pixel}},
			"invoiceNumberFormat":    {values: []any{"I#-{0000}", "J#-{0000}"}},
			"creditNoteNumberFormat": {values: []any{"I#-{0000}", "J#-{0000}"}},
			"invoiceTime":            {values: []any{"06:00", "23:59"}},
			"collectionTime":         {values: []any{"06:00", "23:59"}},
			"dunningPolicyId":        {values: []any{"1", "2"}, at: "dunningPolicy.id"},
			"invoicingStartsOn":      {values: []any{"2026-02-01", "2026-03-01"}},
		}},
	"DunningPolicyAttributes": {base: object{"code": "#", "name": "Strict"}, attributes: map[string]attribute{
		"code":               {values: []any{"strict", "lenient"}},
		"tolerance":          {values: []any{"0.5", "1"}},
		"billWhileSuspended": {values: []any{false, true}},
		"steps": {values: []any{[]any{object{"day": 3, "action": "COLLECT"}}, []any{object{"day": 5, "action": "COLLECT"}}},
			at: "steps.day", want: []any{[]any{float64(3)}, []any{float64(5)}}},
	}},
	"DunningStepAttributes": {
		send: `dunningPolicyCreate(attributes: {code: "#", name: "Strict", steps: [{day: -5, action: COLLECT}, $a]})`,
		base: object{"day": 5, "action": "REMIND", "template": "reminder"}, read: "dunningPolicy", in: "steps.1",
		attributes: map[string]attribute{
			"day":      {values: []any{4, 6}, want: []any{float64(4), float64(6)}},
			"action":   {values: []any{"SUSPEND", "RESTRICT"}},
			"template": {values: []any{"reminder", "last-reminder"}},
		}},
	"EmailTemplateAttributes": {base: object{"name": "invoice", "locale": "en-x0#", "subject": "Hello", "body": "Hello"}, attributes: map[string]attribute{
		"name":    {values: []any{"invoice", "reminder"}},
		"locale":  {values: []any{"nl", "it-CH"}},
		"subject": {values: []any{"One", "Two"}},
		"body":    {values: []any{"One", "Two {{.CompanyName}}"}},
	}},
	"TaxRateAttributes": {base: object{"country": "US", "region": "#", "rate": "5", "name": "Sales tax"}, attributes: map[string]attribute{
		"country":   {values: []any{"US", "CA"}},
		"rate":      {values: []any{"7", "8.875"}},
		"region":    {values: []any{"NY", "OR"}},
		"validFrom": {values: []any{"2026-01-01", "2026-02-01"}},
		"validTo":   {values: []any{"2026-01-01", "2026-02-01"}},
	}},
	"ContactAttributes": {base: object{"accountId": "1", "firstName": "Ann"}, attributes: map[string]attribute{
		"accountId": {values: []any{"1", "2"}, at: "account.id"},
		"email":     {values: []any{"ann@example.com", "bob@example.com"}},
	}},
	"PlatformAttributes": {base: object{"code": "#", "name": "App"}, attributes: map[string]attribute{
		"webhookUrl":              {values: []any{"https://one.example.com/", "https://two.example.com/"}},
		"plainSignatureHeader":    {values: []any{"X-One", "X-Two"}, with: plain},
		"plainSignatureAlgorithm": {with: plain},
		"driftPolicy":             {values: []any{"OFF", "REPAIR"}},
		"driftRepairsPerMinute":   {values: []any{30, 40}},
		// Secrets cannot be read back, only whether they are set.
		"plainSignatureKey": {values: []any{"a-key-that-is-long-enough", nil}, at: "plainSignatureKeySet", want: []any{true, false}},
		"webhookAuthToken":  {values: []any{"a-token", nil}, at: "webhookAuthTokenSet", want: []any{true, false}},
	}},
	"EventEndpointAttributes": {base: object{"code": "#", "url": "https://one.example.com/", "types": []any{"InvoicePaid"}}, attributes: map[string]attribute{
		"url":   {values: []any{"https://one.example.com/", "https://two.example.com/"}},
		"types": {values: []any{[]any{"InvoiceIssued"}, []any{"InvoiceIssued", "SubscriptionChanged"}}},
	}},
	"ProductAttributes": {base: object{"code": "#", "name": "CRM"}, attributes: map[string]attribute{
		"platformId":   {values: []any{"1", "2"}, at: "platform.id"},
		"platformCode": {values: []any{"one", "two"}, at: "platform.code"},
	}},
	"FeatureAttributes": {send: "featureCreate(productId: 1, attributes: $a)", base: object{"code": "#", "name": "Users"}, read: "feature", attributes: map[string]attribute{
		"unitName": {with: object{"kind": "QUANTITY"}},
	}},
	"PlanAttributes": {base: object{"productId": "1", "name": "Pro"}, attributes: map[string]attribute{
		"productId":  {values: []any{"1", "2"}, at: "product.id"},
		"featureIds": {values: []any{[]any{"1"}, []any{"2"}}, at: "features.id"},
	}},
	"PlanFeatureAttributes": {send: "planFeatureUpdate(id: 1, attributes: $a)", read: "planFeature", attributes: map[string]attribute{
		"value": {values: []any{"25", "26"}},
	}},
	"PriceListAttributes": {base: object{"planId": "1", "code": "#", "name": "Monthly", "currencyId": "EUR"}, attributes: map[string]attribute{
		"planId":                {values: []any{"1", "2"}, at: "plan.id"},
		"currencyId":            {values: []any{"EUR", "USD"}},
		"trialAllowed":          {with: object{"trialLengthDays": 7, "trialExpirationAction": "CANCEL"}},
		"trialLengthDays":       {with: object{"trialAllowed": true, "trialExpirationAction": "CANCEL"}},
		"trialExpirationAction": {with: object{"trialAllowed": true, "trialLengthDays": 7}},
		"charges": {values: []any{[]any{object{"code": "one", "name": "One", "price": "1"}}, []any{object{"code": "two", "name": "Two", "price": "1"}}},
			at: "charges.code", want: []any{[]any{"one"}, []any{"two"}}},
	}},
	"PriceListChargeAttributes": {base: object{"priceListId": "2", "code": "#", "name": "Seats", "price": "1"}, attributes: map[string]attribute{
		"priceListId":  {values: []any{"2", "3"}, at: "priceList.id"},
		"featureId":    {values: []any{"1", "2"}, at: "feature.id"},
		"featureCode":  {values: []any{"users", "sites"}, at: "feature.code"},
		"pricingModel": {values: []any{"TIERED", "VOLUME"}, with: tiered},
		"priceListChargeTiers": {values: []any{[]any{object{"starts": 1, "price": "4.00"}}, []any{object{"starts": 1, "price": "5.00"}}}, with: tiered,
			at: "priceListChargeTiers.price", want: []any{[]any{"4.00"}, []any{"5.00"}}},
	}},
	"PriceListChargeTierAttributes": {
		send: `priceListChargeCreate(attributes: {priceListId: 2, code: "#", name: "Seats", pricingModel: TIERED, priceListChargeTiers: [{starts: 1, price: "9"}, $a]})`,
		base: object{"starts": 5, "price": "8"}, read: "priceListCharge", in: "priceListChargeTiers.1",
	},
	"SubscriptionAttributes": {base: object{"accountId": "1", "priceListId": "1"}, attributes: map[string]attribute{
		"accountId":      {values: []any{"1", "2"}, at: "account.id"},
		"accountCode":    {values: []any{"one", "two"}, at: "account.code", with: object{"accountId": nil}},
		"account":        {values: []any{object{"name": "Acme"}, object{"name": "Beta"}}, at: "account.name", want: []any{"Acme", "Beta"}, with: object{"accountId": nil}},
		"priceListId":    {values: []any{"1", "2"}, at: "priceList.id"},
		"priceListCode":  {values: []any{"one", "two"}, at: "priceList.code", with: object{"priceListId": nil}},
		"tenant":         {values: []any{object{"code": "first-#"}, object{"code": "second-#"}}, at: "tenant.code", want: []any{"first-#", "second-#"}},
		"tenantCode":     {at: "tenant.code"},
		"tenantName":     {at: "tenant.name", with: object{"tenantCode": "#"}},
		"alignTo":        {values: []any{"START", "BILLING_DAY"}, at: "endDate", want: []any{"2026-02-09", "2026-01-14"}, with: object{"startDate": "2026-01-10", "evergreen": false}},
		"trial":          {at: "state", want: []any{"TRIAL", "ACTIVE"}, with: trial},
		"trialStartDate": {values: []any{"2026-01-10", "2026-01-11"}, with: trial},
		// The account has had a trial: another one is refused unless this says otherwise.
		"trialAgain":            {values: []any{true}, at: "state", want: []any{"TRIAL"}, with: object{"accountId": "2", "trial": true}},
		"trialExpirationAction": {with: trial},
		"quantities": {values: []any{[]any{object{"code": "seats", "quantity": 5}}, []any{object{"code": "seats", "quantity": 6}}},
			at: "charges.quantity", want: []any{[]any{5}, []any{6}}},
	}},
	"SubscriptionUpdateAttributes": {send: "subscriptionUpdate(id: 1, attributes: $a)", read: "subscription", attributes: map[string]attribute{
		"startDate":             {values: []any{"2026-06-02", "2026-06-03"}, send: "subscriptionUpdate(id: 2, attributes: $a)"},
		"trialExpirationAction": {send: "subscriptionUpdate(id: 3, attributes: $a)"},
	}},
	"QuantityAttributes": {send: "subscriptionQuantityUpdate(subscriptionId: 1, quantities: [$a])", base: object{"code": "seats", "quantity": 7}, read: "subscription",
		attributes: map[string]attribute{
			"code":     {values: []any{"seats"}, at: "charges.quantity", want: []any{[]any{7}}}, // without it, no charge is found
			"quantity": {values: []any{8, 9}, at: "charges.quantity", want: []any{[]any{8}, []any{9}}},
		}},
	"SubscriptionTenantAttributes": {send: "subscriptionTenantUpdate(id: 1, attributes: $a)", base: object{"code": "moved-#"}, read: "subscription", in: "tenant"},
	"TenantAttributes": {base: object{"code": "#", "name": "Acme", "accountId": "1", "platformId": "1"}, attributes: map[string]attribute{
		"accountId":    {values: []any{"1", "2"}, at: "account.id"},
		"platformId":   {values: []any{"1", "2"}, at: "platform.id"},
		"platformCode": {values: []any{"one", "two"}, at: "platform.code", with: object{"platformId": nil}},
	}},
	"TenantMetricsAttributes": {send: `tenantMetricsUpdate(code: "one", attributes: $a)`, read: "tenant", attributes: map[string]attribute{
		"utilizationMetrics": {values: []any{object{"files": 1}, object{"files": 2}}},
	}},
	"TenantStateAttributes": {send: `tenantStateReport(platformCode: "three", tenants: [$a])`, base: object{"code": "state", "sequence": 0, "features": []any{}}, read: "platform", in: "tenants.0.drift",
		attributes: map[string]attribute{
			"code":     {values: []any{"state"}, at: "outcome", want: []any{"IN_SYNC"}},                   // without it, no tenant is found
			"at":       {send: `tenantStateReport(platformCode: "four", tenants: [$a])`, at: "checkedAt"}, // after a newer report, it would not count
			"features": {values: []any{[]any{object{"code": "sso"}}, []any{object{"code": "api"}}}, at: "features.code", want: []any{[]any{"sso"}, []any{"api"}}},
		}},
	"TenantStateFeatureAttributes": {send: `tenantStateReport(platformCode: "three", tenants: [{code: "state", sequence: 0, features: [$a]}])`, base: object{"code": "sso"}, read: "platform", in: "tenants.0.drift.features.0",
		attributes: map[string]attribute{
			"value":    {values: []any{"one", "two"}, at: "actual", want: []any{object{"value": "one", "quantity": nil}, object{"value": "two", "quantity": nil}}},
			"quantity": {values: []any{2, 3}, at: "actual", want: []any{object{"value": "", "quantity": 2}, object{"value": "", "quantity": 3}}},
		}},
	"WorkflowAttributes": {send: "workflowUpdate(id: 1, attributes: $a)", read: "workflow", attributes: map[string]attribute{
		"recipe": {values: []any{object{"timeoutSeconds": 3}, object{"timeoutSeconds": 4}}, at: "recipe.timeoutSeconds", want: []any{3, 4}},
	}},
	"WorkflowRecipeAttributes": {send: "workflowUpdate(id: 1, attributes: {recipe: $a})", read: "workflow", in: "recipe", attributes: map[string]attribute{
		"url":            {values: []any{"https://one.example.com/", "https://two.example.com/"}},
		"payloadProgram": {values: []any{".", "{type}"}},
		"stateProgram":   {values: []any{".", "{code: .id}"}},
		"retryDelays":    {values: []any{[]any{5, 6}, []any{7}}},
		"headers":        {values: []any{object{"X-Source": "one"}, object{"X-Source": "two"}}},
	}},
	"ApiClientAttributes": {base: object{"name": "CI", "scopes": []any{"standard:read"}}, attributes: map[string]attribute{
		"scopes": {values: []any{[]any{"standard:read"}, []any{"standard:write"}}},
	}},
}
