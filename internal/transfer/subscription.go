package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// subscriptionLine is a subscription with codes in place of ids.
type subscriptionLine struct {
	code, account, priceList string
	tenant                   *string
	next                     *nextLine
	record                   subscription.Record
	lines                    []chargeOf
}

// nextLine is a scheduled change of price list, with the quantities that were
// given for it.
type nextLine struct {
	priceList  string
	on         billing.Date
	quantities []subscription.QuantityOrder
}

// chargeOf is a line of a subscription. What is nil is as the charge has it now.
type chargeOf struct {
	priceList *string
	charge    string
	// code is what the charge was called when the line was made, if not what it
	// is called now.
	code    *string
	name    *string
	feature *string
	price   *billing.Price
	// currency is that of a price that is written.
	currency string
	// currencyID is written if the price list was deleted.
	currencyID *string
	rate       *rate.Rate
	// noFeature and noPrice say that the line has none, whatever the charge has.
	noFeature, noPrice bool
	chargeType         *catalog.ChargeType
	quantity           *int
	start, end         *billing.Date
	keptTo             *billing.Date
	off                *bool // that the charge is not on the subscription then
	deleted            *deletedLine
}

// deletedLine keeps lines of what was deleted since apart from others: their
// numbers in the database that they came from.
type deletedLine struct {
	priceList, charge, feature *int64
}

func (l *subscriptionLine) names() []string { return []string{"code"} }
func (l *subscriptionLine) key() []string   { return []string{l.code} }
func (l *subscriptionLine) fields() []field {
	r := &l.record
	return []field{
		{name: "code", at: &l.code}, {name: "account", at: &l.account}, {name: "tenant", at: &l.tenant}, {name: "priceList", at: &l.priceList},
		{name: "state", at: &r.State}, {name: "evergreen", at: &r.Evergreen}, {name: "renewalTermMonths", at: &r.RenewalTermMonths},
		{name: "startDate", at: &r.StartDate}, {name: "endDate", at: &r.EndDate}, {name: "termStartDate", at: &r.TermStartDate},
		{name: "anchorDay", at: &r.AnchorDay}, {name: "epochs", read: readJSON("epochs", &r.Epochs), write: l.writeEpochs}, {name: "pauses", read: readJSON("pauses", &r.Pauses), write: l.writePauses},
		{name: "trialStartDate", at: &r.TrialStartDate}, {name: "trialEndDate", at: &r.TrialEndDate},
		{name: "trialExpirationAction", at: &r.TrialExpirationAction}, {name: "cancellationDate", at: &r.CancellationDate},
		{name: "unused", at: &r.Unused}, {name: "nextPriceList", read: l.readNext, write: l.writeNext}, {name: "asOf", at: &r.AsOf},
		{name: "poNumber", at: &r.PONumber}, {name: "separateInvoice", at: &r.SeparateInvoice}, {name: "billedThrough", at: &r.BilledThrough},
		{name: "quantities", read: readQuantities(&r.Quantities), write: func() any { return nil }},
		{name: "lines", read: l.readLines, write: l.writeLines},
	}
}

func (l *subscriptionLine) writeEpochs() any {
	if l.record.Epochs == nil {
		return nil
	}
	return l.record.Epochs
}

func (l *subscriptionLine) writePauses() any {
	if len(l.record.Pauses) == 0 {
		return nil
	}
	return l.record.Pauses
}

func (l *subscriptionLine) readNext(value []byte) error {
	l.next = nil
	if string(value) == "null" {
		return nil
	}
	next := &nextLine{}
	members, err := parseObject(value)
	if err != nil {
		return fmt.Errorf(`nextPriceList must be an object such as {"priceList":"pro-yearly","on":"2026-02-01"}`)
	}
	err = readFields(members, []field{
		{name: "priceList", at: &next.priceList}, {name: "on", at: &next.on},
		{name: "quantities", read: readQuantities(&next.quantities), write: func() any { return nil }},
	})
	if err == nil && next.on == (billing.Date{}) {
		err = billing.Fail(billing.Required, "on", "Give the day on which the price list changes.")
	}
	l.next = next
	return err
}

func (l *subscriptionLine) writeNext() any {
	if l.next == nil {
		return nil
	}
	var quantities map[string]*int
	for _, q := range l.next.quantities {
		if quantities == nil {
			quantities = map[string]*int{}
		}
		quantities[q.Code] = q.Quantity
	}
	return struct {
		PriceList  string          `json:"priceList"`
		On         billing.Date    `json:"on"`
		Quantities map[string]*int `json:"quantities,omitempty"`
	}{l.next.priceList, l.next.on, quantities}
}

// readQuantities reads quantities by the code of their charge or feature.
func readQuantities(into *[]subscription.QuantityOrder) func(value []byte) error {
	return func(value []byte) error {
		*into = nil
		if string(value) == "null" {
			return nil
		}
		members, err := parseObject(value)
		if err != nil {
			return fmt.Errorf(`quantities must be an object such as {"users":25}`)
		}
		for _, m := range members {
			order := subscription.QuantityOrder{Code: m.name}
			if err := (&field{name: m.name, at: &order.Quantity}).set(m.value); err != nil {
				return err
			}
			*into = append(*into, order)
		}
		return nil
	}
}

func (l *subscriptionLine) readLines(value []byte) error {
	return readList(value, &l.lines, (*chargeOf).fields)
}

func (l *subscriptionLine) writeLines() any {
	if l.lines == nil {
		return nil
	}
	return rawLines(l.lines)
}

func (c *chargeOf) fields() []field {
	return []field{
		{name: "priceList", at: &c.priceList}, {name: "charge", at: &c.charge}, {name: "code", at: &c.code}, {name: "name", at: &c.name},
		orNull("feature", &c.feature, &c.noFeature), {name: "type", at: &c.chargeType}, {name: "quantity", at: &c.quantity},
		c.priceField(), {name: "currencyId", at: &c.currencyID}, {name: "rate", read: c.readRate, write: c.writeRate},
		{name: "startDate", at: &c.start}, {name: "endDate", at: &c.end}, {name: "keptTo", at: &c.keptTo}, {name: "off", at: &c.off}, {name: "deleted", read: c.readDeleted, write: c.writeDeleted},
	}
}

// priceField writes a price with the digits of its currency.
func (c *chargeOf) priceField() field {
	f := orNull("price", &c.price, &c.noPrice)
	write := f.write
	f.write = func() any {
		if c.price != nil {
			return c.price.In(c.currency)
		}
		return write()
	}
	return f
}

// readJSON reads what exports write as it is kept.
func readJSON[T any](name string, into *T) func(value []byte) error {
	return func(value []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(value))
		if decoder.DisallowUnknownFields(); decoder.Decode(into) != nil {
			return fmt.Errorf("%s must be as exports write it", name)
		}
		return nil
	}
}

// readRate reads what the line was agreed to cost.
func (c *chargeOf) readRate(value []byte) error {
	if err := readJSON("rate", &c.rate)(value); err != nil || c.rate == nil {
		return err
	}
	return c.rate.Check()
}

func (c *chargeOf) writeRate() any {
	if c.rate == nil {
		return nil
	}
	return c.rate
}

// orNull is a field for which null means something else than nothing at all.
func orNull[T any](name string, at **T, none *bool) field {
	return field{
		name: name,
		read: func(value []byte) error {
			*none = string(value) == "null"
			return (&field{name: name, at: at}).set(value)
		},
		write: func() any {
			switch {
			case *at != nil:
				return *at
			case *none:
				return jsonNull{}
			}
			return nil
		},
	}
}

type jsonNull struct{}

func (jsonNull) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

func (c *chargeOf) readDeleted(value []byte) error {
	members, err := parseObject(value)
	if err != nil {
		return fmt.Errorf("deleted must be an object as exports write it")
	}
	d := &deletedLine{}
	c.deleted = d
	return readFields(members, []field{{name: "priceList", at: &d.priceList}, {name: "charge", at: &d.charge}, {name: "feature", at: &d.feature}})
}

func (c *chargeOf) writeDeleted() any {
	if c.deleted == nil {
		return nil
	}
	return struct {
		PriceList *int64 `json:"priceList,omitempty"`
		Charge    *int64 `json:"charge,omitempty"`
		Feature   *int64 `json:"feature,omitempty"`
	}{c.deleted.priceList, c.deleted.charge, c.deleted.feature}
}

// readList reads a list of objects.
func readList[T any](value []byte, into *[]T, fields func(*T) []field) error {
	*into = nil
	if string(value) == "null" {
		return nil
	}
	values, ok := parseList(value)
	if !ok {
		return fmt.Errorf("it must be a list of objects")
	}
	list := make([]T, len(values))
	var problems billing.Problems
	for i, one := range values {
		members, err := parseObject(one)
		if err == nil {
			err = readFields(members, fields(&list[i]))
		}
		if err != nil {
			found, known := billing.AsProblems(err)
			if !known {
				found = billing.Problems{billing.Fail(billing.Invalid, "", "%s", err)}
			}
			problems = append(problems, found.Within(strconv.Itoa(i))...)
		}
	}
	*into = list
	return problems.Err()
}

// rawLines writes lines as a list of objects.
type rawLines []chargeOf

// MarshalJSON writes them with the fields that they have.
func (l rawLines) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for i := range l {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := appendObject(&out, l[i].fields()); err != nil {
			return nil, err
		}
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}
