package oauth

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

func (r *replica) lastUsed(id billing.ClientID) *time.Time {
	r.world.t.Helper()
	c, err := store.Clients.Get(r.world.t.Context(), r.store.Queries(), id)
	if err != nil || c == nil {
		r.world.t.Fatalf("client: %v, %v", c, err)
	}
	return c.LastUsedAt
}

func TestLastUseIsWrittenInTheBackground(t *testing.T) {
	r := sqliteWorld(t).replica()
	a, unused := r.createClient(), r.createClient()
	r.token(a)
	r.world.clock.pass(3 * time.Second)
	r.token(a)
	used := r.now()
	r.ask(app{unused.Client, "wrong"})
	if at := r.lastUsed(a.ID); at != nil {
		t.Errorf("written in the request: %v", at)
	}
	r.world.clock.pass(tickEvery)
	if err := r.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if at := r.lastUsed(a.ID); at == nil || !at.Equal(used) {
		t.Errorf("last used %v, want %v", at, used)
	}
	if at := r.lastUsed(unused.ID); at != nil {
		t.Errorf("a wrong secret counts as use: %v", at)
	}
	before := r.store.Statements()
	if err := r.runOnce(t.Context()); err != nil || r.store.Statements() != before {
		t.Errorf("%d statements with nothing to do: %v", r.store.Statements()-before, err)
	}
}

func TestStopWritesWhatIsLeft(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	r.Start()
	r.Start() // once is enough
	r.token(a)
	r.Stop(t.Context())
	if r.lastUsed(a.ID) == nil {
		t.Error("the last use is lost")
	}
	r.Stop(t.Context())
	r.Start() // it can go on
	r.Stop(t.Context())
}

func TestLastUseSurvivesAFailedWrite(t *testing.T) {
	w := sqliteWorld(t)
	r := w.replica()
	a := r.createClient()
	r.token(a)
	r.store.Close()
	if err := r.runOnce(t.Context()); err == nil {
		t.Fatal("writing to a closed database works")
	}
	r.store = w.open()
	if err := r.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.lastUsed(a.ID) == nil {
		t.Error("the last use is lost")
	}
	r.Server.store.Close()
	r.token(a)
	r.Stop(t.Context())
	if !strings.Contains(w.log.String(), "last used") {
		t.Errorf("the log does not say what is lost: %s", w.log.String())
	}
}

func TestMetrics(t *testing.T) {
	r := sqliteWorld(t).replica()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r.Collectors()...)
	a := r.createClient()
	token := r.token(a)
	r.ask(app{a.Client, "wrong"})
	r.present(token)
	r.present(token)
	r.present("x")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			got[family.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	want := map[string]float64{
		"tenantry_oauth_tokens_total invalid_client": 1, "tenantry_oauth_tokens_total issued": 1,
		"tenantry_oauth_verifications_total cached": 1, "tenantry_oauth_verifications_total verified": 1,
		"tenantry_oauth_verifications_total invalid": 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("metrics: %v, want %v", got, want)
	}
}
