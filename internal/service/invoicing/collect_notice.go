package invoicing

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/payment"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// TakeNotices records what a request of a payment provider tells, once. It returns
// payment.ErrForged or payment.ErrMalformed if the request is not to be believed. After
// any other error the provider should send it again.
func (s *Service) TakeNotices(ctx context.Context, provider collect.Provider, r *http.Request) error {
	p := s.Payments.Providers[provider]
	if p == nil {
		return payment.ErrNoNotices
	}
	notices, err := p.Notices(r)
	if err != nil {
		return err
	}
	ctx = operation.As(ctx, operation.Caller{Actor: strings.ToLower(string(provider))})
	for n := range notices {
		if err := s.takeNotice(ctx, provider, &notices[n]); err != nil {
			return err
		}
	}
	s.Wake()
	return nil
}

func (s *Service) takeNotice(ctx context.Context, provider collect.Provider, n *payment.Notice) error {
	switch n.Subject {
	case payment.ChargeNotice:
		return s.takeChargeNotice(ctx, provider, n)
	case payment.RefundNotice:
		return s.takeRefundNotice(ctx, provider, n)
	case payment.MethodSaved:
		id, ours := s.accountOfSetup(n.Key)
		if !ours {
			return nil
		}
		seen, err := s.see(ctx, provider, n.Token)
		if err == nil {
			_, err = s.addMethod(ctx, id, provider, n.Token, seen, n.Mandate)
		}
		return ignoreMissing(err)
	case payment.MethodChanged:
		return s.methodChanged(ctx, provider, n)
	case payment.MethodRemoved:
		return s.eachMethod(ctx, provider, n.Token, removeMethod)
	}
	return nil
}

// takeChargeNotice records what has become of an attempt. One that is not known is that
// of another installation.
func (s *Service) takeChargeNotice(ctx context.Context, provider collect.Provider, n *payment.Notice) error {
	id, number, err := s.attemptOf(ctx, provider, n)
	if err != nil || id == 0 {
		return err
	}
	c, err := store.Collections.Get(ctx, s.Read(), id)
	if err != nil || c == nil || c.TestClockID != nil {
		return err
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		defer operation.Recovered(&err)
		fresh, err := store.SeeNotice(ctx, tx, provider, n.ID)
		if err != nil || !fresh {
			return err
		}
		return learnIn(ctx, tx, []news{{id: id, account: c.AccountID, number: number, outcome: n.Outcome}})
	})
}

// attemptOf finds the attempt that a notice is about, by its key or else by the
// provider's reference.
func (s *Service) attemptOf(ctx context.Context, provider collect.Provider, n *payment.Notice) (billing.PaymentCollectionID, int, error) {
	if at := strings.LastIndexByte(n.Key, '-'); at > 0 {
		number, err := strconv.Atoi(n.Key[at+1:])
		if err != nil {
			return 0, 0, nil
		}
		c, err := store.CollectionByUUID(ctx, s.Read(), n.Key[:at])
		if err != nil || c == nil || c.Provider != provider {
			return 0, 0, err
		}
		return c.ID, number, nil
	}
	a, err := store.AttemptByReference(ctx, s.Read(), provider, n.Outcome.Reference)
	if err != nil || a == nil {
		return 0, 0, err
	}
	return a.CollectionID, a.Number, nil
}

// accountOfSetup is the account that a page for saving a payment method was made for.
func (s *Service) accountOfSetup(key string) (billing.AccountID, bool) {
	text, err := s.box.Open(purposeSetup, key)
	if err != nil {
		return 0, false
	}
	id, err := strconv.ParseInt(string(text), 10, 64)
	return billing.AccountID(id), err == nil
}

// methodChanged reads again what people may know of a payment method, such as when its
// card expires. One that was declined for good and is renewed is charged again.
func (s *Service) methodChanged(ctx context.Context, provider collect.Provider, n *payment.Notice) error {
	known, err := store.PaymentMethodsByToken(ctx, s.Read(), secret.Hash(n.Token))
	if err != nil || len(known) == 0 {
		return err
	}
	seen, err := s.see(ctx, provider, n.Token)
	if err != nil {
		return err
	}
	return s.eachMethod(ctx, provider, n.Token, func(ctx context.Context, tx *store.Tx, a *billing.Account, m *collect.Method) error {
		again := m.Renew(seen.Brand, seen.Last4, collect.ExpiresOn(seen.ExpiresYear, seen.ExpiresMonth))
		if err := store.PaymentMethods.Update(ctx, tx, m); err != nil || !again {
			return err
		}
		return collectAgain(ctx, tx, a)
	})
}

// eachMethod does something to the payment methods that have a token.
func (s *Service) eachMethod(ctx context.Context, provider collect.Provider, token string, do func(context.Context, *store.Tx, *billing.Account, *collect.Method) error) error {
	known, err := store.PaymentMethodsByToken(ctx, s.Read(), secret.Hash(token))
	for n := range known {
		if known[n].Provider != provider || err != nil {
			continue
		}
		_, _, err = s.changeMethod(ctx, known[n].ID, do)
		err = ignoreMissing(err)
	}
	return err
}

// ignoreMissing takes what was deleted meanwhile for done.
func ignoreMissing(err error) error {
	if problems, known := billing.AsProblems(err); known && len(problems) > 0 && problems[0].Code == billing.NotFound {
		return nil
	}
	return err
}

// noticesRemembered is how long providers may repeat what they told.
const noticesRemembered = 90 * 24 * time.Hour

// ForgetOldNotices removes what providers told so long ago that they do not repeat it,
// in small transactions, unless nobody knows what time it is.
func (s *Service) ForgetOldNotices(ctx context.Context) error {
	for {
		var n int64
		err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if n = 0; tx.Unsure {
				return nil
			}
			n, err = store.ForgetNotices(ctx, tx, tx.Now.Add(-noticesRemembered), operation.ForgetBatch)
			return err
		})
		if err != nil || n < operation.ForgetBatch {
			return err
		}
	}
}
