package transfer

import (
	"github.com/tenantry/tenantry/internal/billing"
)

// The types of lines, in the order in which they are written: what others refer
// to comes first.
const (
	platformKind     = "platform"
	productKind      = "product"
	featureKind      = "feature"
	planKind         = "plan"
	planFeatureKind  = "planFeature"
	priceListKind    = "priceList"
	chargeKind       = "charge"
	accountKind      = "account"
	contactKind      = "contact"
	tenantKind       = "tenant"
	subscriptionKind = "subscription"
)

var catalogKinds = []string{platformKind, productKind, featureKind, planKind, planFeatureKind, priceListKind, chargeKind}

// Kinds are all types of lines.
var Kinds = append(append([]string{}, catalogKinds...), accountKind, contactKind, tenantKind, subscriptionKind)

// lineOf returns an empty line of a type, nil if there is no such type.
func lineOf(kind string) line {
	switch kind {
	case platformKind:
		return &platformLine{}
	case productKind:
		return &productLine{}
	case featureKind:
		return &featureLine{}
	case planKind:
		return &planLine{}
	case planFeatureKind:
		return &planFeatureLine{}
	case priceListKind:
		return &priceListLine{}
	case chargeKind:
		return &chargeLine{}
	case accountKind:
		return &accountLine{}
	case contactKind:
		return &contactLine{}
	case tenantKind:
		return &tenantLine{}
	case subscriptionKind:
		return &subscriptionLine{}
	}
	return nil
}

// line is a line that was read, or is to be written.
type line interface {
	// fields are all that it can say.
	fields() []field
	// names are the fields that identify it, and key their values.
	names() []string
	key() []string
}

type platformLine struct{ row billing.Platform }

func (l *platformLine) names() []string { return []string{"code"} }
func (l *platformLine) key() []string   { return []string{l.row.Code} }
func (l *platformLine) fields() []field {
	return []field{
		{name: "code", at: &l.row.Code}, {name: "name", at: &l.row.Name},
		{name: "provisioningEnabled", at: &l.row.ProvisioningEnabled}, {name: "webhookUrl", at: &l.row.WebhookURL},
	}
}

type productLine struct {
	row      billing.Product
	platform *string
}

func (l *productLine) names() []string { return []string{"code"} }
func (l *productLine) key() []string   { return []string{l.row.Code} }
func (l *productLine) fields() []field {
	return []field{
		{name: "code", at: &l.row.Code}, {name: "name", at: &l.row.Name}, {name: "description", at: &l.row.Description},
		{name: "platform", at: &l.platform},
	}
}

type featureLine struct {
	row     billing.Feature
	product string
}

func (l *featureLine) names() []string { return []string{"product", "code"} }
func (l *featureLine) key() []string   { return []string{l.product, l.row.Code} }
func (l *featureLine) fields() []field {
	return []field{
		{name: "product", at: &l.product}, {name: "code", at: &l.row.Code}, {name: "name", at: &l.row.Name},
		{name: "description", at: &l.row.Description}, {name: "kind", at: &l.row.Kind}, {name: "position", at: &l.row.Position},
		{name: "isProvisioned", at: &l.row.IsProvisioned}, {name: "unitName", at: &l.row.UnitName},
	}
}

type planLine struct {
	row     billing.Plan
	product string
}

func (l *planLine) names() []string { return []string{"product", "code"} }
func (l *planLine) key() []string   { return []string{l.product, text(l.row.Code)} }
func (l *planLine) fields() []field {
	return []field{
		{name: "product", at: &l.product}, {name: "code", at: &l.row.Code}, {name: "name", at: &l.row.Name},
		{name: "description", at: &l.row.Description}, {name: "addon", at: &l.row.Addon}, {name: "isVisible", at: &l.row.IsVisible},
	}
}

type planFeatureLine struct {
	row                    billing.PlanFeature
	product, plan, feature string
}

func (l *planFeatureLine) names() []string { return []string{"product", "plan", "feature"} }
func (l *planFeatureLine) key() []string   { return []string{l.product, l.plan, l.feature} }
func (l *planFeatureLine) fields() []field {
	return []field{
		{name: "product", at: &l.product}, {name: "plan", at: &l.plan}, {name: "feature", at: &l.feature}, {name: "value", at: &l.row.Value},
	}
}

type priceListLine struct {
	row           billing.PriceList
	product, plan string
}

func (l *priceListLine) names() []string { return []string{"code"} }
func (l *priceListLine) key() []string   { return []string{l.row.Code} }
func (l *priceListLine) fields() []field {
	return []field{
		{name: "code", at: &l.row.Code}, {name: "product", at: &l.product}, {name: "plan", at: &l.plan}, {name: "name", at: &l.row.Name},
		{name: "currencyId", at: &l.row.CurrencyID}, {name: "renewalTermMonths", at: &l.row.RenewalTermMonths},
		{name: "trialAllowed", at: &l.row.TrialAllowed}, {name: "trialLengthDays", at: &l.row.TrialLengthDays},
		{name: "trialExpirationAction", at: &l.row.TrialExpirationAction}, {name: "isVisible", at: &l.row.IsVisible},
	}
}

type chargeLine struct {
	row       billing.Charge
	priceList string
	feature   *string
	currency  string // of the prices that are written
}

func (l *chargeLine) names() []string { return []string{"priceList", "code"} }
func (l *chargeLine) key() []string   { return []string{l.priceList, l.row.Code} }
func (l *chargeLine) fields() []field {
	return []field{
		{name: "priceList", at: &l.priceList}, {name: "code", at: &l.row.Code}, {name: "name", at: &l.row.Name}, {name: "feature", at: &l.feature},
		{name: "chargeType", at: &l.row.ChargeType}, {name: "billingPeriod", at: &l.row.BillingPeriod}, {name: "pricingModel", at: &l.row.PricingModel},
		{name: "price", at: &l.row.Price, write: l.writePrice}, {name: "tiers", read: l.readTiers, write: l.writeTiers},
		{name: "quantityMin", at: &l.row.QuantityMin}, {name: "quantityMax", at: &l.row.QuantityMax},
	}
}

func (l *chargeLine) readTiers(value []byte) error {
	return readList(value, &l.row.Tiers, func(t *billing.Tier) []field {
		return []field{{name: "starts", at: &t.Starts}, {name: "price", at: &t.Price}}
	})
}

func (l *chargeLine) writePrice() any {
	if l.row.Price == nil {
		return nil
	}
	return l.row.Price.In(l.currency)
}

func (l *chargeLine) writeTiers() any {
	if len(l.row.Tiers) == 0 {
		return nil
	}
	type tier struct {
		Starts int    `json:"starts"`
		Price  string `json:"price"`
	}
	tiers := make([]tier, len(l.row.Tiers))
	for i, t := range l.row.Tiers {
		tiers[i] = tier{t.Starts, t.Price.In(l.currency)}
	}
	return tiers
}

type accountLine struct{ row billing.Account }

func (l *accountLine) names() []string { return []string{"code"} }
func (l *accountLine) key() []string   { return []string{text(l.row.Code)} }
func (l *accountLine) fields() []field {
	a := &l.row
	return []field{
		{name: "code", at: &a.Code}, {name: "name", at: &a.Name}, {name: "billingDay", at: &a.BillingDay}, {name: "timezone", at: &a.Timezone},
		{name: "currencyId", at: &a.CurrencyID},
		{name: "billingStreet", at: &a.BillingStreet}, {name: "billingCity", at: &a.BillingCity}, {name: "billingState", at: &a.BillingState},
		{name: "billingZip", at: &a.BillingZip}, {name: "billingCountry", at: &a.BillingCountry},
		{name: "shippingStreet", at: &a.ShippingStreet}, {name: "shippingCity", at: &a.ShippingCity}, {name: "shippingState", at: &a.ShippingState},
		{name: "shippingZip", at: &a.ShippingZip}, {name: "shippingCountry", at: &a.ShippingCountry},
		{name: "phone", at: &a.Phone}, {name: "fax", at: &a.Fax}, {name: "website", at: &a.Website}, {name: "description", at: &a.Description},
		{name: "taxNumber", at: &a.TaxNumber}, {name: "netPaymentDays", at: &a.NetPaymentDays}, {name: "accountTypeId", at: &a.AccountTypeID},
		{name: "addressValidated", at: &a.AddressValidated}, {name: "annualRevenue", at: &a.AnnualRevenue}, {name: "duns", at: &a.Duns},
		{name: "employees", at: &a.Employees}, {name: "entityUseCode", at: &a.EntityUseCode}, {name: "groupId", at: &a.GroupID},
		{name: "industryId", at: &a.IndustryID}, {name: "ownerUserId", at: &a.OwnerUserID},
	}
}

type contactLine struct {
	row     billing.Contact
	account string
	billing *bool
}

// A contact is told apart within its account by what it has: see
// service.ContactKey.
func (l *contactLine) names() []string { return []string{"account"} }
func (l *contactLine) key() []string   { return []string{l.account} }
func (l *contactLine) fields() []field {
	c := &l.row
	return []field{
		{name: "account", at: &l.account}, {name: "code", at: &c.Code}, {name: "firstName", at: &c.FirstName, nullable: true}, {name: "lastName", at: &c.LastName},
		{name: "email", at: &c.Email}, {name: "billing", at: &l.billing}, {name: "title", at: &c.Title}, {name: "salutation", at: &c.Salutation},
		{name: "phone", at: &c.Phone}, {name: "mobile", at: &c.Mobile}, {name: "mailingStreet", at: &c.MailingStreet},
		{name: "mailingCity", at: &c.MailingCity}, {name: "mailingState", at: &c.MailingState}, {name: "mailingZip", at: &c.MailingZip},
		{name: "mailingCountry", at: &c.MailingCountry},
	}
}

type tenantLine struct {
	row               billing.Tenant
	platform, account string
	sequence          *int
}

func (l *tenantLine) names() []string { return []string{"platform", "code"} }
func (l *tenantLine) key() []string   { return []string{l.platform, l.row.Code} }
func (l *tenantLine) fields() []field {
	t := &l.row
	return []field{
		{name: "platform", at: &l.platform}, {name: "code", at: &t.Code}, {name: "account", at: &l.account}, {name: "name", at: &t.Name},
		{name: "subdomain", at: &t.Subdomain}, {name: "lastLogin", at: &t.LastLogin}, {name: "userCount", at: &t.UserCount},
		{name: "utilizationMetrics", at: &t.UtilizationMetrics}, {name: "sequence", at: &l.sequence},
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
