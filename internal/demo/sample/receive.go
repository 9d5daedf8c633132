package sample

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/tenantry/tenantry/client/webhook"
)

// keptEntries is how many webhooks the page lists.
const keptEntries = 50

// entry is a webhook in the list of those that came in.
type entry struct {
	At       int64    `json:"at"`
	Platform string   `json:"platform"`
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Sequence int64    `json:"sequence"`
	Changes  []string `json:"changes"`
}

// newReceivers makes a handler for the webhooks of each platform, as any
// application would.
func (a *App) newReceivers() (map[string]http.Handler, error) {
	receivers := map[string]http.Handler{}
	for platform, secret := range a.Secrets {
		handler, err := webhook.NewHandler([]string{secret}, numbers{a, webhook.NewMemoryStore()}, a.apply,
			webhook.WithTests(a.test), webhook.WithClock(a.Now), webhook.WithLog(slog.New(slog.DiscardHandler)))
		if err != nil {
			return nil, fmt.Errorf("the webhooks of %s: %w", platform, err)
		}
		receivers[platform] = handler
	}
	return receivers, nil
}

// receive takes a webhook, unless the application was told to stop.
func (a *App) receive(w http.ResponseWriter, r *http.Request) {
	receiver, known := a.receivers[r.PathValue("platform")]
	if !known {
		http.Error(w, "there is no such platform here", http.StatusNotFound)
		return
	}
	if a.turnedAway() {
		http.Error(w, "the sample was told to stop answering", http.StatusServiceUnavailable)
		return
	}
	seen := &status{ResponseWriter: w}
	receiver.ServeHTTP(seen, r)
	if seen.code >= http.StatusBadRequest {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.counts.Refused++
		a.touch()
	}
}

// status remembers what was answered.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

func (a *App) turnedAway() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		a.counts.Turned++
		a.owed = true
		a.touch()
	}
	return a.stopped
}

// numbers is a store that counts what came too late.
type numbers struct {
	app *App
	webhook.Store
}

// Update is that of webhook.Store.
func (n numbers) Update(ctx context.Context, tenant int64, change func(context.Context, int64) (int64, error)) error {
	applied := false
	err := n.Store.Update(context.WithValue(ctx, appliedKey{}, &applied), tenant, change)
	if err == nil && !applied {
		n.app.mu.Lock()
		defer n.app.mu.Unlock()
		n.app.counts.Late++
		n.app.touch()
	}
	return err
}

// appliedKey is where apply says that it was called.
type appliedKey struct{}

// apply makes a tenant what a webhook says.
func (a *App) apply(ctx context.Context, change webhook.Change) error {
	if applied, is := ctx.Value(appliedKey{}).(*bool); is {
		*applied = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	is := key{change.Tenant.Platform.Code, change.Tenant.Code}
	t := a.tenants[is]
	if t == nil {
		t = &tenant{platform: is.platform, code: is.code, used: map[string]int64{}}
		a.tenants[is] = t
	}
	t.changes, t.changedAt = t.become(&change), a.Now()
	if t.hand != nil {
		t.hand.told(t.changedAt.UnixMilli(), t.sequence)
	}
	a.counts.Applied++
	a.owed = false
	t.version = a.note(entry{Platform: is.platform, Code: is.code, Name: t.name, Sequence: t.sequence, Changes: t.changes})
	return nil
}

// test notes a test: its tenant does not exist.
func (a *App) test(_ context.Context, change webhook.Change) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note(entry{Platform: change.Tenant.Platform.Code, Code: change.Tenant.Code, Name: change.Tenant.Name, Changes: []string{"a test arrived"}})
	return nil
}

// note adds to the list of what came in. The caller holds mu.
func (a *App) note(e entry) (version int) {
	e.At = a.Now().UnixMilli()
	a.log = append(a.log, e)
	if len(a.log) > keptEntries {
		a.log = append([]entry(nil), a.log[len(a.log)-keptEntries:]...)
	}
	return a.touch()
}
