package console

import (
	"net/http"

	"github.com/tenantry/tenantry/internal/ui"
)

func (c *call) setCookie(name, value string, seconds int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode,
	})
}

// takeFlash returns what there is to say, which is said then.
func (c *call) takeFlash() *ui.Flash {
	cookie, err := c.r.Cookie(ui.FlashCookie)
	if err != nil || len(cookie.Value) < 2 || c.r.Header.Get("HX-Request") != "" {
		return nil
	}
	c.setCookie(ui.FlashCookie, "", -1)
	return ui.DecodeFlash(cookie.Value)
}
