package invoicing

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/payment/test"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentMethodCreate adds a payment method to an account, by the name that its provider
// has for it. From now on the account's invoices are collected with it, at once if they
// are overdue.
func (s *Service) PaymentMethodCreate(ctx context.Context, account billing.AccountID, provider collect.Provider, token string) (*collect.Method, error) {
	token = strings.TrimSpace(token)
	seen, err := s.see(ctx, provider, token)
	if err != nil {
		return nil, err
	}
	return s.addMethod(ctx, account, provider, token, seen, "")
}

// see reads what people may know of a payment method from its provider. This is before
// any transaction.
func (s *Service) see(ctx context.Context, provider collect.Provider, token string) (payment.Method, error) {
	if token == "" {
		return payment.Method{}, billing.Fail(billing.Required, "token", "A payment method needs the token by which its provider knows it.")
	}
	switch provider {
	case collect.Test:
		if err := test.CheckToken(token); err != nil {
			return payment.Method{}, billing.Fail(billing.Invalid, "token", "There is no test payment method %q. Use one such as %s.", billing.Excerpt(token), test.Tokens)
		}
		year, month := test.Expires(token)
		return payment.Method{Kind: payment.Test, Last4: token, ExpiresYear: year, ExpiresMonth: month}, nil
	case collect.Stripe:
		saver, ok := s.Payments.Providers[provider].(payment.Saver)
		if !ok {
			return payment.Method{}, notSetUp(provider)
		}
		seen, err := saver.Method(ctx, token)
		if err != nil {
			return seen, billing.Fail(billing.Invalid, "token", "Stripe does not know this payment method: %s.", err)
		}
		return seen, nil
	}
	return payment.Method{}, billing.Fail(billing.Invalid, "provider", "Payment methods are of STRIPE or TEST, not %q. Accounts without one pay by transfer.", provider)
}

func notSetUp(provider collect.Provider) *billing.Error {
	return billing.Fail(billing.NotAllowed, "provider", "The payment provider %s is not set up on this server. Set TENANTRY_STRIPE_KEY, as the page about collecting says.", provider)
}

func (s *Service) addMethod(ctx context.Context, account billing.AccountID, provider collect.Provider, token string, seen payment.Method, mandate string) (*collect.Method, error) {
	added, clock, err := s.changeMethods(ctx, account, func(ctx context.Context, tx *store.Tx, a *billing.Account) (*collect.Method, error) {
		switch {
		case a.TestClockID != nil && provider != collect.Test:
			return nil, billing.Fail(billing.NotAllowed, "provider", "The account is on a test clock, so its payment methods are of TEST.")
		case a.TestClockID == nil && provider == collect.Test && !s.Payments.AllowTest:
			return nil, billing.Fail(billing.NotAllowed, "provider", "Test payment methods move no money. Only accounts on test clocks have them, unless the server is started with --test-payments.")
		}
		hash := secret.Hash(token)
		known, err := store.PaymentMethodsOf(ctx, tx.Queries, []billing.AccountID{a.ID})
		if err != nil {
			return nil, err
		}
		m := &collect.Method{AccountID: a.ID, Provider: provider, TokenHash: hash, TokenSealed: s.box.Seal(purposeToken, []byte(token))}
		for n := range known {
			if known[n].TokenHash == hash && known[n].Provider == provider {
				m = &known[n] // it was added before
			}
		}
		m.Renew(seen.Brand, seen.Last4, collect.ExpiresOn(seen.ExpiresYear, seen.ExpiresMonth))
		m.Kind, m.Mandate, m.State = collect.Kind(seen.Kind), mandate, collect.Active
		if m.ID == 0 {
			err = store.PaymentMethods.Insert(ctx, tx, m)
		} else {
			err = store.PaymentMethods.Update(ctx, tx, m)
		}
		if err != nil {
			return nil, err
		}
		return m, s.use(ctx, tx, a, m, "paymentMethodCreate")
	})
	return added, s.collectNow(ctx, clock, err)
}

// PaymentMethodMakeDefault has the invoices of an account collected with one of its
// payment methods from now on.
func (s *Service) PaymentMethodMakeDefault(ctx context.Context, id billing.PaymentMethodID) (*collect.Method, error) {
	m, clock, err := s.changeMethod(ctx, id, func(ctx context.Context, tx *store.Tx, a *billing.Account, m *collect.Method) error {
		if m.State != collect.Active {
			return billing.Fail(billing.NotAllowed, "id", "The payment method was removed. Add it again, or another one.")
		}
		return s.use(ctx, tx, a, m, "paymentMethodMakeDefault")
	})
	return m, s.collectNow(ctx, clock, err)
}

// PaymentMethodDelete removes a payment method: nothing is charged with it any more. It
// is kept for the record of what was.
func (s *Service) PaymentMethodDelete(ctx context.Context, id billing.PaymentMethodID) (*collect.Method, error) {
	m, _, err := s.changeMethod(ctx, id, func(ctx context.Context, tx *store.Tx, a *billing.Account, m *collect.Method) error {
		return removeMethod(ctx, tx, a, m)
	})
	return m, err
}

func removeMethod(ctx context.Context, tx *store.Tx, a *billing.Account, m *collect.Method) error {
	m.State = collect.Removed
	if err := store.PaymentMethods.Update(ctx, tx, m); err != nil {
		return err
	}
	if a.PaymentMethodID != nil && *a.PaymentMethodID == m.ID {
		if err := store.SetPaymentMethod(ctx, tx, a.ID, nil); err != nil {
			return err
		}
		if err := collectAgain(ctx, tx, a); err != nil { // who pays by themselves is reminded
			return err
		}
	}
	return auditMethod(ctx, tx, "paymentMethodDelete", m)
}

// use makes a payment method that of its account, and has unpaid invoices looked at.
func (s *Service) use(ctx context.Context, tx *store.Tx, a *billing.Account, m *collect.Method, action string) error {
	if err := store.SetPaymentMethod(ctx, tx, a.ID, &m.ID); err != nil {
		return err
	}
	if err := collectAgain(ctx, tx, a); err != nil {
		return err
	}
	return auditMethod(ctx, tx, action, m)
}

// collectAgain has the unpaid invoices of an account looked at, because they can be
// collected now.
func collectAgain(ctx context.Context, tx *store.Tx, a *billing.Account) error {
	sellers, err := loadSellers(ctx, tx.Queries)
	if err != nil || len(sellers.Policies) == 0 {
		return err
	}
	cal, err := calendar.In(ctx, tx, a.TestClockID)
	if err != nil {
		return err
	}
	return store.DunAgain(ctx, tx, &a.ID, cal.Today.AddDays(-1))
}

func auditMethod(ctx context.Context, tx *store.Tx, action string, m *collect.Method) error {
	return operation.Audit(ctx, tx, action, "account", int64(m.AccountID), billing.Changes(map[string]any{}, map[string]any{"paymentMethod": m.Words()}))
}

// changeMethods changes the payment methods of an account, which is locked.
func (s *Service) changeMethods(ctx context.Context, id billing.AccountID, do func(context.Context, *store.Tx, *billing.Account) (*collect.Method, error)) (*collect.Method, *billing.TestClockID, error) {
	var clock *billing.TestClockID
	m, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*collect.Method, error) {
		a, err := lockAccountOf(ctx, tx, theAccount(id))
		if err != nil {
			return nil, err
		}
		clock = a.TestClockID
		return do(ctx, tx, a)
	})
	s.Wake()
	return m, clock, err
}

func (s *Service) changeMethod(ctx context.Context, id billing.PaymentMethodID, do func(context.Context, *store.Tx, *billing.Account, *collect.Method) error) (*collect.Method, *billing.TestClockID, error) {
	known, err := store.PaymentMethods.Get(ctx, s.Read(), id)
	if err == nil && known == nil {
		err = billing.Missing("id", "payment method", id)
	}
	if err != nil {
		return nil, nil, err
	}
	return s.changeMethods(ctx, known.AccountID, func(ctx context.Context, tx *store.Tx, a *billing.Account) (*collect.Method, error) {
		m, err := operation.Find(ctx, tx, store.PaymentMethods, "id", "payment method", id)
		if err != nil {
			return nil, err
		}
		return m, do(ctx, tx, a, m)
	})
}

// collectNow has what is overdue on a test clock collected; on real time the background
// does it.
func (s *Service) collectNow(ctx context.Context, clock *billing.TestClockID, err error) error {
	for clock != nil && err == nil {
		var dunned, asked int
		if dunned, err = s.dunOnClock(ctx, *clock); err == nil {
			asked, err = s.collectOnClock(ctx, *clock)
		}
		if dunned+asked == 0 {
			break
		}
	}
	return err
}

// purposeSetup is what the key of a page for saving a payment method is encrypted for.
// Only this installation can read the account in it.
const purposeSetup = "payment method setup"

// PaymentMethodSetup returns the address of a page of the payment provider on which the
// customer saves a payment method. The account has it when the provider tells so.
func (s *Service) PaymentMethodSetup(ctx context.Context, id billing.AccountID, successURL, cancelURL string) (string, error) {
	a, err := store.Accounts.Get(ctx, s.Read(), id)
	switch {
	case err != nil:
		return "", err
	case a == nil:
		return "", billing.Missing("accountId", "account", id)
	case a.TestClockID != nil:
		return "", billing.Fail(billing.NotAllowed, "accountId", "The account is on a test clock. Add a payment method of TEST instead.")
	}
	for field, url := range map[string]string{"successUrl": successURL, "cancelUrl": cancelURL} {
		if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
			return "", billing.Fail(billing.Invalid, field, "%q is not an address that the customer can come back to. It begins with https://.", billing.Excerpt(url))
		}
	}
	saver, ok := s.Payments.Providers[collect.Stripe].(payment.Saver)
	if !ok {
		return "", notSetUp(collect.Stripe)
	}
	setup := payment.Setup{
		Key: s.box.Seal(purposeSetup, []byte(strconv.FormatInt(int64(id), 10))), Name: a.Name, Kinds: []payment.Kind{payment.Card, payment.SEPADebit},
		SuccessURL: successURL, CancelURL: cancelURL,
	}
	if a.InvoiceEmail != nil {
		setup.Email = *a.InvoiceEmail
	}
	if a.PaymentMethodID != nil {
		methods, err := s.chargeable(ctx, s.Store.Snapshot(), []billing.PaymentMethodID{*a.PaymentMethodID})
		if err != nil {
			return "", err
		}
		setup.Token = methods[*a.PaymentMethodID].token
		if !strings.HasPrefix(setup.Token, "cus_") {
			setup.Token = "" // one of TEST
		}
	}
	if store.Rehearsing(ctx) {
		return "", billing.Fail(billing.NotAllowed, "", "The page for saving a payment method cannot be previewed: Stripe would make it.")
	}
	url, err := saver.Save(ctx, setup)
	if err != nil {
		return "", billing.Fail(billing.NotAllowed, "accountId", "Stripe refused: %s.", err)
	}
	return url, nil
}
