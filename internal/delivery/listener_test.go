package delivery_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

func TestAListenerTakesThePlaceOfAnApplication(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		app, here, there := "https://app.example.com/hooks", "http://127.0.0.1:8090/", "http://127.0.0.1:8091/"
		setURL(w, &app)
		url := func() string {
			if u := route(w).Platform.WebhookURL; u != nil {
				return *u
			}
			return ""
		}
		listen := func(token, at, instead string) (*delivery.Listener, error) {
			return w.Delivery.PlatformListen(w.Ctx, w.Platform.ID, delivery.Listener{Token: token, URL: at}, instead)
		}
		end := func(token string) *delivery.Listener {
			w.T.Helper()
			ended, err := w.Delivery.PlatformListenEnd(w.Ctx, w.Platform.ID, token)
			w.OK(err)
			return ended
		}

		until := w.Clock.Now().Add(time.Hour).UnixMilli()
		w.Damage(`UPDATE webhook_endpoint SET open_until = $1`, until)
		first, err := listen("one", here, "")
		w.OK(err)
		w.Equal("the address", url(), here)
		w.Equal("the address before", *first.Before, app)
		w.Equal("the breaker", route(w).Endpoint.OpenUntil == nil, true)
		w.Equal("the audit log", w.QueryText(`SELECT action FROM audit_entry ORDER BY id DESC LIMIT 1`), "platformListen")

		_, err = listen("two", there, "")
		w.Refused("a second listener", err, "NOT_ALLOWED id")
		w.Equal("the address", url(), here)

		// The first was killed, and the second knows.
		second, err := listen("two", there, "one")
		w.OK(err)
		w.Equal("the address before", *second.Before, app)
		w.Equal("what the first puts back", end("one") == nil, true)
		w.Equal("the address", url(), there)
		w.Equal("what the second puts back", *end("two").Before, app)
		w.Equal("the address", url(), app)
		w.Equal("the audit log", w.QueryText(`SELECT action FROM audit_entry ORDER BY id DESC LIMIT 1`), "platformListenEnd")
		w.Equal("to end it twice", end("two") == nil, true)

		// Somebody sets another address while it listens: that one stays.
		_, err = listen("three", here, "")
		w.OK(err)
		other := "https://new.example.com/"
		setURL(w, &other)
		known, err := w.Delivery.PlatformListener(w.Ctx, &route(w).Platform)
		w.OK(err)
		w.Equal("the listener", known == nil, true)
		w.Equal("what the third puts back", end("three") == nil, true)
		w.Equal("the address", url(), other)

		setURL(w, nil)
		_, err = listen("four", here, "")
		w.OK(err)
		w.Equal("from none, only the latest", route(w).Endpoint.LatestBefore, w.Clock.Now())
		w.Equal("what the fourth puts back", end("four").Before == nil, true)
		w.Equal("the address", url(), "")
	})
}
