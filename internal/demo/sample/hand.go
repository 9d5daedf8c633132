package sample

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tenantry/tenantry/client/webhook"
)

// stage is how far a tenant that was changed by hand is on its way back.
type stage string

const (
	changed  stage = "changed"  // and not reported yet
	found    stage = "found"    // by comparing the report
	repaired stage = "repaired" // by a webhook, which is not reported yet
	inSync   stage = "in sync"
)

// hand is what became of a tenant since somebody changed it by hand.
type hand struct {
	Stage stage  `json:"stage"`
	Steps []step `json:"steps"`
	// Problem is why the report was not taken, empty if it was.
	Problem string `json:"problem"`
	// Repairing says that Tenantry sent a webhook to repair what it found.
	Repairing bool `json:"repairing"`
	// since is when the stage began, and by the webhook that came while the report
	// was under way.
	since int64
	by    int64
	// reporting says that the change is in a report that is under way.
	reporting bool
}

// step is a line of what became of it.
type step struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
	// Event is the number of the webhook that it is about, 0 if it is about none.
	Event int64 `json:"event,omitempty"`
}

// copy is one that does not change any more.
func (h *hand) copy() *hand {
	if h == nil {
		return nil
	}
	same := *h
	same.Steps = slices.Clone(h.Steps)
	return &same
}

func (h *hand) add(at int64, to stage, text string, event int64) {
	h.Stage, h.since, h.Steps = to, at, append(h.Steps, step{at, text, event})
}

// told notes that a webhook has made the tenant what it should be.
func (h *hand) told(at, sequence int64) {
	switch {
	case h.Stage == changed && h.reporting:
		h.by = sequence // what it is for is known when the report is answered
	case h.Stage == changed:
		h.add(at, repaired, fmt.Sprintf("replaced by webhook #%d before it was reported", sequence), sequence)
	case h.Stage == found:
		h.add(at, repaired, fmt.Sprintf("repaired by webhook #%d", sequence), sequence)
	}
}

// busy says that the tenant is not back yet.
func (h *hand) busy() bool { return h != nil && h.Stage != inSync }

// breakIt changes a tenant as somebody does who edits the database of the application.
func (a *App) breakIt(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tenants[key{r.PathValue("platform"), r.PathValue("code")}]
	switch {
	case t == nil:
		answer(w, http.StatusNotFound, map[string]any{"message": "There is no such tenant."})
		return
	case t.hand.busy():
		answer(w, http.StatusConflict, map[string]any{"message": t.name + " was changed by hand already. Wait until it is repaired."})
		return
	}
	ways := t.ways()
	text := ways[t.broken%len(ways)]()
	t.broken++
	t.hand = &hand{}
	t.hand.add(a.Now().UnixMilli(), changed, "changed by hand: "+text, 0)
	t.version = a.touch()
	answer(w, http.StatusOK, map[string]any{"message": t.name + ": " + text + "."})
}

// ways are the ways to change a tenant by hand: taking away what it has, giving it more
// of that, and giving it what it has not bought. Each says what it did.
func (t *tenant) ways() (ways []func() string) {
	features := slices.Clone(t.features) // those of the webhook stay as they are
	if i := slices.IndexFunc(features, func(f webhook.Feature) bool { return f.Quantity == nil }); i >= 0 {
		ways = append(ways, func() string {
			name := features[i].Name
			t.features = slices.Delete(features, i, i+1)
			return name + " taken away"
		})
	}
	if i := slices.IndexFunc(features, func(f webhook.Feature) bool { return f.Quantity != nil }); i >= 0 {
		ways = append(ways, func() string {
			was := *features[i].Quantity
			more := 2*was + 1
			features[i].Quantity, t.features = &more, features
			return fmt.Sprintf("%s %d → %d", features[i].Name, was, more)
		})
	}
	able := abilities[t.platform]
	if i := slices.IndexFunc(able, func(a ability) bool { return t.feature(a.code) == nil }); i >= 0 {
		ways = append(ways, func() string {
			t.features = append(features, webhook.Feature{Code: able[i].code, Name: able[i].name})
			return able[i].name + " for nothing"
		})
	}
	return ways
}
