package sample

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/webhook/sign"
)

const (
	maxBody = 4 << 20
	// keptEntries is how many webhooks the page lists.
	keptEntries = 50
	// testTenant is the tenant of a test, who does not exist.
	testTenant = "provisioning-test"
)

// webhook is the part of a TenantProvisioningChange that this application
// needs.
type webhook struct {
	Type    string `json:"type"`
	Payload struct {
		Tenant struct {
			Code     string `json:"code"`
			Name     string `json:"name"`
			Platform struct {
				Code string `json:"code"`
			} `json:"platform"`
		} `json:"tenant"`
		Change struct {
			Features      []feature      `json:"features"`
			Subscriptions []subscription `json:"subscriptions"`
		} `json:"change"`
	} `json:"payload"`
}

// feature is something that a tenant may use. Quantity is its limit, nil if
// there is none.
type feature struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Value    string `json:"value"`
	Quantity *int   `json:"quantity"`
}

type subscription struct {
	State          string  `json:"state"`
	StartDate      string  `json:"start_date"`
	EndDate        string  `json:"end_date"`
	TrialStartDate *string `json:"trial_start_date"`
	TrialEndDate   *string `json:"trial_end_date"`
	Plan           named   `json:"plan"`
	PriceList      named   `json:"price_list"`
	Product        named   `json:"product"`
}

type named struct {
	Name string `json:"name"`
}

// entry is a webhook in the list of those that came in.
type entry struct {
	At       int64    `json:"at"`
	Platform string   `json:"platform"`
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Sequence int      `json:"sequence"`
	Changes  []string `json:"changes"`
}

// receive takes a webhook: it verifies the signature over the bytes that came,
// and answers 200 once the tenant is as the body says.
func (a *App) receive(w http.ResponseWriter, r *http.Request) {
	platform := r.PathValue("platform")
	signing, known := a.Keys[platform]
	if !known {
		http.Error(w, "there is no such platform here", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		a.counts.Turned++
		a.touch()
		http.Error(w, "the sample was told to stop answering", http.StatusServiceUnavailable)
		return
	}
	h := r.Header
	err = sign.Verify(h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature"), body, a.Now(), signing)
	if err != nil {
		a.counts.Refused++
		a.touch()
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var told webhook
	sequence, bad := strconv.Atoi(h.Get("webhook-sequence"))
	if err := json.Unmarshal(body, &told); err != nil || bad != nil || told.Payload.Tenant.Code == "" {
		http.Error(w, "this is not a TenantProvisioningChange", http.StatusBadRequest)
		return
	}
	a.apply(platform, &told, sequence, h.Get("webhook-forced") == "true")
	w.WriteHeader(http.StatusOK)
}

// apply makes a tenant what a webhook says, unless something newer was applied
// before. The caller holds mu.
func (a *App) apply(platform string, told *webhook, sequence int, forced bool) {
	code := told.Payload.Tenant.Code
	if code == testTenant {
		a.note(entry{Platform: platform, Code: code, Name: told.Payload.Tenant.Name, Changes: []string{"a test arrived"}})
		return
	}
	t := a.tenants[key{platform, code}]
	if t == nil {
		t = &tenant{platform: platform, code: code, used: map[string]int{}}
		a.tenants[key{platform, code}] = t
	}
	if sequence < t.sequence && !forced {
		a.counts.Late++
		a.touch()
		return
	}
	changes := t.become(told, sequence)
	a.counts.Applied++
	t.changes, t.changedAt = changes, a.Now()
	t.version = a.note(entry{Platform: platform, Code: code, Name: t.name, Sequence: sequence, Changes: changes})
}

// note adds to the list of what came in. The caller holds mu.
func (a *App) note(e entry) (version int) {
	e.At = milliseconds(a.Now())
	a.log = append(a.log, e)
	if len(a.log) > keptEntries {
		a.log = append([]entry(nil), a.log[len(a.log)-keptEntries:]...)
	}
	return a.touch()
}

func milliseconds(t time.Time) int64 { return t.UnixMilli() }
