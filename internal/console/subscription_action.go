package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// order is what somebody wants done with a subscription, as far as it was
// typed.
type order struct {
	When       string // "now", "end" for the end of the term, or "day"
	Day        string
	Quantities map[string]string // by the code of their charge
	PriceList  billing.PriceListID
	Renew      string
	TenantCode string
	TenantName string
	Months     int
	EndDate    string
	TrialEnds  catalog.TrialExpirationAction
	Term       subscription.TermChange
	Scheduled  subscription.Scheduled
	Unused     subscription.UnusedDays
	// PONumber and SeparateInvoice say how it appears on invoices.
	PONumber        string
	SeparateInvoice bool
	// AtOnce says that the account is billed with the change.
	AtOnce bool
	// sent are the quantities that the operation got; problems name their
	// places.
	sent []subscription.QuantityOrder
}

// subscriptionAction is something that can be done with a subscription. Each is
// a form, then a preview of the webhooks, then the deed.
type subscriptionAction struct {
	name, title string
	about       string
	quiet       bool
	allowed     func(*subscription.Subscription) bool
	begin       func(*subscription.Subscription) order
	// billable says that its account can be billed with it.
	billable bool
	inputs   func(c *call, s *subscription.Subscription) ([]ui.Section[order], error)
	do       func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error)
}

func open(s *subscription.Subscription) bool    { return !s.State.Ended() }
func inTrial(s *subscription.Subscription) bool { return s.State == subscription.StateTrial }

func noOrder(*subscription.Subscription) order { return order{} }

var subscriptionActions = []subscriptionAction{
	{
		name: "quantities", billable: true, title: "Change quantities", allowed: open, inputs: quantityInputs, do: changeQuantities,
		about: "From today on, from a later day of the term, or from the next term.",
		begin: func(*subscription.Subscription) order { return order{When: whenNow} },
	},
	{
		name: "plan", billable: true, title: "Change plan", allowed: open, inputs: planChangeInputs, do: changePlan,
		about: "To another price list of the same product.",
		begin: func(*subscription.Subscription) order { return order{When: whenNow} },
	},
	{
		name: "extend-trial", title: "Extend trial", allowed: inTrial,
		about: "The paid term starts the day after the trial.",
		begin: func(s *subscription.Subscription) order { return order{Day: s.TrialEndDate.String()} },
		inputs: func(*call, *subscription.Subscription) ([]ui.Section[order], error) {
			return []ui.Section[order]{{Inputs: []ui.Input[order]{dayInput("trialEndDate", "Last day of the trial").Required()}}}, nil
		},
		do: func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
			end, err := readDay("trialEndDate", o.Day)
			if err != nil {
				return nil, err
			}
			if end == nil {
				return nil, billing.Fail(billing.Required, "trialEndDate", "Enter the last day of the trial.")
			}
			return c.service.Subscriptions.SubscriptionTrialExtend(ctx, s.ID, *end)
		},
	},
	{
		name: "convert-trial", billable: true, title: "Convert trial", allowed: inTrial, inputs: convertInputs, do: convertTrial,
		about: "The trial ends, and the paid term starts today.",
		begin: func(s *subscription.Subscription) order { return order{PriceList: s.PriceListID} },
	},
	{
		name: "renewal", title: "Renewal and term", allowed: open, inputs: renewalInputs,
		about: "What happens at the end of the term, and when that is.",
		begin: func(s *subscription.Subscription) order {
			o := order{Renew: "no", Months: s.RenewalTermMonths, EndDate: s.EndDate.String()}
			if s.Evergreen {
				o.Renew = "yes"
			}
			if s.TrialExpirationAction != nil {
				o.TrialEnds = *s.TrialExpirationAction
			}
			return o
		},
		do: changeRenewal,
	},
	invoicingAction,
	{
		name: "tenant", title: "Move to another tenant", allowed: open, quiet: true,
		about: "To a tenant of the same account and platform. If the code is new, the tenant is created. Both tenants are notified.",
		begin: noOrder,
		inputs: func(*call, *subscription.Subscription) ([]ui.Section[order], error) {
			return []ui.Section[order]{{Inputs: []ui.Input[order]{
				ui.Text("code", "Tenant code", func(o *order) *string { return &o.TenantCode }).Required(),
				ui.Text("name", "Tenant name", func(o *order) *string { return &o.TenantName }).Help("For a new tenant. If empty, its code."),
			}}}, nil
		},
		do: func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
			if o.TenantCode == "" {
				return nil, billing.Fail(billing.Required, "code", "Give the code of a tenant.")
			}
			return c.service.Subscriptions.SubscriptionTenantUpdate(ctx, s.ID, subscriptions.TenantRef{Code: o.TenantCode, Name: &o.TenantName})
		},
	},
	{
		name: "reinstate", billable: true, title: "Reinstate", begin: noOrder,
		about:   "It starts a new term.", // what is only scheduled is taken back where it is shown
		allowed: func(s *subscription.Subscription) bool { return s.State.Ended() },
		inputs: func(*call, *subscription.Subscription) ([]ui.Section[order], error) {
			return []ui.Section[order]{{Inputs: []ui.Input[order]{dayInput("effectiveDate", "From").Help("If empty, today. It can be an earlier day of the old term.")}}}, nil
		},
		do: func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
			from, err := readDay("effectiveDate", o.Day)
			if err != nil {
				return nil, err
			}
			return first(c.service.Subscriptions.SubscriptionReinstate(ctx, []billing.SubscriptionID{s.ID}, from))
		},
	},
	{
		name: "cancel", billable: true, title: "End subscription", quiet: true,
		about:   "Its features end with it. It can be reinstated later.",
		allowed: func(s *subscription.Subscription) bool { return open(s) && s.CancellationDate == nil },
		begin:   func(*subscription.Subscription) order { return order{When: "end"} },
		inputs: func(_ *call, s *subscription.Subscription) ([]ui.Section[order], error) {
			return []ui.Section[order]{{Inputs: []ui.Input[order]{
				whenInput("When the term ends (last day "+ui.DayText(s.LastTermDay())+")", ui.Option{Value: "now", Text: "Today, at once"}, ui.Option{Value: "day", Text: "On a day of the term"}),
				dayInput("cancellationDate", "First day without it").Help("If you chose “On a day of the term”."),
				unusedInput(),
			}}}, nil
		},
		do: func(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
			on, err := readDay("cancellationDate", o.Day)
			if err != nil {
				return nil, err
			}
			switch byDay := o.When == "day"; {
			case byDay && on == nil:
				return nil, billing.Fail(billing.Required, "cancellationDate", "Enter the first day without the subscription.")
			case !byDay && on != nil:
				return nil, billing.Fail(billing.Invalid, "cancellationDate", "Choose “On a day of the term” for this day to count, or empty it.")
			}
			return first(c.service.Subscriptions.SubscriptionCancel(ctx, []billing.SubscriptionID{s.ID}, subscription.Cancellation{On: on, AtTermEnd: o.When == "end", Unused: o.Unused}))
		},
	},
}

// whenInput chooses between the end of the term and other moments.
func whenInput(end string, others ...ui.Option) ui.Input[order] {
	return ui.Choice("when", "When", func(o *order) *string { return &o.When }, append([]ui.Option{{Value: "end", Text: end}}, others...)...)
}

func dayInput(name, label string) ui.Input[order] {
	return ui.Text(name, label, func(o *order) *string { return &o.Day }).Kind(ui.FieldDate)
}

// readDay reads a day that may be missing.
func readDay(field, typed string) (*billing.Date, error) {
	if typed = strings.TrimSpace(typed); typed == "" {
		return nil, nil
	}
	d, err := billing.ParseDate(typed)
	if problems, known := billing.AsProblems(err); known {
		return nil, billing.Fail(billing.Invalid, field, "%s", problems[0].Message)
	}
	return &d, err
}

// problemList collects what is wrong with a form, so that all of it is told at
// once.
type problemList billing.Problems

// add adds the problems that an error tells.
func (l *problemList) add(err error) {
	if found, known := billing.AsProblems(err); known {
		*l = append(*l, found...)
	}
}

// day reads a day that may be missing.
func (l *problemList) day(field, typed string) *billing.Date {
	d, err := readDay(field, typed)
	l.add(err)
	return d
}

// first is the only one of some that were changed.
func first(changed []subscription.Subscription, err error) (*subscription.Subscription, error) {
	if err != nil {
		return nil, err
	}
	return &changed[0], nil
}

// priceListOptions are the price lists of a product's plans, but for one.
func priceListOptions(c *call, product billing.ProductID, but billing.PriceListID) ([]ui.Option, error) {
	plans, err := store.PlansOf(c.ctx(), c.q(), []billing.ProductID{product}, billing.Filter{})
	if err != nil {
		return nil, err
	}
	names := map[billing.PlanID]string{}
	for _, p := range plans {
		names[p.ID] = p.Name
	}
	lists, err := store.PriceListsOf(c.ctx(), c.q(), ids(plans, planPages.id), billing.Filter{})
	if err != nil {
		return nil, err
	}
	var options []ui.Option
	for _, l := range lists {
		if l.ID != but {
			options = append(options, ui.Option{Value: ui.IDText(l.ID), Text: planAndList(names[l.PlanID], l.Name) + " (" + l.Code + ")"})
		}
	}
	return options, nil
}

func renewalInputs(_ *call, s *subscription.Subscription) ([]ui.Section[order], error) {
	inputs := []ui.Input[order]{
		ui.Choice("evergreen", "At the end of the term", func(o *order) *string { return &o.Renew }, ui.Option{Value: "yes", Text: "Renew"}, ui.Option{Value: "no", Text: "Expire"}),
		ui.Int("renewalTermMonths", "Months in a term", func(o *order) *int { return &o.Months }),
		ui.Text("endDate", "Last day of the term", func(o *order) *string { return &o.EndDate }).Kind(ui.FieldDate),
	}
	if s.TrialEndDate != nil && (s.State == subscription.StateTrial || s.State == subscription.StatePending) {
		inputs = append(inputs, ui.Choice("trialExpirationAction", "When the trial ends", func(o *order) *catalog.TrialExpirationAction { return &o.TrialEnds }, trialActions...))
	}
	return []ui.Section[order]{{Inputs: inputs}}, nil
}

func changeRenewal(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
	end, err := readDay("endDate", o.EndDate)
	if err != nil {
		return nil, err
	}
	renew := o.Renew == "yes"
	update := subscription.Update{Evergreen: &renew, RenewalTermMonths: &o.Months}
	if end != nil && *end != s.EndDate {
		update.EndDate = end
	}
	if o.TrialEnds != "" && (s.TrialExpirationAction == nil || *s.TrialExpirationAction != o.TrialEnds) {
		update.TrialExpirationAction = &o.TrialEnds
	}
	return c.service.Subscriptions.SubscriptionUpdate(ctx, s.ID, update)
}
