package invoicing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// storyCustomers is how many customers there are in a story.
const storyCustomers = 6

// TestTwoYearsOfChangesAgainstTheOracle takes customers through two years of random
// changes in two worlds: one is billed every day, the other now and then. Both bill
// what the reference model says, the same for every key, and the first bills on
// each day what a preview said that it would.
//
// TENANTRY_SEED tells another story.
func TestTwoYearsOfChangesAgainstTheOracle(t *testing.T) {
	seed := uint64(16)
	if text := os.Getenv("TENANTRY_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	servicetest.Each(t, func(w *servicetest.World) {
		s := &story{
			t: w.T, daily: openOffice(w), leaps: openOffice(servicetest.NewWorld(w.T, storetest.New(w.T, w.DB.Engine))),
			rnd: rand.New(rand.NewPCG(seed, 1)), picks: rand.New(rand.NewPCG(seed, 2)), today: servicetest.Day("2026-01-15"),
			forgiven: forgiveness{}, foretold: map[billing.AccountID]string{}, seen: map[billing.AccountID][2]int{},
		}
		w.T.Cleanup(func() {
			if w.T.Failed() {
				w.T.Logf("seed %d:\n%s", seed, strings.Join(s.told, "\n"))
			}
		})
		s.begin()
		s.tell()
		s.settle()
		for _, o := range s.offices() {
			o.verify()
			o.numbersWithoutGap()
			o.soundExplanations()
			o.creditEverything()
			o.verify()
		}
	})
}

// story is what happens in both worlds.
type story struct {
	t            *testing.T
	daily, leaps *office
	// rnd decides what happens in both worlds, picks what differs.
	rnd, picks *rand.Rand
	today      billing.Date
	lists      []string
	accounts   []billing.AccountID
	subs       []billing.SubscriptionID
	forgiven   forgiveness
	// foretold is what a preview said of the next documents of an account in the
	// daily world, and seen how many of them have been looked at.
	foretold map[billing.AccountID]string
	seen     map[billing.AccountID][2]int
	told     []string
}

func (s *story) offices() []*office { return []*office{s.daily, s.leaps} }

func (s *story) note(format string, args ...any) {
	s.told = append(s.told, s.today.String()+" "+fmt.Sprintf(format, args...))
}

// both does something in both worlds, and the outcome must be the same.
func (s *story) both(what string, do func(context.Context, *office) error) bool {
	s.t.Helper()
	first, second := do(s.daily.Ctx, s.daily), do(s.leaps.Ctx, s.leaps)
	for _, err := range []error{first, second} {
		if !servicetest.IsOutcome(err) {
			s.note("%s", what)
			s.t.Fatalf("%s on %s: %v", what, s.today, err)
		}
	}
	if fmt.Sprint(first) != fmt.Sprint(second) {
		s.note("%s", what)
		s.t.Fatalf("%s on %s:\nin one world %v\nin the other %v", what, s.today, first, second)
	}
	if first == nil {
		s.note("%s", what)
	}
	return first == nil
}

// begin opens the same shop in both worlds.
func (s *story) begin() {
	for _, o := range s.offices() {
		s.lists = o.storyLists()
	}
	for n := range storyCustomers {
		countries := []string{"DE", "DE", "AT", "US"}
		country, day, collection, exempt := countries[s.rnd.IntN(len(countries))], 1+s.rnd.IntN(31), billing.CollectAsDue, s.rnd.IntN(4) == 0
		if s.rnd.IntN(3) == 0 {
			collection = billing.CollectOnBillingDay
		}
		for _, o := range s.offices() {
			a := o.customer(fmt.Sprintf("customer-%d", n), func(a *billing.Account) {
				a.BillingCountry, a.BillingDay, a.Collection, a.TaxExempt = &country, day, collection, exempt
			})
			if o == s.daily {
				s.accounts = append(s.accounts, a.ID)
			}
		}
		s.note("customer %d of %s, billing day %d, %s, exempt %v", n, country, day, collection, exempt)
	}
}

// storyLists have every pricing model, timing and period, in currencies of 0, 2 and 3
// digits, with and without tax.
func (o *office) storyLists() []string {
	o.T.Helper()
	tiers := []catalog.Tier{{Starts: 1, Price: "3.33"}, {Starts: 6, Price: "2.5"}, {Starts: 21, Price: "1.01"}}
	charge := func(code string, feature bool, edit func(*catalog.Charge)) catalog.ChargeEdit {
		e := catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
			c.Code, c.Name = code, code
			edit(c)
			return nil
		}}
		if feature {
			e.FeatureCode = new("users")
		}
		return e
	}
	seats := func(model catalog.PricingModel, period catalog.BillingPeriod, timing catalog.BillingTiming) catalog.ChargeEdit {
		return charge("seats", true, func(c *catalog.Charge) {
			c.QuantityMin, c.QuantityMax = new(1), new(500)
			if c.PricingModel, c.BillingPeriod, c.BillingTiming = model, period, &timing; model == catalog.Flat {
				c.Price = servicetest.Price("9.99")
			} else {
				c.Tiers = tiers
			}
		})
	}
	fee := func(price string, period catalog.BillingPeriod, timing catalog.BillingTiming) catalog.ChargeEdit {
		return charge("fee", false, func(c *catalog.Charge) {
			c.Price, c.BillingPeriod, c.BillingTiming = servicetest.Price(price), period, &timing
		})
	}
	setup := charge("setup", false, func(c *catalog.Charge) {
		c.Price, c.ChargeType, c.BillingPeriod = servicetest.Price("19.9"), catalog.OneTime, catalog.Once
	})
	var codes []string
	add := func(code, currency string, plan billing.PlanID, months, trial int, charges ...catalog.ChargeEdit) {
		list := o.AddPriceList(plan, code, months, trial, charges...)
		_, err := o.Catalog.PriceListUpdate(o.Ctx, list.ID, func(l *catalog.PriceList) error {
			l.CurrencyID, l.PricesIncludeTax = currency, code == "bands-year"
			return nil
		})
		o.OK(err)
		o.Lists[code], codes = list, append(codes, code)
	}
	add("flat-month", "EUR", o.Basic.ID, 1, 14, seats(catalog.Flat, catalog.Monthly, catalog.InAdvance), fee("100.01", catalog.Quarterly, catalog.InAdvance), setup)
	add("tiers-month", "JPY", o.Pro.ID, 1, 14, seats(catalog.Tiered, catalog.Monthly, catalog.InArrears), fee("1234", catalog.Annual, catalog.InAdvance))
	add("volume-quarter", "KWD", o.Pro.ID, 3, 0, seats(catalog.Volume, catalog.Quarterly, catalog.InAdvance), fee("7.777", catalog.Monthly, catalog.InArrears), setup)
	add("bands-year", "EUR", o.Basic.ID, 12, 30, seats(catalog.Bands, catalog.Annual, catalog.InAdvance), fee("33.33", catalog.Monthly, catalog.InAdvance))
	return codes
}

// tell lets two years pass.
func (s *story) tell() {
	for day := servicetest.Day("2026-01-15"); day.Before(servicetest.Day("2028-01-15")); day = day.AddDays(1) {
		s.today = day
		for _, o := range s.offices() {
			o.at(day.String())
		}
		s.daily.run()
		s.compareForetold()
		s.leaps.RunDue() // what is due on subscriptions, at the prices of the day
		if s.rnd.IntN(30) == 0 {
			s.leaps.run()
		}
		if s.rnd.IntN(4) == 0 {
			s.act()
		}
		if s.rnd.IntN(45) == 0 {
			s.settle()
			s.byHand()
		}
		if s.t.Failed() {
			s.t.FailNow()
		}
	}
}

// act does something to a subscription, or makes one.
func (s *story) act() {
	if len(s.subs) < storyCustomers || s.rnd.IntN(25) == 0 {
		s.subscribe()
		return
	}
	n := s.rnd.IntN(len(s.subs))
	id := s.subs[n]
	sub, err := store.Subscriptions.Get(s.daily.Ctx, s.daily.Read(), id)
	s.daily.OK(err)
	what, do := s.action(id, sub.AccountID)
	if s.rnd.IntN(3) == 0 && !strings.HasPrefix(what, "the ") {
		s.foretellChange(sub.AccountID, what, do)
		return
	}
	s.both(what, do)
	s.daily.run()
	for _, account := range s.accounts {
		if account == sub.AccountID || strings.HasPrefix(what, "the price") {
			s.foretell(account) // a new price counts for changes of plan to come
		}
	}
}

func (s *story) subscribe() {
	account, list, quantity := s.rnd.IntN(storyCustomers), s.lists[s.rnd.IntN(len(s.lists))], 1+s.rnd.IntN(30)
	trial, evergreen, back := s.rnd.IntN(3) == 0, s.rnd.IntN(5) > 0, s.rnd.IntN(60)
	if len(s.subs) < storyCustomers {
		account = len(s.subs)
	}
	name := fmt.Sprintf("customer-%d", account)
	s.both(fmt.Sprintf("%s subscribes to %d of %s, trial %v, evergreen %v, %d days back", name, quantity, list, trial, evergreen, back), func(ctx context.Context, o *office) error {
		order := o.Order(list, name, servicetest.WithSeats(quantity), servicetest.InTenant(fmt.Sprintf("tenant-%d", len(s.subs))))
		order.Draft.Evergreen = evergreen
		if trial && o.Lists[list].RenewalTermMonths != 3 {
			order.Draft.Trial = true
		} else if start := s.today.AddDays(-back); back < 20 {
			order.Draft.StartDate = &start
		}
		sub, err := o.Subscriptions.SubscriptionCreate(ctx, order)
		if err == nil && o == s.leaps {
			s.subs = append(s.subs, sub.ID)
		}
		return err
	})
	s.daily.run()
	s.foretell(s.accounts[account])
}

// action is something random that can be done to a subscription, or to its account
// or price. Much of it is refused.
func (s *story) action(id billing.SubscriptionID, account billing.AccountID) (string, func(context.Context, *office) error) {
	unused := []subscription.UnusedDays{credit, keep}[s.rnd.IntN(2)]
	quantity, list, later, atEnd := 1+s.rnd.IntN(30), s.lists[s.rnd.IntN(len(s.lists))], s.today.AddDays(s.rnd.IntN(40)), s.rnd.IntN(2) == 0
	earlier := s.today.AddDays(-s.rnd.IntN(20))
	ids := []billing.SubscriptionID{id}
	switch s.rnd.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("%d: quantity %d, %s", id, quantity, unused), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionQuantityUpdate(ctx, id, subscription.QuantityUpdate{Orders: servicetest.Seats(quantity), Unused: unused}))
		}
	case 3:
		return fmt.Sprintf("%d: quantity %d from %s on, %s", id, quantity, later, unused), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionQuantityUpdate(ctx, id, subscription.QuantityUpdate{Orders: servicetest.Seats(quantity), StartDate: &later, Unused: unused}))
		}
	case 4, 5:
		term := []subscription.TermChange{"", subscription.KeepTerm, subscription.RestartTerm}[s.rnd.IntN(3)]
		return fmt.Sprintf("%d: plan %s, term %q", id, list, term), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionPlanChange(ctx, id, servicetest.ByCode(list), subscription.PlanUpdate{Term: term}))
		}
	case 6:
		return fmt.Sprintf("%d: plan %s at term end", id, list), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionPlanChange(ctx, id, servicetest.ByCode(list), subscription.PlanUpdate{AtTermEnd: true}))
		}
	case 7:
		c := subscription.Cancellation{Unused: unused, AtTermEnd: atEnd}
		if !atEnd && s.rnd.IntN(2) == 0 {
			c.On = &later
		}
		return fmt.Sprintf("%d: cancel on %v, at term end %v, %s", id, c.On, c.AtTermEnd, unused), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionCancel(ctx, ids, c))
		}
	case 8, 9:
		var from *billing.Date
		if atEnd {
			from = &earlier
		}
		return fmt.Sprintf("%d: reinstate from %v", id, from), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionReinstate(ctx, ids, from))
		}
	case 10:
		if atEnd {
			return fmt.Sprintf("%d: convert the trial", id), func(ctx context.Context, o *office) error {
				return servicetest.ErrorOf(o.Subscriptions.SubscriptionTrialConvert(ctx, id, subscriptions.PriceListRef{}, nil))
			}
		}
		return fmt.Sprintf("%d: extend the trial to %s", id, later), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Subscriptions.SubscriptionTrialExtend(ctx, id, later))
		}
	case 11:
		day, collection := 1+s.rnd.IntN(31), []billing.Collection{billing.CollectAsDue, billing.CollectOnBillingDay}[s.rnd.IntN(2)]
		return fmt.Sprintf("the billing day of account %d becomes %d, %s", account, day, collection), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Customers.AccountUpdate(ctx, account, func(a *billing.Account) error { a.BillingDay, a.Collection = day, collection; return nil }, nil))
		}
	case 12:
		currency := []string{"EUR", "JPY", "KWD"}[s.rnd.IntN(3)]
		return fmt.Sprintf("the account %d gets an item of %d %s for %s", account, quantity, currency, later), func(ctx context.Context, o *office) error {
			return servicetest.ErrorOf(o.Invoicing.InvoiceItemCreate(ctx, account, func(in *invoicing.PendingAttributes) error {
				in.LineText, in.Price, in.CurrencyID, in.On = "By hand", strconv.Itoa(quantity), currency, later
				return nil
			}))
		}
	}
	price := fmt.Sprintf("%d.%02d", 5+s.rnd.IntN(10), s.rnd.IntN(100))
	return "the price of flat-month becomes " + price, func(ctx context.Context, o *office) error {
		return servicetest.ErrorOf(o.Catalog.ChargeUpdate(ctx, o.ChargeOf("flat-month", "seats").ID, catalog.ChargeEdit{FeatureCode: new("users"), Edit: func(c *catalog.Charge) error {
			c.Price = servicetest.Price(price)
			return nil
		}}))
	}
}

// settle bills everything that is due in both worlds: it is what the reference model
// says, the same for each key.
func (s *story) settle() {
	s.t.Helper()
	var nets []map[store.LedgerRef]money.Amount
	for _, o := range s.offices() {
		o.run()
		for _, id := range s.accounts {
			_, err := o.Invoicing.AccountInvoice(o.Ctx, id, nil)
			o.OK(err)
		}
		nets = append(nets, o.againstOracle(s.today, s.forgiven))
		o.soundDocuments()
		o.verify()
	}
	for ref, net := range nets[0] {
		if other, same := nets[1][ref]; same && other != net {
			s.t.Errorf("%+v: %d in one world, %d in the other", ref, net, other)
		}
	}
	s.note("everything is billed")
	for _, id := range s.accounts {
		s.foretell(id)
	}
}

// byHand credits, voids, writes off and pays, when both worlds have billed the same.
func (s *story) byHand() {
	switch s.rnd.IntN(5) {
	case 0:
		s.forgive()
	case 3:
		for _, o := range s.offices() { // what is owed stays the same
			s.writeOff(o)
		}
	case 1:
		for _, o := range s.offices() { // billed again, it is the same
			s.void(o)
		}
	case 2:
		account, amount, currency := s.accounts[s.rnd.IntN(len(s.accounts))], 1+s.rnd.IntN(300), []string{"EUR", "JPY", "KWD"}[s.rnd.IntN(3)]
		s.both(fmt.Sprintf("account %d pays %d %s", account, amount, currency), func(ctx context.Context, o *office) error {
			c, err := money.CurrencyOf(currency)
			o.OK(err)
			return servicetest.ErrorOf(o.Invoicing.PaymentCreate(ctx, invoicing.PaymentAttributes{AccountID: account, Amount: c.Format(money.Amount(amount * 10)), CurrencyID: currency}))
		})
	default:
		s.giveAll()
	}
	s.daily.run()
	for _, id := range s.accounts {
		s.foretell(id)
	}
}

// items are those of which something is left, by key, the newest last.
func (s *story) items(o *office) map[store.LedgerRef][]*document.Item {
	found := map[store.LedgerRef][]*document.Item{}
	for _, id := range s.subs {
		items, err := store.ItemsOfSubscription(o.Ctx, o.Read(), id)
		o.OK(err)
		slices.SortFunc(items, func(a, b document.Item) int { return int(a.ID - b.ID) })
		for n := range items {
			if key, counted := items[n].Key(); counted && items[n].Left() > 0 {
				ref := store.LedgerRef{SubscriptionID: id, Key: key}
				found[ref] = append(found[ref], &items[n])
			}
		}
	}
	return found
}

func sortedRefs(all map[store.LedgerRef][]*document.Item) []store.LedgerRef {
	var refs []store.LedgerRef
	for ref := range all {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b store.LedgerRef) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return refs
}

// forgive credits a part of the newest item of a key.
func (s *story) forgive() {
	all := [2]map[store.LedgerRef][]*document.Item{s.items(s.daily), s.items(s.leaps)}
	givenUp := func(o *office, items []*document.Item) bool {
		i, err := store.Invoices.Get(o.Ctx, o.Read(), items[len(items)-1].InvoiceID)
		o.OK(err)
		return i.WrittenOff
	}
	refs := slices.DeleteFunc(sortedRefs(all[0]), func(ref store.LedgerRef) bool {
		return len(all[1][ref]) == 0 || givenUp(s.daily, all[0][ref]) || givenUp(s.leaps, all[1][ref])
	})
	if len(refs) == 0 {
		return
	}
	ref := refs[s.rnd.IntN(len(refs))]
	newest := func(world int) *document.Item { return all[world][ref][len(all[world][ref])-1] }
	amount := 1 + money.Amount(s.rnd.Int64N(int64(min(newest(0).Left(), newest(1).Left()))))
	done := s.both(fmt.Sprintf("%+v: %d is forgiven", ref, amount), func(ctx context.Context, o *office) error {
		item := newest(0)
		if o == s.leaps {
			item = newest(1)
		}
		i, err := store.Invoices.Get(ctx, o.Read(), item.InvoiceID)
		o.OK(err)
		return servicetest.ErrorOf(o.Invoicing.InvoiceCredit(ctx, i.ID, []invoicing.CreditPart{{InvoiceItemID: item.ID, Amount: i.Currency.Format(amount)}}, "goodwill"))
	})
	if done {
		s.forgiven[ref] += amount
	}
}

// void voids an invoice so that it is billed again.
func (s *story) void(o *office) {
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	if len(invoices) == 0 {
		return
	}
	i := &invoices[s.picks.IntN(len(invoices))]
	_, err = o.Invoicing.InvoiceVoid(o.Ctx, i.ID, "wrong", true)
	if !servicetest.IsOutcome(err) {
		s.t.Fatal(err)
	}
	s.note("void %s and bill it again: %v", i.Number, err)
}

// writeOff gives up what is due of an invoice.
func (s *story) writeOff(o *office) {
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	if len(invoices) == 0 {
		return
	}
	i := &invoices[s.picks.IntN(len(invoices))]
	_, err = o.Invoicing.InvoiceWriteOff(o.Ctx, i.ID, "never paid", s.picks.IntN(2) == 0, true)
	if !servicetest.IsOutcome(err) {
		s.t.Fatal(err)
	}
	s.note("write off %s: %v", i.Number, err)
}

// giveAll voids an invoice that is the same in both worlds, for good.
func (s *story) giveAll() {
	type voidable struct {
		invoice billing.InvoiceID
		refs    map[store.LedgerRef]money.Amount
	}
	find := func(o *office) map[string]voidable {
		byInvoice := map[billing.InvoiceID]voidable{}
		shared := map[billing.InvoiceID]bool{}
		for ref, items := range s.items(o) {
			for _, item := range items {
				if byInvoice[item.InvoiceID].refs == nil {
					byInvoice[item.InvoiceID] = voidable{item.InvoiceID, map[store.LedgerRef]money.Amount{}}
				}
				byInvoice[item.InvoiceID].refs[ref] = item.Left()
				shared[item.InvoiceID] = shared[item.InvoiceID] || len(items) > 1
			}
		}
		found := map[string]voidable{}
		for id, v := range byInvoice {
			i, err := store.Invoices.Get(o.Ctx, o.Read(), id)
			o.OK(err)
			if state := i.State(s.today); !shared[id] && i.AmountPaid == 0 && (state == document.NotDue || state == document.Due) {
				found[fmt.Sprint(v.refs)] = v
			}
		}
		return found
	}
	in := [2]map[string]voidable{find(s.daily), find(s.leaps)}
	var same []string
	for text := range in[0] {
		if _, there := in[1][text]; there {
			same = append(same, text)
		}
	}
	if len(same) == 0 {
		return
	}
	slices.Sort(same)
	text := same[s.rnd.IntN(len(same))]
	done := s.both("void for good "+text, func(ctx context.Context, o *office) error {
		v := in[0][text]
		if o == s.leaps {
			v = in[1][text]
		}
		return servicetest.ErrorOf(o.Invoicing.InvoiceVoid(ctx, v.invoice, "a gift", false))
	})
	if done {
		for ref, left := range in[0][text].refs {
			s.forgiven[ref] += left
		}
	}
}

// foretell remembers what a preview says of the next documents of an account.
func (s *story) foretell(account billing.AccountID) {
	s.t.Helper()
	p, err := s.daily.Invoicing.InvoicePreview(s.daily.Ctx, account, nil)
	s.daily.OK(err)
	s.foretold[account] = previewText(p)
	s.fresh(account)
}

// foretellChange previews a change that is billed at once, does it, and compares.
func (s *story) foretellChange(account billing.AccountID, what string, do func(context.Context, *office) error) {
	s.t.Helper()
	s.daily.run()
	s.fresh(account)
	p, err := s.daily.Invoicing.PreviewChange(s.daily.Ctx, account, true, func(ctx context.Context) error { return do(ctx, s.daily) })
	done := s.both(what+", billed at once", func(ctx context.Context, o *office) error {
		if o == s.daily {
			ctx, _ = subscriptions.InvoicedAtOnce(ctx)
		}
		return do(ctx, o)
	})
	if done != (err == nil) {
		s.t.Errorf("the preview of %s on %s: %v", what, s.today, err)
	}
	if err == nil {
		if have, want := s.fresh(account), previewText(p.Now); have != want {
			s.t.Errorf("%s on %s:\nthe preview says %s\nand billed is    %s", what, s.today, want, have)
		}
	}
	s.foretell(account)
}

// compareForetold compares what was billed today with what a preview said.
func (s *story) compareForetold() {
	s.t.Helper()
	for _, account := range s.accounts {
		want := s.foretold[account]
		if !strings.HasPrefix(want, s.today.String()) {
			want = ""
		}
		have := s.fresh(account)
		if have != want {
			s.t.Errorf("account %d on %s:\nthe preview says %s\nand billed is    %s", account, s.today, s.foretold[account], have)
		}
		if have != "" {
			s.foretell(account)
		}
	}
}

func previewText(p *invoicing.Preview) string {
	if p == nil {
		return ""
	}
	return documentsText(p.On, p.Invoices, p.CreditNotes)
}

// documentsText are documents of a day without their numbers, "" if there are none.
func documentsText(on billing.Date, invoices []*document.Invoice, notes []document.CreditNote) string {
	var parts []string
	for _, i := range invoices {
		unnumbered := *i
		unnumbered.Number = ""
		parts = append(parts, describe(&unnumbered)+" "+i.Currency.Code+" by "+i.DueAt.String())
	}
	for n := range notes {
		c := &notes[n]
		parts = append(parts, fmt.Sprintf("credit %s+%s %s", c.Currency.Format(c.Subtotal), c.Currency.Format(c.TaxAmount), c.Currency.Code))
	}
	if len(parts) == 0 {
		return ""
	}
	return on.String() + " " + strings.Join(parts, "; ")
}

// fresh are the documents of an account in the daily world that have not been looked
// at.
func (s *story) fresh(account billing.AccountID) string {
	s.t.Helper()
	seen := s.seen[account]
	invoices, notes := s.daily.since(account, &seen)
	s.seen[account] = seen
	return documentsText(s.today, invoices, notes)
}

// since are the documents of an account after those that were seen.
func (o *office) since(account billing.AccountID, seen *[2]int) (mine []*document.Invoice, credits []document.CreditNote) {
	o.T.Helper()
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{After: int64(seen[0]), Limit: 10_000})
	o.OK(err)
	o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
	notes, err := store.CreditNotes.List(o.Ctx, o.Read(), store.Page{After: int64(seen[1]), Limit: 10_000})
	o.OK(err)
	for n := range invoices {
		if seen[0] = int(invoices[n].ID); invoices[n].AccountID == account {
			mine = append(mine, &invoices[n])
		}
	}
	for n := range notes {
		if seen[1] = int(notes[n].ID); notes[n].AccountID == account {
			credits = append(credits, notes[n])
		}
	}
	return mine, credits
}
