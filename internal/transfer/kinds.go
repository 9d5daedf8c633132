package transfer

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/webhook"
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
		return &platformLine{row: new(webhook.Platform)}
	case productKind:
		return &productLine{row: new(catalog.Product)}
	case featureKind:
		return &featureLine{row: new(catalog.Feature)}
	case planKind:
		return &planLine{row: new(catalog.Plan)}
	case planFeatureKind:
		return &planFeatureLine{row: new(catalog.PlanFeature)}
	case priceListKind:
		return &priceListLine{row: new(catalog.PriceList)}
	case chargeKind:
		return &chargeLine{row: new(catalog.Charge)}
	case accountKind:
		return &accountLine{row: new(billing.Account)}
	case contactKind:
		return &contactLine{row: new(billing.Contact)}
	case tenantKind:
		return &tenantLine{row: new(billing.Tenant)}
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

type platformLine struct{ row *webhook.Platform }

func (l *platformLine) names() []string { return []string{"code"} }
func (l *platformLine) key() []string   { return []string{l.row.Code} }
func (l *platformLine) fields() []field {
	// A plain signature needs a key, which is a secret.
	return described(webhook.PlatformFields, l.row, instead{"plainSignatureHeader": {}, "plainSignatureAlgorithm": {}})
}

type productLine struct {
	row      *catalog.Product
	platform *string
}

func (l *productLine) names() []string { return []string{"code"} }
func (l *productLine) key() []string   { return []string{l.row.Code} }
func (l *productLine) fields() []field {
	return described(catalog.ProductFields, l.row, instead{"platformId": {name: "platform", at: &l.platform}})
}

type featureLine struct {
	row     *catalog.Feature
	product string
}

func (l *featureLine) names() []string { return []string{"product", "code"} }
func (l *featureLine) key() []string   { return []string{l.product, l.row.Code} }
func (l *featureLine) fields() []field {
	return described(catalog.FeatureFields, l.row, instead{"productId": {name: "product", at: &l.product}})
}

type planLine struct {
	row     *catalog.Plan
	product string
}

func (l *planLine) names() []string { return []string{"product", "code"} }
func (l *planLine) key() []string   { return []string{l.product, text(l.row.Code)} }
func (l *planLine) fields() []field {
	return described(catalog.PlanFields, l.row, instead{"productId": {name: "product", at: &l.product}})
}

type planFeatureLine struct {
	row                    *catalog.PlanFeature
	product, plan, feature string
}

func (l *planFeatureLine) names() []string { return []string{"product", "plan", "feature"} }
func (l *planFeatureLine) key() []string   { return []string{l.product, l.plan, l.feature} }
func (l *planFeatureLine) fields() []field {
	return described(catalog.PlanFeatureFields, l.row, instead{"planId": {name: "plan", at: &l.plan}, "featureId": {name: "feature", at: &l.feature}},
		field{name: "product", at: &l.product})
}

type priceListLine struct {
	row           *catalog.PriceList
	product, plan string
}

func (l *priceListLine) names() []string { return []string{"code"} }
func (l *priceListLine) key() []string   { return []string{l.row.Code} }
func (l *priceListLine) fields() []field {
	return described(catalog.PriceListFields, l.row, instead{"planId": {name: "plan", at: &l.plan}}, field{name: "product", at: &l.product})
}

type chargeLine struct {
	row       *catalog.Charge
	priceList string
	feature   *string
	currency  string // of the prices that are written
}

func (l *chargeLine) names() []string { return []string{"priceList", "code"} }
func (l *chargeLine) key() []string   { return []string{l.priceList, l.row.Code} }
func (l *chargeLine) fields() []field {
	return described(catalog.ChargeFields, l.row, instead{
		"priceListId": {name: "priceList", at: &l.priceList}, "featureId": {name: "feature", at: &l.feature},
		"price": {name: "price", at: &l.row.Price, write: l.writePrice},
	}, field{name: "tiers", read: l.readTiers, write: l.writeTiers})
}

func (l *chargeLine) readTiers(value []byte) error {
	return readList(value, &l.row.Tiers, func(t *catalog.Tier) []field {
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

type accountLine struct{ row *billing.Account }

func (l *accountLine) names() []string { return []string{"code"} }
func (l *accountLine) key() []string   { return []string{text(l.row.Code)} }
func (l *accountLine) fields() []field {
	return described(billing.AccountFields, l.row, nil)
}

type contactLine struct {
	row     *billing.Contact
	account string
	billing *bool
}

// A contact is told apart within its account by what it has: see
// customers.ContactKey.
func (l *contactLine) names() []string { return []string{"account"} }
func (l *contactLine) key() []string   { return []string{l.account} }
func (l *contactLine) fields() []field {
	return described(billing.ContactFields, l.row, instead{"accountId": {name: "account", at: &l.account}}, field{name: "billing", at: &l.billing})
}

type tenantLine struct {
	row               *billing.Tenant
	platform, account string
	sequence          *int
}

func (l *tenantLine) names() []string { return []string{"platform", "code"} }
func (l *tenantLine) key() []string   { return []string{l.platform, l.row.Code} }
func (l *tenantLine) fields() []field {
	return described(billing.TenantFields, l.row, instead{
		"platformId": {name: "platform", at: &l.platform}, "accountId": {name: "account", at: &l.account},
	}, field{name: "sequence", at: &l.sequence})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
