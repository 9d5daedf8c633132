package ui

import (
	"encoding/base64"
	"unicode/utf8"
)

// Flash is a message that is shown once, on the next page. It is kept in a cookie.
type Flash struct {
	Text string
	Bad  bool
}

// FlashCookie is the name of the cookie of a flash.
const FlashCookie = "tenantry_flash"

const maxFlash = 1000

// Encode is the flash as the value of a cookie.
func (f Flash) Encode() string {
	text := f.Text
	for len(text) > maxFlash {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	mark := "+"
	if f.Bad {
		mark = "-"
	}
	return mark + base64.RawURLEncoding.EncodeToString([]byte(text))
}

// DecodeFlash reads the value of a cookie; it is nil if that is invalid.
func DecodeFlash(value string) *Flash {
	if len(value) < 2 {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(value[1:])
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	return &Flash{Text: string(text), Bad: value[0] == '-'}
}
