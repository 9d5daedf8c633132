package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
)

func newEventHandler(t *testing.T, on webhook.OnEvent) *webhook.EventHandler {
	t.Helper()
	h, err := webhook.NewEventHandler([]string{secret}, on, webhook.WithClock(func() time.Time { return moment }), webhook.WithLog(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestEveryEventIsTyped: the bodies of business events come out of the types as they went
// in, so no field is lost.
func TestEveryEventIsTyped(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../billing/webhook/testdata/business/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d bodies: %v", len(files), err)
	}
	for _, file := range files {
		sent, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got webhook.Event
		h := newEventHandler(t, func(_ context.Context, e webhook.Event) error { got = e; return nil })
		if w := serve(h, request{body: string(sent), sequence: 4}.build(t)); w.Code != 204 {
			t.Errorf("%s: %d %s", file, w.Code, w.Body)
			continue
		}
		var told struct {
			Type    string          `json:"type"`
			Account json.RawMessage `json:"account"`
			Data    json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(sent, &told); err != nil {
			t.Fatal(err)
		}
		strict := json.NewDecoder(bytes.NewReader(told.Data))
		strict.DisallowUnknownFields()
		if err := strict.Decode(new(webhook.EventData)); err != nil {
			t.Errorf("%s has a field that is not typed: %v", file, err)
		}
		account, err := json.Marshal(got.Account)
		if err != nil || normal(t, account) != normal(t, told.Account) {
			t.Errorf("%s: account %s: %v", file, account, err)
		}
		if got.Type != told.Type || got.Delivery.Sequence != 4 || got.At.IsZero() || got.Delivery.Test || !bytes.Equal(got.Body, sent) {
			t.Errorf("%s: %+v", file, got)
		}
		switch got.Type {
		case webhook.InvoiceIssued, webhook.InvoicePaid, webhook.InvoiceOverdue:
			if got.Data.Invoice == nil || got.Data.Invoice.Number == "" || got.Data.Invoice.DueAt == "" {
				t.Errorf("%s has no invoice: %+v", file, got.Data)
			}
		case webhook.PaymentFailed:
			if got.Data.Collection == nil || got.Data.Code == "" {
				t.Errorf("%s: %+v", file, got.Data)
			}
		case webhook.StandingChanged:
			if got.Data.Subscription == nil || got.Data.From == "" || got.Data.To == "" {
				t.Errorf("%s: %+v", file, got.Data)
			}
		}
	}
}

// TestEventHandlerAnswers refuses what is not signed or no business event, and has what
// could not be handled sent again.
func TestEventHandlerAnswers(t *testing.T) {
	t.Parallel()
	const event = `{"type":"InvoicePaid","id":"0","sequence":1,"timestamp":"2026-03-01T08:00:00Z","account":{"id":"5","code":null,"name":"Acme"},"data":{"invoice":{"number":"TEST"}}}`
	fails := map[string]error{"ok": nil, "broken": errors.New("no database"), "later": webhook.Later(time.Minute, errors.New("busy"))}
	for name, c := range map[string]struct {
		request request
		how     string
		status  int
		says    string
	}{
		"handled":        {request{body: event, sequence: 1}, "ok", 204, ""},
		"not handled":    {request{body: event, sequence: 1}, "broken", 500, "send it again"},
		"not now":        {request{body: event, sequence: 1}, "later", 503, "send it again"},
		"not signed":     {request{body: event, sequence: 1, secrets: []string{another}}, "ok", 401, ""},
		"no number":      {request{body: event, sequence: 1, header: map[string]string{"Webhook-Sequence": ""}}, "ok", 400, "webhook-sequence"},
		"of a tenant":    {request{sequence: 1}, "ok", 422, "event endpoint"},
		"not JSON":       {request{body: "hello", sequence: 1}, "ok", 422, "not a business event"},
		"another method": {request{body: event, sequence: 1, method: "GET"}, "ok", 405, "POST"},
	} {
		called := 0
		h := newEventHandler(t, func(_ context.Context, e webhook.Event) error {
			if called++; !e.Delivery.Test || e.Data.Invoice.Number != "TEST" {
				t.Errorf("%s: %+v", name, e)
			}
			return fails[c.how]
		})
		w := serve(h, c.request.build(t))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || strings.Contains(w.Body.String(), "database") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if handled := c.status == 204 || c.status >= 500; handled != (called == 1) {
			t.Errorf("%s: called %d times", name, called)
		}
		if c.status == 503 && w.Header().Get("Retry-After") != "60" {
			t.Errorf("%s: Retry-After is %q", name, w.Header().Get("Retry-After"))
		}
	}
	if _, err := webhook.NewEventHandler([]string{secret}, nil); err == nil {
		t.Error("a handler without a function")
	}
}

// TestSuspended tells whether unpaid invoices keep a tenant from everything.
func TestSuspended(t *testing.T) {
	t.Parallel()
	for state, want := range map[webhook.SubscriptionState]bool{webhook.Active: false, webhook.Suspended: true, webhook.Canceled: false} {
		change := webhook.Change{Subscriptions: []webhook.Subscription{{State: webhook.Trial}, {State: state}}}
		if change.Suspended() != want {
			t.Errorf("%s: %v", state, !want)
		}
	}
}
