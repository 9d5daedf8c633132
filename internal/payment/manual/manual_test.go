package manual

import (
	"errors"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
)

func TestNothingIsCharged(t *testing.T) {
	t.Parallel()
	charge := payment.Charge{Key: "p1-1", Amount: 4900, Currency: money.Currency{Code: "EUR", Digits: 2}}
	made, err := Provider{}.Charge(t.Context(), charge)
	found, lookupErr := Provider{}.Lookup(t.Context(), charge)
	if err != nil || lookupErr != nil || made != found || made.State != payment.Failed || made.Hard {
		t.Errorf("%+v, %v; looked up: %+v, %v", made, err, found, lookupErr)
	}
	if _, err := (Provider{}).Notices(nil); !errors.Is(err, payment.ErrNoNotices) {
		t.Error(err)
	}
}

func TestAPersonRefunds(t *testing.T) {
	t.Parallel()
	refund := payment.Refund{Key: "r1", Amount: 100, Currency: money.Currency{Code: "EUR", Digits: 2}}
	if got, err := (Provider{}).Refund(t.Context(), refund); err != nil || got.State != payment.Pending || got.Matches(100, refund.Currency) != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
