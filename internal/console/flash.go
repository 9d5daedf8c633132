package console

import (
	"encoding/base64"
	"net/http"
	"unicode/utf8"
)

// flash is something to say once, on the next page.
type flash struct {
	Text string
	Bad  bool
}

const (
	flashCookie = "tenantry_flash"
	maxFlash    = 1000
)

func (c *call) setFlash(f flash) {
	text := f.Text
	for len(text) > maxFlash {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	mark := "+"
	if f.Bad {
		mark = "-"
	}
	c.setCookie(flashCookie, mark+base64.RawURLEncoding.EncodeToString([]byte(text)), 60)
}

func (c *call) setCookie(name, value string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode,
	})
}

// takeFlash returns what there is to say, which is said then.
func (c *call) takeFlash() *flash {
	cookie, err := c.r.Cookie(flashCookie)
	if err != nil || len(cookie.Value) < 2 || c.r.Header.Get("HX-Request") != "" {
		return nil
	}
	c.setCookie(flashCookie, "", -1)
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value[1:])
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	return &flash{Text: string(text), Bad: cookie.Value[0] == '-'}
}
