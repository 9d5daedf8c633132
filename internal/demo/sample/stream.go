package sample

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
)

// gather is how long a page waits for more before it is told.
const gather = 100 * time.Millisecond

// shownFeature is a feature as the page shows it: bought or not.
type shownFeature struct {
	Code   string `json:"code"`
	Name   string `json:"name"`
	Bought bool   `json:"bought"`
	Value  string `json:"value,omitempty"`
	Limit  *int64 `json:"limit"`
	Used   *int64 `json:"used"`
}

type shownSubscription struct {
	State   webhook.SubscriptionState `json:"state"`
	Product string                    `json:"product"`
	Plan    string                    `json:"plan"`
	Price   string                    `json:"priceList"`
	Start   webhook.Date              `json:"start"`
	End     webhook.Date              `json:"end"`
	Trial   *webhook.Date             `json:"trialEnd"`
}

type shownTenant struct {
	ID            int64               `json:"id"`
	Platform      string              `json:"platform"`
	Code          string              `json:"code"`
	Name          string              `json:"name"`
	Sequence      int64               `json:"sequence"`
	Features      []shownFeature      `json:"features"`
	Subscriptions []shownSubscription `json:"subscriptions"`
	Changes       []string            `json:"changes"`
	ChangedAt     int64               `json:"changedAt"`
	// Hand is what became of it since somebody changed it by hand, nil if nobody did.
	Hand *hand `json:"hand"`
}

// shown is the application as its page shows it.
type shown struct {
	Version int           `json:"version"`
	Stopped bool          `json:"stopped"`
	Owed    bool          `json:"owed"`
	Console string        `json:"console"`
	Reports bool          `json:"reports"`
	Counts  counts        `json:"counts"`
	Log     []entry       `json:"log"`
	Tenants []shownTenant `json:"tenants"`
}

// since is what the application is now, with those tenants that changed after a
// version, in the order of their names.
func (a *App) since(version int) (now shown, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now = shown{Version: a.version, Stopped: a.stopped, Owed: a.owed, Console: a.Console, Reports: a.Reports != nil, Counts: a.counts, Log: slices.Clone(a.log), Tenants: []shownTenant{}}
	slices.Reverse(now.Log)
	for t := range maps.Values(a.tenants) {
		if t.version > version {
			now.Tenants = append(now.Tenants, t.shown())
		}
	}
	slices.SortFunc(now.Tenants, func(x, y shownTenant) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Platform, y.Platform), strings.Compare(x.Code, y.Code))
	})
	return now, a.changed
}

// shown lists what the application can do, bought or not, and then what it has
// been told of and knows nothing about.
func (t *tenant) shown() shownTenant {
	s := shownTenant{ID: t.id, Platform: t.platform, Code: t.code, Name: t.name, Sequence: t.sequence, Changes: t.changes, ChangedAt: t.changedAt.UnixMilli(),
		Hand: t.hand.copy(), Features: []shownFeature{}, Subscriptions: []shownSubscription{}}
	known := map[string]bool{}
	for _, able := range abilities[t.platform] {
		known[able.code] = true
		if f := t.feature(able.code); f != nil {
			s.Features = append(s.Features, t.bought(f))
		} else {
			s.Features = append(s.Features, shownFeature{Code: able.code, Name: able.name})
		}
	}
	for i := range t.features {
		if !known[t.features[i].Code] {
			s.Features = append(s.Features, t.bought(&t.features[i]))
		}
	}
	for _, sub := range t.subscriptions {
		start := sub.StartDate
		if sub.TrialStartDate != nil {
			start = *sub.TrialStartDate
		}
		s.Subscriptions = append(s.Subscriptions, shownSubscription{sub.State, sub.Product.Name, sub.Plan.Name, sub.PriceList.Name, start, sub.EndDate, sub.TrialEndDate})
	}
	return s
}

func (t *tenant) bought(f *webhook.Feature) shownFeature {
	is := shownFeature{Code: f.Code, Name: f.Name, Bought: true, Value: f.Value, Limit: f.Quantity}
	if f.Quantity != nil {
		used := t.used[f.Code]
		is.Used = &used
	}
	return is
}

func (a *App) list(w http.ResponseWriter, _ *http.Request) {
	now, _ := a.since(-1)
	answer(w, http.StatusOK, now)
}

func (a *App) show(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tenants[key{r.PathValue("platform"), r.PathValue("code")}]
	if t == nil {
		http.Error(w, "there is no such tenant", http.StatusNotFound)
		return
	}
	answer(w, http.StatusOK, t.shown())
}

// stream tells a page what changes, as server-sent events, until the page is
// closed.
func (a *App) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	for version := -1; ; {
		now, changed := a.since(version)
		version = now.Version
		text, err := json.Marshal(now)
		if err != nil {
			panic(err) // what is shown is always JSON
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
		pause := time.NewTimer(gather)
		select {
		case <-pause.C:
		case <-r.Context().Done():
			pause.Stop()
			return
		}
	}
}
