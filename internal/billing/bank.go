package billing

import "strings"

// tidyCode removes the blanks with which numbers of accounts are printed.
func tidyCode(s *string) *string {
	if s == nil {
		return nil
	}
	tidy := strings.ToUpper(strings.Join(strings.Fields(*s), ""))
	return EmptyToNil(&tidy)
}

// checkIBAN refuses what is not an IBAN: its check digits find a slip of the
// keyboard (ISO 13616, ISO 7064 mod 97).
func checkIBAN(field, value string) *Error {
	const least, most = 15, 34
	remainder := 0
	if len(value) < least || len(value) > most || !IsCountry(value[:2]) || !isDigits(value[2:4]) {
		return Invalidf(field, "%q is not an IBAN. It begins with a country and two digits and has %d to %d characters, such as DE89370400440532013000.", Excerpt(value), least, most)
	}
	for _, r := range value[4:] + value[:4] {
		switch {
		case r >= '0' && r <= '9':
			remainder = (remainder*10 + int(r-'0')) % 97
		case r >= 'A' && r <= 'Z':
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		default:
			return Invalidf(field, "An IBAN has letters and digits only; %q has %q.", Excerpt(value), r)
		}
	}
	if remainder != 1 {
		return Invalidf(field, "The IBAN %q has a mistake in it: its check digits do not fit.", Excerpt(value))
	}
	return nil
}

// checkBIC refuses what has not the shape of a BIC (ISO 9362).
func checkBIC(field, value string) *Error {
	ok := (len(value) == 8 || len(value) == 11) && IsCountry(value[4:6])
	for i, r := range value {
		letter, digit := r >= 'A' && r <= 'Z', r >= '0' && r <= '9'
		ok = ok && (letter || digit && (i < 4 || i > 5))
	}
	if !ok {
		return Invalidf(field, "%q is not a BIC. It has 8 or 11 letters and digits with a country in the middle, such as COBADEFFXXX.", Excerpt(value))
	}
	return nil
}
