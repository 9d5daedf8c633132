package console

import (
	"encoding/json"
	"net/http"
	"time"
)

// makeToken gives the page for trying the API a token with the user's rights.
// The API itself never looks at cookies.
func makeToken(c *call) error {
	token, expires, err := c.tokens.UserToken(c.user, c.token)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]string{"token": token, "expires": expires.UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(text)
	return nil
}
