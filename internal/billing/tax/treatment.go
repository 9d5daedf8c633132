package tax

import "github.com/tenantry/tenantry/internal/billing"

// Category is the code of a VAT category (UNTDID 5305, as in EN 16931).
type Category string

// The categories in use.
const (
	Standard      Category = "S"
	ZeroRated     Category = "Z"
	Exempt        Category = "E"
	ReverseCharge Category = "AE"
	NotSubject    Category = "O"
)

// Seller is what matters of the entity that issues a document.
type Seller struct {
	Place
	// OSS says that the entity declares sales to consumers in other member states
	// by the One-Stop Shop, and so taxes them at the buyer's rates.
	OSS bool
	// AcceptsUnchecked takes tax numbers for valid that were not looked up.
	AcceptsUnchecked bool
}

// Buyer is what matters of the account.
type Buyer struct {
	Place
	TaxExempt   bool
	Reason      string // of the exemption
	TaxNumber   string
	NumberState billing.TaxNumberState
}

// Treatment is how an item is taxed. Reason is printed if there is one.
type Treatment struct {
	Category Category
	Percent  Percent
	Reason   string
}

// The reasons for a rate of 0.
const (
	reasonReverse    = "Reverse charge"
	reasonNotSubject = "Not subject to VAT"
)

// Treat decides how an item with a tax code is taxed, by the rates valid on a
// day: the first day of its service, or the day of issue for what has no period.
// Nothing is guessed: an account without a country, or with a text that is no code
// of one, cannot be billed, and neither can one at a place that has rates, but none
// for that code and day.
func Treat(s Seller, b Buyer, code string, on billing.Date, rates Rates) (Treatment, error) {
	seller, buyer := s.Place.normal(), b.Place.normal()
	switch bothInEU := seller.inEU() && buyer.inEU(); {
	case buyer.Country == "":
		return Treatment{}, billing.Fail(billing.Required, "country", "The account has no country.")
	case !IsCountry(buyer.Country):
		return Treatment{}, billing.Invalidf("country", "The account's country %q is not an ISO 3166-1 code. Use one of two letters, such as DE.", billing.Excerpt(b.Country))
	case seller.Country == "":
		return Treatment{}, billing.Fail(billing.Required, "country", "The entity has no country.")
	case b.TaxExempt:
		return Treatment{Exempt, "0", b.Reason}, nil
	case seller.sameCountry(buyer):
		return rates.at(buyer, code, on)
	case bothInEU && hasNumber(s, b, buyer):
		return Treatment{ReverseCharge, "0", reasonReverse}, nil
	case bothInEU && s.OSS:
		return rates.at(buyer, code, on)
	case bothInEU:
		return rates.at(seller, code, on)
	case seller.inEU():
		return Treatment{NotSubject, "0", reasonNotSubject}, nil
	}
	return rates.at(buyer, code, on)
}

// hasNumber reports whether the buyer has a tax number that can be one of its
// country, and that can be relied on.
func hasNumber(s Seller, b Buyer, buyer Place) bool {
	known := b.NumberState == billing.TaxNumberValid || s.AcceptsUnchecked && b.NumberState != billing.TaxNumberInvalid
	return known && billing.IsVATNumber(buyer.Country, b.TaxNumber)
}
