package webhook

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request request
		status  int
		says    string
		applied int
	}{
		"a change":                {request{sequence: 3}, 204, "", 1},
		"the age that just fits":  {request{at: moment.Add(-5 * time.Minute)}, 204, "", 1},
		"the lead that just fits": {request{at: moment.Add(5 * time.Minute)}, 204, "", 1},
		"too old":                 {request{at: moment.Add(-5*time.Minute - time.Second)}, 400, "timestamp is too far", 0},
		"too new":                 {request{at: moment.Add(5*time.Minute + time.Second)}, 400, "timestamp is too far", 0},
		"another secret":          {request{secrets: []string{another}}, 401, "no signature fits", 0},
		"two signatures":          {request{secrets: []string{another, secret}}, 204, "", 1},
		"another version":         {request{header: map[string]string{"webhook-signature": "v1a,AAAA v2,BBBB"}}, 401, "no signature fits", 0},
		"no base64":               {request{header: map[string]string{"webhook-signature": "v1,!"}}, 401, "no signature fits", 0},
		"an empty signature":      {request{header: map[string]string{"webhook-signature": "v1,"}}, 401, "no signature fits", 0},
		"another id":              {request{header: map[string]string{"webhook-id": "13"}}, 401, "no signature fits", 0},
		"another timestamp":       {request{header: map[string]string{"webhook-timestamp": "1768478401"}}, 401, "no signature fits", 0},
		"no id":                   {request{header: map[string]string{"webhook-id": ""}}, 400, "missing", 0},
		"no signature":            {request{header: map[string]string{"webhook-signature": ""}}, 400, "missing", 0},
		"no timestamp":            {request{header: map[string]string{"webhook-timestamp": ""}}, 400, "missing", 0},
		"a timestamp in words":    {request{header: map[string]string{"webhook-timestamp": "now"}}, 400, "missing", 0},
		"no sequence":             {request{header: map[string]string{"webhook-sequence": ""}}, 400, "webhook-sequence", 0},
		"a negative sequence":     {request{header: map[string]string{"webhook-sequence": "-1"}}, 400, "webhook-sequence", 0},
		"not JSON":                {request{body: "hello"}, 422, "TenantProvisioningChange", 0},
		"a list":                  {request{body: "[]"}, 422, "TenantProvisioningChange", 0},
		"a program's body":        {request{body: `{"tenant":"acme"}`}, 422, "payload program", 0},
		"half a change":           {request{body: `{"type":"TenantProvisioningChange","payload":{"tenant":{"id":1}}}`}, 422, "payload.change", 0},
		"a type of the future":    {request{body: `{"type":"InvoicePaid","payload":{}}`}, 204, "", 0},
		"too large":               {request{body: `{"type":"` + strings.Repeat("x", 2000) + `"}`}, 413, "larger than 2000 bytes", 0},
		"GET":                     {request{method: http.MethodGet}, 405, "POST", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &application{}
			h := newHandler(t, webhook.NewMemoryStore(), app.apply, webhook.WithMaxBody(2000))
			w := serve(h, c.request.build(t))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %q, not %d %q", w.Code, w.Body, c.status, c.says)
			}
			if len(app.applied) != c.applied {
				t.Errorf("%d changes were applied", len(app.applied))
			}
		})
	}
}

// TestOneByteOfTheBody: a body that is changed anywhere is refused.
func TestOneByteOfTheBody(t *testing.T) {
	t.Parallel()
	app := &application{}
	h := newHandler(t, webhook.NewMemoryStore(), app.apply)
	whole := body(7, 1)
	signed := request{sequence: 1}.build(t)
	for i := range whole {
		changed := []byte(whole)
		changed[i] ^= 1
		r := request{sequence: 1, body: string(changed)}.build(t)
		r.Header = signed.Header
		if w := serve(h, r); w.Code != http.StatusUnauthorized {
			t.Fatalf("with byte %d changed: %d", i, w.Code)
		}
	}
	if w := serve(h, signed); w.Code != http.StatusNoContent || len(app.applied) != 1 {
		t.Errorf("unchanged: %d", w.Code)
	}
}

func TestRotatedSecrets(t *testing.T) {
	t.Parallel()
	app := &application{}
	h, err := webhook.NewHandler([]string{another, secret}, webhook.NewMemoryStore(), app.apply, webhook.WithClock(func() time.Time { return moment }))
	if err != nil {
		t.Fatal(err)
	}
	for _, secrets := range [][]string{{secret}, {another}, {secret, another}} {
		if w := serve(h, request{secrets: secrets}.build(t)); w.Code != http.StatusNoContent {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

func TestFailuresAreSentAgain(t *testing.T) {
	t.Parallel()
	app := &application{fail: errors.New("the disk of 10.0.0.3 is full")}
	h := newHandler(t, webhook.NewMemoryStore(), app.apply)
	w := serve(h, request{sequence: 4}.build(t))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "10.0.0.3") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	app.fail = webhook.Later(90*time.Second, app.fail)
	if w := serve(h, request{sequence: 4}.build(t)); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "90" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	app.fail = nil
	if w := serve(h, request{sequence: 3}.build(t)); w.Code != http.StatusNoContent || len(app.applied) != 1 {
		t.Errorf("an older one after a failure: %d, applied %v", w.Code, app.applied)
	}
}

// TestTestEvents are no changes of a tenant: they are answered, told to who
// wants to know, and not remembered.
func TestTestEvents(t *testing.T) {
	t.Parallel()
	event := request{body: strings.Replace(strings.Replace(body(7, 0), `"id":7`, `"id":0`, 1), `"acme"`, `"provisioning-test"`, 1)}
	app, tests := &application{}, 0
	h := newHandler(t, webhook.NewMemoryStore(), app.apply)
	if w := serve(h, event.build(t)); w.Code != http.StatusNoContent || len(app.applied) != 0 {
		t.Errorf("%d, applied %v", w.Code, app.applied)
	}
	h = newHandler(t, webhook.NewMemoryStore(), app.apply, webhook.WithTests(func(_ context.Context, change webhook.Change) error {
		tests++
		if !change.Delivery.Test {
			t.Error("it is not marked")
		}
		return nil
	}))
	if w := serve(h, event.build(t)); w.Code != http.StatusNoContent || tests != 1 || len(app.applied) != 0 {
		t.Errorf("%d, %d tests, applied %v", w.Code, tests, app.applied)
	}
}

func TestHandlersThatCannotWork(t *testing.T) {
	t.Parallel()
	app := &application{}
	for name, make := range map[string]func() (*webhook.Handler, error){
		"no secret": func() (*webhook.Handler, error) { return webhook.NewHandler(nil, webhook.NewMemoryStore(), app.apply) },
		"an empty one": func() (*webhook.Handler, error) {
			return webhook.NewHandler([]string{""}, webhook.NewMemoryStore(), app.apply)
		},
		"not in base64": func() (*webhook.Handler, error) {
			return webhook.NewHandler([]string{"whsec_?"}, webhook.NewMemoryStore(), app.apply)
		},
		"no store": func() (*webhook.Handler, error) { return webhook.NewHandler([]string{secret}, nil, app.apply) },
		"nobody to call": func() (*webhook.Handler, error) {
			return webhook.NewHandler([]string{secret}, webhook.NewMemoryStore(), nil)
		},
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
