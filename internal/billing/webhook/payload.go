package webhook

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// EventType is the type of the one event there is.
const EventType = "TenantProvisioningChange"

// ProvisioningState is all that a webhook tells about a tenant.
type ProvisioningState struct {
	Tenant   billing.Tenant
	Platform Platform
	Account  billing.Account
	Contacts []billing.Contact
	// Subscriptions of the tenant, in any state.
	Subscriptions []ProvisioningSubscription
}

// ProvisioningSubscription is a subscription with the names around it and the
// features it gives.
type ProvisioningSubscription struct {
	subscription.Subscription
	Plan      catalog.Plan
	PriceList catalog.PriceList
	Product   catalog.Product
	Features  []subscription.ProvisionedFeature
}

// Features is what must be enabled on the tenant now.
func (p *ProvisioningState) Features() []subscription.ProvisionedFeature {
	subscriptions := slices.Clone(p.Subscriptions)
	slices.SortFunc(subscriptions, func(a, b ProvisioningSubscription) int { return cmp.Compare(a.ID, b.ID) })
	var all [][]subscription.ProvisionedFeature
	for _, s := range subscriptions {
		if s.State.Live() {
			all = append(all, s.Features)
		}
	}
	return subscription.MergeFeatures(all)
}

// told are the subscriptions that a webhook lists: of each product those that
// are not over, or if there is none the one that ended last.
func (p *ProvisioningState) told() []ProvisioningSubscription {
	open := map[billing.ProductID]bool{}
	last := map[billing.ProductID]*ProvisioningSubscription{}
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		if !s.State.Ended() {
			open[s.ProductID] = true
		} else if l := last[s.ProductID]; l == nil || endedAfter(s, l) {
			last[s.ProductID] = s
		}
	}
	var told []ProvisioningSubscription
	for i := range p.Subscriptions {
		s := &p.Subscriptions[i]
		if !s.State.Ended() || !open[s.ProductID] && last[s.ProductID] == s {
			told = append(told, *s)
		}
	}
	slices.SortFunc(told, func(a, b ProvisioningSubscription) int { return cmp.Compare(a.ID, b.ID) })
	return told
}

// endedAfter compares the days on which two subscriptions were over; of two
// that ended on one day, the younger counts as the last.
func endedAfter(a, b *ProvisioningSubscription) bool {
	aEnd, _ := a.EndedOn()
	bEnd, _ := b.EndedOn()
	return cmp.Or(aEnd.Compare(bEnd), cmp.Compare(a.ID, b.ID)) > 0
}

// Body is the webhook as it is sent: compact JSON that a receiver can parse
// and print again without changing a byte, in the order of the documentation.
func (p *ProvisioningState) Body() []byte {
	w := &bodyWriter{}
	w.raw(`{"type":`).text(EventType).raw(`,"payload":{"tenant":{"id":`).number(int64(p.Tenant.ID))
	w.raw(`,"code":`).text(p.Tenant.Code).raw(`,"name":`).text(p.Tenant.Name)
	w.raw(`,"platform":{"id":`).number(int64(p.Platform.ID)).raw(`,"code":`).text(p.Platform.Code).raw(`,"name":`).text(p.Platform.Name)
	w.raw(`},"account":{"id":`).number(int64(p.Account.ID)).raw(`,"name":`).text(p.Account.Name)
	w.raw(`,"billing_day":`).number(int64(p.Account.BillingDay)).raw(`,"contacts":[`)
	for i, c := range p.Contacts {
		w.comma(i).raw(`{"id":`).number(int64(c.ID)).raw(`,"first_name":`).text(c.FirstName)
		w.raw(`,"last_name":`).optional(c.LastName).raw(`,"email":`).optional(c.Email).raw(`}`)
	}
	w.raw(`]}},"change":{"features":`).features(p.Features()).raw(`,"subscriptions":[`)
	for i, s := range p.told() {
		w.comma(i).subscription(&s)
	}
	return w.raw(`]}}}`).body
}

// FeaturesJSON is the list of features as it is in the body.
func FeaturesJSON(list []subscription.ProvisionedFeature) []byte {
	return (&bodyWriter{}).features(list).body
}

// AppendText appends a text as it is in the body.
func AppendText(b []byte, text string) []byte { return (&bodyWriter{b}).text(text).body }

// bodyWriter writes JSON exactly as JavaScript's JSON.stringify would: no
// escapes but those that are needed.
type bodyWriter struct{ body []byte }

func (w *bodyWriter) raw(s string) *bodyWriter {
	w.body = append(w.body, s...)
	return w
}

func (w *bodyWriter) comma(i int) *bodyWriter {
	if i > 0 {
		w.body = append(w.body, ',')
	}
	return w
}

func (w *bodyWriter) number(n int64) *bodyWriter {
	w.body = strconv.AppendInt(w.body, n, 10)
	return w
}

// optional writes a missing text as an empty one.
func (w *bodyWriter) optional(s *string) *bodyWriter {
	if s == nil {
		return w.raw(`""`)
	}
	return w.text(*s)
}

func (w *bodyWriter) date(d *billing.Date) *bodyWriter {
	if d == nil {
		return w.raw("null")
	}
	return w.text(d.String())
}

func (w *bodyWriter) features(list []subscription.ProvisionedFeature) *bodyWriter {
	w.raw(`[`)
	for i, f := range list {
		w.comma(i).raw(`{"code":`).text(f.Code).raw(`,"name":`).text(f.Name).raw(`,"value":`).text(f.Value).raw(`,"quantity":`)
		if f.Quantity == nil {
			w.raw(`null}`)
		} else {
			w.number(int64(*f.Quantity)).raw(`}`)
		}
	}
	return w.raw(`]`)
}

func (w *bodyWriter) subscription(s *ProvisioningSubscription) {
	w.raw(`{"id":`).number(int64(s.ID)).raw(`,"state":`).text(s.WireState())
	w.raw(`,"start_date":`).date(&s.StartDate).raw(`,"end_date":`).date(&s.EndDate)
	w.raw(`,"trial_start_date":`).date(s.TrialStartDate).raw(`,"trial_end_date":`).date(s.TrialEndDate)
	w.raw(`,"plan":{"code":`)
	if s.Plan.Code == nil {
		w.raw(`null`)
	} else {
		w.text(*s.Plan.Code)
	}
	w.raw(`,"name":`).text(s.Plan.Name)
	w.raw(`},"price_list":{"code":`).text(s.PriceList.Code).raw(`,"name":`).text(s.PriceList.Name)
	w.raw(`},"product":{"code":`).text(s.Product.Code).raw(`,"name":`).text(s.Product.Name)
	w.raw(`},"features":`).features(s.Features).raw(`}`)
}

const hexDigits = "0123456789abcdef"

func (w *bodyWriter) text(s string) *bodyWriter {
	w.body = append(w.body, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.body = append(w.body, '\\', byte(r))
		case r >= ' ':
			w.body = utf8.AppendRune(w.body, r)
		default:
			w.control(byte(r))
		}
	}
	w.body = append(w.body, '"')
	return w
}

func (w *bodyWriter) control(c byte) {
	switch c {
	case '\b':
		w.raw(`\b`)
	case '\f':
		w.raw(`\f`)
	case '\n':
		w.raw(`\n`)
	case '\r':
		w.raw(`\r`)
	case '\t':
		w.raw(`\t`)
	default:
		w.body = append(w.body, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
