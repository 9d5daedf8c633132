package worker_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// move gives the platform another address, with secrets if there are any.
func (w *world) move(address string, secrets delivery.PlatformSecrets) {
	w.t.Helper()
	_, err := w.service.Delivery.PlatformUpdate(w.t.Context(), w.platform, func(p *webhook.Platform) error {
		p.WebhookURL = &address
		return nil
	}, secrets)
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestSecretsStayWithTheirHost: an address on another host gets nothing until
// the secrets are set again for it, and then everything, in order; no request
// ever has a secret that was set for the other one.
func TestSecretsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		other := newReceiver(t)
		first, second := "the-first-token", "the-second-token"
		w.move(w.receiver.URL+"/hooks", delivery.PlatformSecrets{AuthToken: &first})
		e := w.start()
		tenant := w.tenants[0]
		w.tell(tenant)
		w.settled()

		w.move(other.URL+"/hooks", delivery.PlatformSecrets{})
		for range 3 {
			w.tell(tenant)
		}
		begin := w.clock.Now()
		w.await("a poll has found nothing to send", func() bool { return w.clock.Now().Sub(begin) > 2*speed*time.Second })
		same(t, "requests to the other host", len(other.got()), 0)
		same(t, "requests to the first host", len(w.receiver.got()), 1)
		same(t, "attempts that were spent", w.stream(tenant).Attempts, 0)
		w.counted(e, map[string]float64{"secrets_needed cloud": 1, "deliveries waiting": 3, "deliveries exhausted": 0})

		w.move(w.receiver.URL+"/elsewhere", delivery.PlatformSecrets{}) // it is for that one
		w.settled()
		same(t, "what the first host was told", w.receiver.sequences()[tenant], []int{1, 2, 3, 4})

		w.move(other.URL, delivery.PlatformSecrets{})
		w.tell(tenant)
		w.tell(tenant)
		w.move(other.URL, delivery.PlatformSecrets{AuthToken: &second})
		w.settled()
		same(t, "what the other host was told", other.sequences()[tenant], []int{5, 6})
		for _, r := range w.receiver.got() {
			same(t, "the token of the first host", r.header.Get("Authorization"), "Bearer "+first)
		}
		for _, r := range other.got() {
			same(t, "the token of the other host", r.header.Get("Authorization"), "Bearer "+second)
		}
	})
}

// TestEchoesAreHidden: a receiver that sends back what it was sent, in whatever
// form, puts no secret into the log.
func TestEchoesAreHidden(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		token := `t0ken/with+"signs"`
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:open-sesame"))
		w.move(w.receiver.URL, delivery.PlatformSecrets{AuthToken: &token})
		found, err := store.WorkflowsOf(t.Context(), w.store.Queries(), []billing.PlatformID{w.platform})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.service.Delivery.WorkflowUpdate(t.Context(), found[0].ID, func(d *delivery.WorkflowDraft) error {
			d.Headers = webhook.Headers{"X-Proxy-Auth": basic, "X-Source": "billing"}
			return nil
		}, webhook.ReleaseAll)
		if err != nil {
			t.Fatal(err)
		}
		w.receiver.answers(func(rw http.ResponseWriter, r *request) {
			rw.Header().Set("X-Echo", r.header.Get("Authorization"))
			rw.Header().Set("Location", "/?t="+url.QueryEscape(token))
			rw.WriteHeader(http.StatusAccepted)
			fmt.Fprintf(rw, "%v %q open-sesame %s", r.header, token, base64.StdEncoding.EncodeToString([]byte(`{"t":`+token+`}`)))
			_, _ = io.WriteString(rw, " from billing")
		})
		w.start()
		event := w.tell(w.tenants[0])
		w.settled()
		a := w.attempts(event.ID)[0]
		kept := *a.ResponseBody + string(a.ResponseHeaders)
		for _, secret := range []string{token, url.QueryEscape(token), `t0ken/with+\"signs\"`, basic[6:], "open-sesame", base64.StdEncoding.EncodeToString([]byte(token))[2:12]} {
			if strings.Contains(kept, secret) {
				t.Errorf("the log shows %q in %s", secret, kept)
			}
		}
		if !strings.Contains(kept, "(hidden)") || !strings.Contains(kept, "from billing") {
			t.Errorf("the log shows %s", kept)
		}
	})
}
