package console

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var priceListPages *resource[catalog.PriceList, billing.PriceListID]

// Set here, because pages refer to each other.
func init() {
	priceListPages = &resource[catalog.PriceList, billing.PriceListID]{
		path: "price-lists", one: "price list", many: "Price lists", Resource: catalogs.PriceLists,
		name:    func(l *catalog.PriceList) string { return l.Name },
		about:   "A price list sets the prices of a plan in one currency, for one length of term. A subscription is to a price list.",
		hint:    "yearly, plan:pro, currency:EUR",
		columns: []string{"Name", "Code", "Plan and product", "Price", "Term", "Trial"},
		cells:   priceListCells,
		fields:  catalog.PriceListFields, ownFacts: true, parent: "planId",
		fullName: listName,
		show:     showPriceList,
		inputs:   priceListInputs,
		begin: func(c *call) (catalog.PriceList, error) {
			l := catalog.PriceList{PlanID: queryID[billing.PlanID](c, "planId"), RenewalTermMonths: 1, IsVisible: true}
			newest, _, err := few(c, store.PriceLists, 1, nil)
			if len(newest) > 0 {
				l.CurrencyID = newest[0].CurrencyID
			}
			return l, err
		},
		create: func(c *call, ctx context.Context, edit func(*catalog.PriceList) error) (*catalog.PriceList, error) {
			return createPriceList(c, ctx, edit)
		},
		update: func(c *call, ctx context.Context, id billing.PriceListID, edit func(*catalog.PriceList) error) (*catalog.PriceList, error) {
			return c.service.Catalog.PriceListUpdate(ctx, id, edit)
		},
		losses: func(*call, *catalog.PriceList) (string, error) { return "Its charges are deleted with it.", nil },
	}
}

// soldBy are the plans of price lists, and the products of those.
type soldBy struct {
	plans    map[billing.PlanID]*catalog.Plan
	products map[billing.ProductID]*catalog.Product
}

func soldByOf(c *call, lists []catalog.PriceList) (of soldBy, err error) {
	if of.plans, err = byID(c, store.Plans, planPages.id, ids(lists, func(l *catalog.PriceList) billing.PlanID { return l.PlanID })); err != nil {
		return of, err
	}
	var owners []billing.ProductID
	for _, p := range of.plans {
		owners = append(owners, p.ProductID)
	}
	of.products, err = byID(c, store.Products, productPages.id, owners)
	return of, err
}

// under names the product of a plan below it.
func (of soldBy) under(name ui.Cell, p *catalog.Plan) ui.Cell {
	if product := of.products[p.ProductID]; product != nil {
		return name.WithSub(product.Name)
	}
	return name
}

// list is a price list with its plan and product.
func (of soldBy) list(l *catalog.PriceList) ui.Cell {
	p := of.plans[l.PlanID]
	if p == nil {
		return ui.Linked(l.Name, priceListPages.href(l.ID))
	}
	return of.under(ui.Linked(planAndList(p.Name, l.Name), priceListPages.href(l.ID)), p)
}

func priceListCells(c *call, rows []catalog.PriceList) ([][]ui.Cell, error) {
	sold, err := soldByOf(c, rows)
	if err != nil {
		return nil, err
	}
	prices, err := priceSentences(c, rows)
	if err != nil {
		return nil, err
	}
	return ui.RowsOf(rows, func(l *catalog.PriceList) []ui.Cell {
		plan := ui.Muted("plan " + ui.IDText(l.PlanID))
		if p := sold.plans[l.PlanID]; p != nil {
			plan = sold.under(ui.Linked(p.Name, planPages.href(p.ID)), p)
		}
		return []ui.Cell{ui.Linked(l.Name, priceListPages.href(l.ID)), ui.Code(l.Code), plan, ui.Sentence(prices[l.ID]), ui.Plain(ui.Plural(l.RenewalTermMonths, "month", "months")), trial(l)}
	}), nil
}

func trial(l *catalog.PriceList) ui.Cell {
	if !l.TrialAllowed || l.TrialLengthDays == nil {
		return ui.Muted("none")
	}
	return ui.Plain(ui.Plural(*l.TrialLengthDays, "day", "days"))
}

var trialActions = []ui.Option{{Value: string(catalog.TrialActivate), Text: "Continue as a paid term"}, {Value: string(catalog.TrialCancel), Text: "End"}}

func priceListInputs(c *call, l *catalog.PriceList, isNew bool) ([]ui.Section[catalog.PriceList], error) {
	owner, err := planInput(c, l.PlanID, isNew)
	if err != nil {
		return nil, err
	}
	price := ui.Unbound[catalog.PriceList]("price", "Price", ui.FieldText).Help("Of a term.")
	if !isNew {
		prices, err := priceSentences(c, []catalog.PriceList{*l})
		if err != nil {
			return nil, err
		}
		price = ui.Fixed[catalog.PriceList]("price", "Price", prices[l.ID]).Help("Its charges have it.")
	}
	sections := ui.Sections(catalog.PriceListFields, owner,
		ui.InputFor(catalog.PriceListFields, "code").Suggested("planId", "name"),
		ui.InputFor(catalog.PriceListFields, "trialAllowed").Wide(),
		ui.OptionalChoice("trialExpirationAction", "When a trial ends", "Continue as a paid term (default)",
			func(l *catalog.PriceList) **catalog.TrialExpirationAction { return &l.TrialExpirationAction }, trialActions...),
	)
	return withPrice(sections, price), nil
}

// withPrice puts the price behind the currency that it is in.
func withPrice(sections []ui.Section[catalog.PriceList], price ui.Input[catalog.PriceList]) []ui.Section[catalog.PriceList] {
	for n := range sections {
		if at := slices.IndexFunc(sections[n].Inputs, func(in ui.Input[catalog.PriceList]) bool { return in.Name == "currencyId" }); at >= 0 {
			sections[n].Inputs = slices.Insert(slices.Clone(sections[n].Inputs), at+1, price)
		}
	}
	return sections
}

// termPeriods are the billing periods that are as long as a term.
var termPeriods = map[int]catalog.BillingPeriod{1: catalog.Monthly, 3: catalog.Quarterly, 6: catalog.SemiAnnual, 12: catalog.Annual}

// createPriceList makes a price list, with a charge if the form has a price.
func createPriceList(c *call, ctx context.Context, edit func(*catalog.PriceList) error) (*catalog.PriceList, error) {
	typed := strings.TrimSpace(c.value("price"))
	if typed == "" {
		return c.service.Catalog.PriceListCreate(ctx, edit, nil)
	}
	var wanted catalog.PriceList
	problems := problemList{}
	problems.add(edit(&wanted))
	price, err := billing.ParsePrice(typed)
	if wrong, known := billing.AsProblems(err); known {
		problems.add(billing.Fail(billing.Invalid, "price", "%s", wrong[0].Message))
	}
	period, known := termPeriods[wanted.RenewalTermMonths]
	if !known {
		problems.add(billing.Fail(billing.Invalid, "price", "A price can be given here for terms of 1, 3, 6 and 12 months. Leave it empty, and add a charge to the price list."))
	}
	plan, err := store.Plans.Get(c.ctx(), c.q(), wanted.PlanID)
	if err != nil {
		return nil, err
	}
	if plan == nil { // which the operation says
		return c.service.Catalog.PriceListCreate(ctx, edit, nil)
	}
	if len(problems) > 0 {
		return nil, billing.Problems(problems)
	}
	return c.service.Catalog.PriceListCreate(ctx, edit, []catalog.ChargeEdit{{Edit: func(charge *catalog.Charge) error {
		charge.Code, charge.Name, charge.ChargeType, charge.BillingPeriod, charge.PricingModel, charge.Price = "base", plan.Name, catalog.Recurring, period, catalog.Flat, &price
		return nil
	}}})
}

func planInput(c *call, id billing.PlanID, isNew bool) (ui.Input[catalog.PriceList], error) {
	if !isNew {
		p, err := store.Plans.Get(c.ctx(), c.q(), id)
		if err != nil || p == nil {
			return ui.Fixed[catalog.PriceList]("planId", "Plan", ui.IDText(id)), err
		}
		return ui.Fixed[catalog.PriceList]("planId", "Plan", p.Name).Wide(), nil
	}
	plans, _, err := store.Plans.ListSorted(c.ctx(), c.q(), store.SortedPage{Limit: maxOptions})
	if err != nil {
		return ui.Input[catalog.PriceList]{}, err
	}
	products, err := byID(c, store.Products, productPages.id, ids(plans, func(p *catalog.Plan) billing.ProductID { return p.ProductID }))
	if err != nil {
		return ui.Input[catalog.PriceList]{}, err
	}
	options := make([]ui.Option, len(plans))
	for i, p := range plans {
		options[i] = ui.Option{Value: ui.IDText(p.ID), Text: p.Name}
		if product := products[p.ProductID]; product != nil {
			options[i].Text = product.Name + ": " + p.Name
		}
	}
	return ui.Reference("planId", "Plan", func(l *catalog.PriceList) *billing.PlanID { return &l.PlanID }, options).Required().Wide(), nil
}

func showPriceList(c *call, l *catalog.PriceList) (*ui.Details, error) {
	data := &ui.Details{}
	prices, err := priceSentences(c, []catalog.PriceList{*l})
	if err != nil {
		return nil, err
	}
	data.Fact("Price", ui.Sentence(prices[l.ID]))
	data.Fact("Code", ui.Code(l.Code))
	data.Fact("Currency", ui.Plain(l.CurrencyID))
	data.Fact("Tax", ui.Plain("is added to the prices"))
	if l.PricesIncludeTax {
		data.Facts[len(data.Facts)-1].Value.Text = "is included in the prices"
	}
	data.Fact("Term", ui.Plain(ui.Plural(l.RenewalTermMonths, "month", "months")))
	data.Fact("Trial", trial(l))
	if l.TrialAllowed && l.TrialExpirationAction != nil {
		data.Fact("When a trial ends", ui.Plain(ui.EnumText(*l.TrialExpirationAction)))
	}
	data.Fact("Visible", ui.YesNo(l.IsVisible))
	if c.may(billing.StandardWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "New subscription", Href: "/subscriptions/new?priceListId=" + strconv.FormatInt(int64(l.ID), 10)})
	}
	charges, err := related(c, chargePages, "Charges", "priceList", int64(l.ID), "priceListId")
	if err != nil {
		return nil, err
	}
	subs, err := subscriptionBlock(c, "priceList", int64(l.ID))
	if err != nil {
		return nil, err
	}
	data.Blocks = []ui.Block{charges, subs}
	planned, err := plannedBlock(c, l)
	if planned != nil {
		data.Blocks = append(data.Blocks, *planned)
	}
	return data, err
}

// plannedBlock is the first subscriptions that are to change to a price list, nil if there
// are none: they use it too, so that it cannot be deleted.
func plannedBlock(c *call, l *catalog.PriceList) (*ui.Block, error) {
	const most = 20
	planned, err := store.SubscriptionsPlannedFor(c.ctx(), c.q(), l.ID, most+1)
	if err != nil || len(planned) == 0 {
		return nil, err
	}
	b := &ui.Block{Title: "Subscriptions that are to change to it", Table: ui.Table{Columns: subscriptionColumns}}
	if len(planned) > most {
		planned, b.Note = planned[:most], "The first "+strconv.Itoa(most)+" of them."
	}
	rows, err := store.Subscriptions.ByIDs(c.ctx(), c.q(), ids(planned, func(p *store.PlannedFor) billing.SubscriptionID { return p.ID }))
	if err != nil {
		return nil, err
	}
	b.Table.Rows, err = subscriptionCells(c, rows)
	return b, err
}
