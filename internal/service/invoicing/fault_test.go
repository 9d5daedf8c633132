package invoicing_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// crowdSize is how many accounts are due while processes are killed.
const crowdSize = 2000

// crowd makes so many accounts that each have to be billed 50.00 and tax now: the
// first by what a customer does, and copies of it.
func (o *office) crowd(size int) {
	o.T.Helper()
	first := o.customer("first")
	sub := o.Subscribe("pro-monthly", "first", servicetest.WithSeats(5), servicetest.WithoutTenant)
	o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
		var accounts []*billing.Account
		var subs []*subscription.Subscription
		for n := range size - 1 {
			a := *first
			a.ID, a.Code, a.Name = 0, nil, fmt.Sprintf("customer %d", n)
			accounts = append(accounts, &a)
		}
		if err := store.Accounts.InsertAll(ctx, tx, accounts); err != nil {
			return err
		}
		for _, a := range accounts {
			s := *sub
			s.ID, s.AccountID = 0, a.ID
			subs = append(subs, &s)
		}
		return store.Subscriptions.InsertAll(ctx, tx, subs)
	}))
}

// billedOnce checks that everybody of the crowd was billed, once, with numbers
// without gap, and that everything can be computed again.
func (o *office) billedOnce(size int) {
	o.T.Helper()
	have := o.QueryText(`SELECT count(*) || ' of ' || count(DISTINCT account_id) || ', ' || count(DISTINCT number) || ' ' || min(number) || ' ' || max(number) || ' ' || min(amount) || ' ' || max(amount) FROM invoice`)
	o.Equal("the invoices", have, fmt.Sprintf("%d of %d, %d INV-2026-000001 INV-2026-%06d 5950 5950", size, size, size, size))
	o.Equal("what the ledger has", o.QueryText(`SELECT count(*) || ' ' || count(DISTINCT subscription_id) || ' ' || CAST(SUM(net) AS BIGINT) FROM ledger_key`), fmt.Sprintf("%d %d %d", size, size, size*5000))
	o.numbersWithoutGap()
	o.soundDocuments()
	v, err := o.Invoicing.DocumentsVerify(o.Ctx, nil, nil, nil)
	o.OK(err)
	o.Equal("what is wrong", v.Findings, []string(nil))
	o.Equal("verified documents and subscriptions", [2]int{v.Documents, v.Subscriptions}, [2]int{size, size})
}

// TestKilledAroundBilling kills processes again and again while many accounts are
// due. A batch is there as a whole or not at all.
func TestKilledAroundBilling(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		o := openOffice(w)
		o.crowd(crowdSize)
		for _, batches := range []int{0, 1, 2, 5, 9} {
			p := servicetest.Start(t, servicetest.Biller, o.DB.URL)
			p.Await(batches)
			p.Kill()
			o.numbersWithoutGap()
		}
		if left := o.QueryText(`SELECT count(*) FROM subscription WHERE bill_on = '2026-01-15'`); left == "0" {
			t.Error("nothing is left to be billed")
		}
		o.run()
		o.billedOnce(crowdSize)
	})
}

// TestThreeReplicasNumberWithoutGap lets three processes bill at once, of which one
// is killed.
func TestThreeReplicasNumberWithoutGap(t *testing.T) {
	t.Parallel()
	o := openOffice(servicetest.NewWorld(t, storetest.New(t, "postgres")))
	o.crowd(crowdSize)
	victim := servicetest.Start(t, servicetest.Biller, o.DB.URL)
	var group sync.WaitGroup
	var batches [2]int
	for n := range batches {
		p := servicetest.Start(t, servicetest.Biller, o.DB.URL)
		defer p.Kill()
		group.Go(func() { batches[n] = p.AwaitAll() })
	}
	victim.Await(3)
	victim.Kill()
	group.Wait()
	o.billedOnce(crowdSize)
	if batches[0] == 0 || batches[1] == 0 {
		t.Errorf("the work was not shared: %v", batches)
	}
}

// eightInvoices bills an account for eight subscriptions, one by one.
func (o *office) eightInvoices() {
	o.T.Helper()
	o.customer("acme")
	for n := range 8 {
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5), servicetest.InTenant(fmt.Sprint("tenant-", n)))
		o.run()
	}
}

// twiceAtOnce lets two processes do something to each of eight invoices at the same
// time: one of them is refused.
func (o *office) twiceAtOnce(refusal string, do func(w *servicetest.World, n int, id billing.InvoiceID) error) {
	o.T.Helper()
	other := servicetest.Join(o.T, o.DB)
	for id := billing.InvoiceID(1); id <= 8; id++ {
		var errs [2]error
		var group sync.WaitGroup
		for n, w := range []*servicetest.World{o.World, other} {
			group.Go(func() { errs[n] = do(w, n, id) })
		}
		group.Wait()
		if errs[0] == nil {
			errs[0], errs[1] = errs[1], errs[0]
		}
		o.OK(errs[1])
		o.Refused("the second", errs[0], refusal)
	}
}

// TestVoidTwiceAtOnce lets two processes void an invoice at the same time.
func TestVoidTwiceAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.eightInvoices()
		o.twiceAtOnce("NOT_ALLOWED", func(w *servicetest.World, n int, id billing.InvoiceID) error {
			_, err := w.Invoicing.InvoiceVoid(w.Ctx, id, "wrong", n == 0)
			return err
		})
		o.Equal("credit notes", o.QueryText(`SELECT count(*) || ' of ' || count(DISTINCT invoice_id) FROM credit_note_item`), "8 of 8")
		o.run()
		o.numbersWithoutGap()
		o.soundDocuments()
	})
}

// TestCreditTwiceAtOnce lets two processes credit more than half of an invoice at the
// same time: that is more than is left for one of them.
func TestCreditTwiceAtOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.eightInvoices()
		o.twiceAtOnce("NOT_ALLOWED amount", func(w *servicetest.World, _ int, id billing.InvoiceID) error {
			_, err := w.Invoicing.InvoiceCredit(w.Ctx, id, []invoicing.CreditPart{{InvoiceItemID: billing.InvoiceItemID(id), Amount: "30.00"}}, "goodwill")
			return err
		})
		o.Equal("what was credited", o.QueryText(`SELECT count(*) || ' of ' || count(DISTINCT invoice_id) || ': ' || sum(amount) FROM credit_note_item`), "8 of 8: 24000")
		o.Equal("what was forgiven", o.QueryText(`SELECT sum(forgiven) FROM ledger_key`), "24000")
		o.run()
		o.soundDocuments()
	})
}

// TestBillingPassesBusyAccounts bills everybody but an account that somebody else
// has, and that one as soon as it is free.
func TestBillingPassesBusyAccounts(t *testing.T) {
	t.Parallel()
	o := openOffice(servicetest.NewWorld(t, storetest.New(t, "postgres")))
	for _, name := range []string{"one", "busy", "three"} {
		o.customer(name)
		o.Subscribe("pro-monthly", name, servicetest.WithSeats(5))
	}
	busy := servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), "busy"))
	locked, release, done := make(chan bool), make(chan bool), make(chan error)
	go func() {
		done <- o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := store.LockAccounts(ctx, tx, []billing.AccountID{busy.ID})
			close(locked)
			<-release
			return err
		})
	}()
	<-locked
	o.expect("the others", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50; INV-2026-000002 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	close(release)
	o.OK(<-done)
	o.expect("the busy one", "INV-2026-000003 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	o.verify()
}

// TestBillingSurvivesBrokenAccount breaks accounts in every way in which data can be
// broken. They are set aside with a message, the others are billed, and so are they
// once they are mended.
func TestBillingSurvivesBrokenAccount(t *testing.T) {
	eachOffice(t, func(o *office) {
		change := func(id billing.SubscriptionID, edit func(*subscription.Line)) {
			o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
				s, err := store.Subscriptions.Lock(ctx, tx, id)
				if err != nil {
					return err
				}
				edit(&s.Charges[0])
				return store.Subscriptions.Update(ctx, tx, s)
			}))
		}
		breaks := []struct {
			name, problem string
			edit          func(*subscription.Line)
		}{
			{"rate", "rate", func(l *subscription.Line) { l.Rate = nil }},
			{"currency", "rate", func(l *subscription.Line) { l.CurrencyID = "XXX" }},
			{"amount", "amount", func(l *subscription.Line) { l.Rate.Price = servicetest.Price("999999999999") }},
			{"period", "SOMETIMES", func(l *subscription.Line) { l.Rate.BillingPeriod = "SOMETIMES" }},
		}
		good := map[string]subscription.Line{}
		subs := map[string]*subscription.Subscription{}
		for _, b := range breaks {
			o.customer(b.name)
			subs[b.name] = o.Subscribe("pro-monthly", b.name, servicetest.WithSeats(500))
			good[b.name] = subs[b.name].Charges[0]
			change(subs[b.name].ID, func(l *subscription.Line) {
				agreed := *l.Rate
				l.Rate = &agreed
				b.edit(l)
			})
		}
		o.customer("lines")
		subs["lines"] = o.Subscribe("pro-monthly", "lines", servicetest.WithSeats(500))
		o.Damage(`UPDATE subscription SET charges = '"broken"' WHERE id = $1`, int64(subs["lines"].ID))
		o.customer("epochs")
		subs["epochs"] = o.Subscribe("pro-monthly", "epochs", servicetest.WithSeats(500))
		o.Damage(`UPDATE subscription SET epochs = '[{}]' WHERE id = $1`, int64(subs["epochs"].ID))
		o.customer("good")
		o.Subscribe("pro-monthly", "good", servicetest.WithSeats(5))
		for range breaks {
			_, _, _ = o.Invoicing.RunDue(o.Ctx, o.Clock.Now()) // it says who was set aside
		}
		o.expect("the good one", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
		for _, b := range breaks {
			a := servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), b.name))
			if a.BillingProblem == nil || !strings.Contains(*a.BillingProblem, b.problem) {
				t.Errorf("the problem of %s is %q", b.name, *cmp.Or(a.BillingProblem, new(string)))
			} else {
				t.Logf("%s: %s", b.name, *a.BillingProblem)
			}
			line := good[b.name]
			change(subs[b.name].ID, func(l *subscription.Line) { *l = line })
			o.seats(subs[b.name], 7)
		}
		a := servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), "lines"))
		if a.BillingProblem == nil || !strings.Contains(*a.BillingProblem, "was left out") {
			t.Errorf("the problem of damaged lines is %v", a.BillingProblem)
		}
		a = servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), "epochs"))
		if a.BillingProblem == nil || !strings.Contains(*a.BillingProblem, "no anchor of terms that it had") {
			t.Errorf("the problem of damaged epochs is %v", a.BillingProblem)
		}
		o.run()
		o.Equal("mended and billed", o.QueryText(`SELECT count(*) || ' ' || min(amount) || ' ' || max(amount) FROM invoice WHERE id > 1`), "4 8330 8330")
		o.Equal("problems that are left", o.QueryText(`SELECT count(*) FROM account WHERE billing_problem IS NOT NULL AND code NOT IN ('lines', 'epochs')`), "0")
		o.numbersWithoutGap()
		o.soundDocuments()
	})
}

// TestPanicIsTheProblemOfItsAccount panics while an account is billed.
func TestPanicIsTheProblemOfItsAccount(t *testing.T) {
	var none []subscription.Line
	err := invoicing.Checked(func() error { return fmt.Errorf("line %d", none[len(none)].ID) })
	if err == nil || !strings.Contains(err.Error(), "its data are broken: runtime error: index out of range") || !strings.Contains(err.Error(), "fault_test.go:") {
		t.Errorf("the problem is %v", err)
	}
}
