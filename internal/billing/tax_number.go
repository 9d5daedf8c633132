package billing

import (
	"slices"
	"strings"
)

// VATPrefix is how VAT numbers of a member state of the EU begin: with its code,
// but for Greece.
func VATPrefix(country string) string {
	if country == "GR" {
		return "EL"
	}
	return country
}

// checkTaxNumber refuses what cannot be a tax number of the country: a text that is
// none, and a VAT number of another member state. Only the country's authority knows
// whether somebody has that number.
func checkTaxNumber(field, country, number string) *Error {
	if err := checkTaxNumberText(field, number); err != nil {
		return err
	}
	text, prefix := plainNumber(number), VATPrefix(country)
	if slices.Contains(EUMembers, country) && strings.Trim(text[:2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && text[:2] != prefix {
		return Invalidf(field, "VAT numbers of %s begin with %s; %q does not.", country, prefix, Excerpt(number))
	}
	if rest, is := strings.CutPrefix(text, prefix); is {
		return checkVATLength(field, country, rest, number)
	}
	return nil
}

// vatLengths is how many letters and digits VAT numbers of a member state have behind the
// prefix: the fewest and the most.
var vatLengths = map[string][2]int{
	"AT": {9, 9}, "BE": {10, 10}, "BG": {9, 10}, "CY": {9, 9}, "CZ": {8, 10}, "DE": {9, 9}, "DK": {8, 8}, "EE": {9, 9}, "ES": {9, 9},
	"FI": {8, 8}, "FR": {11, 11}, "GR": {9, 9}, "HR": {11, 11}, "HU": {8, 8}, "IE": {8, 9}, "IT": {11, 11}, "LT": {9, 12}, "LU": {8, 8},
	"LV": {11, 11}, "MT": {8, 8}, "NL": {12, 12}, "PL": {10, 10}, "PT": {9, 9}, "RO": {2, 10}, "SE": {12, 12}, "SI": {8, 8}, "SK": {10, 10},
}

func checkVATLength(field, country, rest, number string) *Error {
	lengths, known := vatLengths[country]
	least, most := lengths[0], lengths[1]
	switch {
	case !known || len(rest) >= least && len(rest) <= most:
		return nil
	case least == most:
		return Invalidf(field, "VAT numbers of %s have %d letters and digits behind %s; %q has %d.", country, least, VATPrefix(country), Excerpt(number), len(rest))
	default:
		return Invalidf(field, "VAT numbers of %s have %d to %d letters and digits behind %s; %q has %d.", country, least, most, VATPrefix(country), Excerpt(number), len(rest))
	}
}

// checkTaxNumberText refuses what cannot be a tax number of any country: other
// characters than numbers are written with, too few or too many, and no digit.
func checkTaxNumberText(field, number string) *Error {
	const least, most = 4, 20
	for _, r := range strings.ToUpper(number) {
		if !isPlain(r) && !strings.ContainsRune(" .-/&", r) {
			return Invalidf(field, "A tax number has letters, digits, blanks and the signs . - / & + *; %q has %q.", Excerpt(number), r)
		}
	}
	switch text := plainNumber(number); {
	case len(text) < least || len(text) > most:
		return Invalidf(field, "A tax number has %d to %d letters and digits; %q has %d.", least, most, Excerpt(number), len(text))
	case !strings.ContainsAny(text, "0123456789"):
		return Invalidf(field, "%q is not a tax number: it has no digit.", Excerpt(number))
	}
	return nil
}

// plainNumber is a tax number without what is only written to read it.
func plainNumber(number string) string {
	return strings.Map(func(r rune) rune {
		if isPlain(r) {
			return r
		}
		return -1
	}, strings.ToUpper(number))
}

// isPlain says that a character is part of a number: older ones of Ireland have + or *.
func isPlain(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r == '+' || r == '*'
}

// IsVATNumber reports whether a text can be a VAT number of a member state, which
// begins with its prefix.
func IsVATNumber(country, number string) bool {
	return checkTaxNumber("", country, number) == nil && strings.HasPrefix(plainNumber(number), VATPrefix(country))
}

// CheckTaxNumber refuses a tax number that is new to a customer in the European Union
// and cannot be one. It may be one of another member state, in which the customer is
// registered, too. Customers elsewhere, and those whose country is not known, have
// what they write there; a number that the account had stays.
func (a *Account) CheckTaxNumber(before *Account) *Error {
	number, country := blankToNil(a.TaxNumber), blankToNil(a.BillingCountry)
	if number == nil || country == nil || before != nil && before.TaxNumber != nil && *before.TaxNumber == *number {
		return nil
	}
	code := strings.ToUpper(strings.TrimSpace(*country))
	if !slices.Contains(EUMembers, code) && code != VATPrefix("GR") {
		return nil
	}
	if err := checkTaxNumberText("taxNumber", *number); err != nil {
		return err
	}
	for _, member := range EUMembers {
		if rest, is := strings.CutPrefix(plainNumber(*number), VATPrefix(member)); is {
			return checkVATLength("taxNumber", member, rest, *number)
		}
	}
	return nil
}
