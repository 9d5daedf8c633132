package stripe

import (
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/billing/money"
	"pgregory.net/rapid"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency string
		amount   money.Amount
		want     int64
		back     money.Amount
	}{
		{"EUR", 4900, 4900, 4900},
		{"JPY", 500, 500, 500},
		{"ISK", 5, 500, 5},                         // two digits here, none in ISO 4217
		{"MGA", 149, 1, 100}, {"MGA", 150, 2, 200}, // none here, two in ISO 4217
		{"KWD", 5124, 5120, 5120}, {"KWD", 5125, 5130, 5130}, {"KWD", 4, 0, 0}, {"KWD", -5125, -5130, -5130},
		{"HUF", 1045, 1045, 1045},
	} {
		currency, err := money.CurrencyOf(c.currency)
		if err != nil {
			t.Fatal(err)
		}
		got, err := toStripe(c.amount, currency)
		if err != nil || got != c.want {
			t.Errorf("%s %d is %d, %v; want %d", c.currency, c.amount, got, err, c.want)
		}
		back, of, err := fromStripe(got, stripe.Currency(strings.ToLower(c.currency)))
		if err != nil || back != c.back || of != currency {
			t.Errorf("%s %d is %d %v, %v; want %d", c.currency, got, back, of, err, c.back)
		}
	}
}

func TestCurrenciesThatStripeDoesNotTake(t *testing.T) {
	t.Parallel()
	for _, code := range unsupported {
		currency, err := money.CurrencyOf(code)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := toStripe(100, currency); err == nil || !strings.Contains(err.Error(), code) {
			t.Errorf("%s: %v", code, err)
		}
		if _, _, err := fromStripe(100, stripe.Currency(strings.ToLower(code))); err == nil {
			t.Errorf("%s is read", code)
		}
	}
	if _, _, err := fromStripe(100, "xyz"); err == nil {
		t.Error("xyz is read")
	}
}

// TestAmountsAreOffByLessThanAStep: what is charged differs from what is due by no
// more than rounding, which the tolerance of a policy covers.
func TestAmountsAreOffByLessThanAStep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom([]string{"EUR", "USD", "JPY", "ISK", "KWD", "BHD"}).Draw(t, "currency")
		currency, err := money.CurrencyOf(code)
		if err != nil {
			t.Fatal(err)
		}
		amount := money.Amount(rapid.Int64Range(0, 1e12).Draw(t, "amount"))
		theirs, err := toStripe(amount, currency)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := fromStripe(theirs, stripe.Currency(strings.ToLower(code)))
		if err != nil {
			t.Fatal(err)
		}
		most := money.Amount(0)
		if currency.Digits == 3 {
			most = 5
			if theirs%10 != 0 {
				t.Fatalf("%d does not end in 0", theirs)
			}
		}
		if off := max(amount-back, back-amount); off > most {
			t.Fatalf("%s %d is charged as %d", code, amount, back)
		}
	})
}

// TestAmountsThatStripeRounds accepts what Stripe was asked for in its own steps.
func TestAmountsThatStripeRounds(t *testing.T) {
	t.Parallel()
	kwd, err := money.CurrencyOf("KWD")
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range []money.Amount{6098, 6094, 6100} {
		theirs, err := toStripe(asked, kwd)
		if err != nil {
			t.Fatal(err)
		}
		o := intentOutcome(&stripe.PaymentIntent{ID: "pi_1", Status: stripe.PaymentIntentStatusSucceeded, AmountReceived: theirs, Currency: "kwd"})
		if err := o.Matches(asked, kwd); err != nil {
			t.Error(err)
		}
		if o.Matches(asked+20, kwd) == nil {
			t.Errorf("%d is accepted for %d", o.Amount, asked+20)
		}
	}
}
