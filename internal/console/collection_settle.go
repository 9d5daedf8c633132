package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/ui"
)

// What a person found at the payment provider.
const (
	arrived    = "yes"
	notCharged = "no"
)

// collectionKind is what can be done with a collection.
var collectionKind documentKind[collect.Collection]

// Set here, because pages refer to each other.
func init() {
	collectionKind = documentKind[collect.Collection]{
		path: collectionList.Href, list: collectionList, find: findCollection, name: collectionName,
		href:    func(r *collect.Collection) string { return collectionHref(r.ID) },
		actions: []documentAction[collect.Collection]{settleCollection},
	}
}

// settleCollection records what a person found out about a charge that nobody answers for.
var settleCollection = documentAction[collect.Collection]{
	path: "settle", title: "Settle", allowed: (*collect.Collection).CanSettle, begin: emptyOrder[collect.Collection],
	about: "Look at the payment provider what has become of the charge, and say it here. Nothing is charged by this.",
	inputs: func(*call, *collect.Collection) ([]ui.Section[billingOrder], error) {
		return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
			foundInput(), // without a choice made beforehand: either one is wrong half of the time
			ui.Text("reference", "Name of the charge", func(o *billingOrder) *string { return &o.Reference }).Help("The payment provider's, such as pi_1, if the money has arrived."),
		}}}, nil
	},
	says: sentences(func(r *collect.Collection, o *billingOrder) []string {
		if o.Found == arrived {
			return []string{amountText(r.Amount, r.Currency) + " are recorded as a payment, and applied to what the collection is for."}
		}
		return []string{"The attempt is recorded as failed. What is due can be collected again, by the next step of dunning or by hand."}
	}),
	do: func(c *call, ctx context.Context, r *collect.Collection, o *billingOrder) (*invoicing.Outcome, error) {
		_, err := c.service.Invoicing.PaymentCollectionSettle(ctx, r.ID, o.Found == arrived, o.Reference)
		return nil, err
	},
	done: func(r *collect.Collection, _ *invoicing.Outcome) (string, string) {
		return collectionHref(r.ID), "Settled " + collectionName(r) + "."
	},
}

func foundInput() ui.Input[billingOrder] {
	in := ui.Choice("succeeded", "What you found", func(o *billingOrder) *string { return &o.Found },
		ui.Option{Text: "Choose one"}, ui.Option{Value: arrived, Text: "The money has arrived"}, ui.Option{Value: notCharged, Text: "Nothing was charged"}).Required()
	in.Set = func(o *billingOrder, typed string) *billing.Error {
		if typed != arrived && typed != notCharged {
			return billing.Fail(billing.Required, "succeeded", "Say what you found at the payment provider.")
		}
		o.Found = typed
		return nil
	}
	return in
}
