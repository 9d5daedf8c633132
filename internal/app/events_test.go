package app_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// logOf makes a database with a tenant that has three events: the first was
// given up, the second delivered at the second attempt, the third waits.
func logOf(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(dir, "tenantry.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		url := "https://cloud.example/hooks"
		p := &webhook.Platform{Code: "cloud", Name: "Cloud", ProvisioningEnabled: true, WebhookURL: &url}
		a := &billing.Account{Name: "Acme", BillingDay: 1}
		if err := store.Platforms.Insert(ctx, tx, p); err != nil {
			return err
		}
		if err := store.Accounts.Insert(ctx, tx, a); err != nil {
			return err
		}
		tenant := &billing.Tenant{PlatformID: p.ID, AccountID: a.ID, Code: "acme", Name: "Acme"}
		if err := store.Tenants.Insert(ctx, tx, tenant); err != nil {
			return err
		}
		return recordThree(ctx, tx, tenant)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func recordThree(ctx context.Context, tx *store.Tx, tenant *billing.Tenant) error {
	for n, body := range []string{`{"features":[{"code":"sso"}]}`, `{"features":[{"code":"sso"},{"code":"api"}]}`, `{"features":[]}`} {
		position, err := outbox.NextPosition(ctx, tx, tenant.ID)
		if err != nil {
			return err
		}
		e := &webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: n + 1, Reason: "state.changed", Body: body}
		if err := outbox.InsertEvent(ctx, tx, e, position); err != nil {
			return err
		}
	}
	status, problem, answer, finished := 503, "the answer was 503", "busy\x1b[2J", tx.Now.Add(20*time.Millisecond)
	id, err := outbox.ReserveAttempts(ctx, tx, 1)
	if err != nil {
		return err
	}
	failed := &webhook.Attempt{ID: id, DeliveryID: 2, Number: 1, URL: "https://cloud.example/hooks", StartedAt: tx.Now}
	failed.Outcome, failed.Status, failed.Error, failed.ResponseBody, failed.FinishedAt = webhook.AttemptFailed, &status, &problem, &answer, &finished
	failed.RequestHeaders = []byte("{}")
	if err := outbox.InsertAttempts(ctx, tx, []*webhook.Attempt{failed}); err != nil {
		return err
	}
	err = outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: 1, State: webhook.DeliveryExhausted}, {ID: 2, State: webhook.DeliveryDelivered}})
	if err != nil {
		return err
	}
	streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant.ID})
	if err != nil {
		return err
	}
	stream := streams[tenant.ID]
	stream.Pass(1, tx.Now)
	stream.Delivered(2, tx.Now)
	return outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream})
}

func TestEventsList(t *testing.T) {
	t.Parallel()
	dir := logOf(t)
	list := mustCommand(t, nil, "events", "list", "--data-dir", dir)
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), list)
	}
	for i, state := range []string{"exhausted", "delivered", "pending"} {
		fields := strings.Fields(lines[i+1])
		if len(fields) != 7 || fields[2] != "cloud" || fields[3] != "acme" || fields[5] != state {
			t.Errorf("line %d is %q, want the state %s", i+1, lines[i+1], state)
		}
	}
	done := command(t, nil, "events", "list", "--data-dir", dir, "--limit", "2")
	if strings.Count(done.stdout, "\n") != 3 || !strings.Contains(done.stderr, "--after 2") {
		t.Errorf("a page: %s%s", done.stdout, done.stderr)
	}
	rest := mustCommand(t, nil, "events", "list", "--data-dir", dir, "--after", "2", "--filter", "tenant:acme")
	if strings.Count(rest, "\n") != 2 || !strings.Contains(rest, "pending") {
		t.Errorf("the rest: %s", rest)
	}
}

func TestEventsShow(t *testing.T) {
	t.Parallel()
	dir := logOf(t)
	shown := mustCommand(t, nil, "events", "show", "2", "--data-dir", dir)
	for _, part := range []string{"delivered", "503", "20ms", "the answer was 503", "busy", `features[api]: nothing -> {"code":"api"}`, "\nbody:\n" + `{"features":[{"code":"sso"},{"code":"api"}]}`} {
		if !strings.Contains(shown, part) {
			t.Errorf("there is no %q in\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "\x1b") {
		t.Errorf("an answer can act on the terminal: %q", shown)
	}
	if first := mustCommand(t, nil, "events", "show", "1", "--data-dir", dir); !strings.Contains(first, "no request was made yet") || strings.Contains(first, "difference") {
		t.Errorf("the first: %s", first)
	}
}

func TestEventsResend(t *testing.T) {
	t.Parallel()
	dir := logOf(t)
	if counted := mustCommand(t, nil, "events", "resend", "--data-dir", dir, "--filter", "tenant:acme", "--all", "--dry-run"); counted != "3 events match\n" {
		t.Errorf("counted: %q", counted)
	}
	done := command(t, nil, "events", "resend", "1", "--data-dir", dir)
	if done.code != 1 || !strings.Contains(done.stderr, "back in time") {
		t.Errorf("back in time: %d %s", done.code, done.stderr)
	}
	if forced := mustCommand(t, nil, "events", "resend", "1", "--force", "--data-dir", dir); forced != "event 1 is queued again\n" {
		t.Errorf("forced: %q", forced)
	}
	if many := mustCommand(t, nil, "events", "resend", "--data-dir", dir, "--filter", "state:delivered"); many != "1 event matches; job 1 sends them\n" {
		t.Errorf("many: %q", many)
	}
}

func TestEventsMistakes(t *testing.T) {
	t.Parallel()
	dir := logOf(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"events"}, 2, "list, show, resend"},
		{[]string{"events", "list", "--limit", "0"}, 2, "--limit must be from 1 to 1000"},
		{[]string{"events", "list", "--filter", "state:odd"}, 1, "write one of pending"},
		{[]string{"events", "list", "--filter", `"`}, 1, "never closed"},
		{[]string{"events", "show"}, 2, "takes EVENT"},
		{[]string{"events", "show", "one"}, 2, "not \"one\""},
		{[]string{"events", "show", "99"}, 1, "there is no webhook event 99"},
		{[]string{"events", "resend"}, 2, "name an EVENT, or give --filter"},
		{[]string{"events", "resend", "1", "2"}, 2, "takes [EVENT]"},
		{[]string{"events", "resend", "1", "--filter", "x"}, 2, "not both"},
		{[]string{"events", "resend", "99"}, 1, "There is no webhook event with id 99"},
		{[]string{"events", "resend", "3"}, 1, "waits to be sent"},
		{[]string{"events", "resend", "--filter", "colour:red"}, 1, "no filter field"},
		{[]string{"serve", "--max-response-bytes", "1"}, 2, "--max-response-bytes must be from 65536 to 1073741824, not 1"},
		{[]string{"serve", "--keep-delivered-days", "0"}, 2, "--keep-delivered-days must be from 1 to 3650 days, not 0"},
		{[]string{"serve", "--keep-failed-days", "many"}, 2, "it must be a whole number"},
	} {
		args := c.args
		if len(args) > 1 {
			args = append(args, "--data-dir", dir)
		}
		done := command(t, nil, args...)
		if done.code != c.code || !strings.Contains(done.stderr, c.says) {
			t.Errorf("%q exits with %d and says %q, want %d and %q", c.args, done.code, done.stderr, c.code, c.says)
		}
	}
}
