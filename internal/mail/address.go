package mail

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxAddress is what mail servers accept, in bytes (RFC 5321).
const maxAddress = 254

// CheckAddress refuses what cannot stand in a header or in a command to a mail server
// as an address. It is not a check for people who write addresses: that is stricter.
func CheckAddress(address string) error {
	switch {
	case address == "":
		return errors.New("the mail address is empty")
	case !utf8.ValidString(address):
		return errors.New("the mail address is not valid UTF-8 text")
	case len(address) > maxAddress:
		return fmt.Errorf("the mail address has %d bytes; at most %d are possible", len(address), maxAddress)
	}
	for _, r := range address {
		if isControl(r) || unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(`<>()[]\,;:"`, r) {
			return fmt.Errorf("the mail address %.60q has the character %q, which no address has", address, r)
		}
	}
	local, domain, found := strings.Cut(address, "@")
	if !found || local == "" || domain == "" || strings.Contains(domain, "@") {
		return fmt.Errorf("%.60q is not a mail address such as ann@example.com", address)
	}
	if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(address, "..") || strings.HasPrefix(domain, ".") {
		return fmt.Errorf("the mail address %.60q has a dot too many", address)
	}
	return nil
}

// isASCII reports whether an address needs no extension of the server.
func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
