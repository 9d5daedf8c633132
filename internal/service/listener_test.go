package service_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/delivery"
)

func TestAListenerTakesThePlaceOfAnApplication(t *testing.T) {
	each(t, func(w *world) {
		app, here, there := "https://app.example.com/hooks", "http://127.0.0.1:8090/", "http://127.0.0.1:8091/"
		w.setURL(&app)
		url := func() string {
			if u := w.route().Platform.WebhookURL; u != nil {
				return *u
			}
			return ""
		}
		listen := func(token, at, instead string) (*delivery.Listener, error) {
			return w.Delivery.PlatformListen(w.ctx, w.platform.ID, delivery.Listener{Token: token, URL: at}, instead)
		}
		end := func(token string) *delivery.Listener {
			w.t.Helper()
			ended, err := w.Delivery.PlatformListenEnd(w.ctx, w.platform.ID, token)
			w.ok(err)
			return ended
		}

		until := w.clock.Now().Add(time.Hour).UnixMilli()
		w.damage(`UPDATE webhook_endpoint SET open_until = $1`, until)
		first, err := listen("one", here, "")
		w.ok(err)
		w.same("the address", url(), here)
		w.same("the address before", *first.Before, app)
		w.same("the breaker", w.route().Endpoint.OpenUntil == nil, true)
		w.same("the audit log", w.text(`SELECT action FROM audit_entry ORDER BY id DESC LIMIT 1`), "platformListen")

		_, err = listen("two", there, "")
		w.refused("a second listener", err, "NOT_ALLOWED id")
		w.same("the address", url(), here)

		// The first was killed, and the second knows.
		second, err := listen("two", there, "one")
		w.ok(err)
		w.same("the address before", *second.Before, app)
		w.same("what the first puts back", end("one") == nil, true)
		w.same("the address", url(), there)
		w.same("what the second puts back", *end("two").Before, app)
		w.same("the address", url(), app)
		w.same("the audit log", w.text(`SELECT action FROM audit_entry ORDER BY id DESC LIMIT 1`), "platformListenEnd")
		w.same("to end it twice", end("two") == nil, true)

		// Somebody sets another address while it listens: that one stays.
		_, err = listen("three", here, "")
		w.ok(err)
		other := "https://new.example.com/"
		w.setURL(&other)
		known, err := w.Delivery.PlatformListener(w.ctx, &w.route().Platform)
		w.ok(err)
		w.same("the listener", known == nil, true)
		w.same("what the third puts back", end("three") == nil, true)
		w.same("the address", url(), other)

		w.setURL(nil)
		_, err = listen("four", here, "")
		w.ok(err)
		w.same("from none, only the latest", w.route().Endpoint.LatestBefore, w.clock.Now())
		w.same("what the fourth puts back", end("four").Before == nil, true)
		w.same("the address", url(), "")
	})
}
