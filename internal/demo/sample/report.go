package sample

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantry/tenantry/client/webhook"
)

// Reports say where the application reports what it has, and with which API client.
type Reports struct {
	URL, ClientID, ClientSecret string
}

const (
	// lookEvery is how often the application looks whether there is something to
	// report.
	lookEvery = 250 * time.Millisecond
	// unnoticed is how long a change by hand is not reported, so that it can be seen.
	unnoticed = 2 * time.Second
	// againAfter is when a tenant that was found is reported again, in case its
	// repair had to wait.
	againAfter = 10 * time.Second
	// quiet is how long no webhook must have come before all tenants are reported, and
	// fullEvery how often that is. Each such report is in the audit log.
	quiet     = 2 * time.Second
	fullEvery = 30 * time.Second
)

// Report reports what the application has until ctx ends. All tenants are reported now
// and then; one that was changed by hand soon, by itself: if more than 5 % of a full
// report differ, Tenantry leaves the repair to a person, and there are few tenants here.
func (a *App) Report(ctx context.Context) {
	if a.Reports == nil {
		return
	}
	r := &reporter{App: a}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.turn(ctx)
		}
	}
}

// reporter reports what the application has.
type reporter struct {
	*App
	token  string
	fullAt time.Time // the last full report
}

// reportedTenant is a line of a report, and what it was when the line was written.
type reportedTenant struct {
	Code     string            `json:"code"`
	Sequence int64             `json:"sequence"`
	Features []webhook.Feature `json:"features"`
	tenant   *tenant
	stage    stage
}

// turn reports what there is to report.
func (r *reporter) turn(ctx context.Context) {
	for platform := range r.Secrets {
		if some := r.urgent(platform); len(some) > 0 {
			r.send(ctx, platform, some, false)
		}
	}
	if !r.fullDue() {
		return
	}
	r.fullAt = r.Now()
	for platform := range r.Secrets {
		if all := r.lines(platform, func(*tenant) bool { return true }); len(all) > 0 {
			r.send(ctx, platform, all, true)
		}
	}
}

// urgent are the tenants of a platform that were changed by hand, or repaired since. An
// application that is stopped reports nothing.
func (r *reporter) urgent(platform string) []reportedTenant {
	now := r.Now().UnixMilli()
	return r.lines(platform, func(t *tenant) bool {
		if r.stopped || t.hand == nil {
			return false
		}
		waited := time.Duration(now-t.hand.since) * time.Millisecond
		switch t.hand.Stage {
		case changed:
			return waited >= unnoticed
		case found:
			return waited >= againAfter
		}
		return t.hand.Stage == repaired
	})
}

// fullDue says whether it is time for a report of all tenants: not while webhooks come in
// or a tenant is on its way back.
func (r *reporter) fullDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.Now()
	if r.stopped || now.Sub(r.fullAt) < fullEvery {
		return false
	}
	for _, t := range r.tenants {
		if t.hand.busy() || now.Sub(t.changedAt) < quiet {
			return false
		}
	}
	return len(r.tenants) > 0
}

// lines are tenants as they are at this moment: what they have, and the webhook that they
// have it from.
func (r *reporter) lines(platform string, wanted func(*tenant) bool) (lines []reportedTenant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for is, t := range r.tenants {
		if is.platform != platform || !wanted(t) {
			continue
		}
		line := reportedTenant{Code: t.code, Sequence: t.sequence, Features: append([]webhook.Feature{}, t.features...), tenant: t}
		if t.hand != nil {
			t.hand.reporting, t.hand.by, line.stage = t.hand.Stage == changed, 0, t.hand.Stage
		}
		lines = append(lines, line)
	}
	return lines
}

// send sends a report and notes what came of it.
func (r *reporter) send(ctx context.Context, platform string, lines []reportedTenant, full bool) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for i := range lines {
		if err := encoder.Encode(&lines[i]); err != nil {
			panic(err) // what is reported is always JSON
		}
	}
	query := url.Values{"platform": {platform}}
	if full {
		query.Set("complete", "true")
	}
	came, problem := r.post(ctx, "/tenants/state?"+query.Encode(), &body)
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.Now().UnixMilli()
	for _, line := range lines {
		h := line.tenant.hand
		if h == nil || line.stage == "" {
			continue
		}
		if came == nil {
			h.notReported(at, problem)
		} else {
			h.reported(at, platform, line.stage, came.of(line.Code))
		}
		if line.stage == found || problem != "" {
			h.since = at // it is tried again later
		}
		line.tenant.version = r.touch()
	}
}

// of is what Tenantry said of a tenant, nil if it is in sync.
func (o *outcome) of(code string) *differing {
	for i := range o.Tenants {
		if o.Tenants[i].Code == code {
			return &o.Tenants[i]
		}
	}
	return nil
}

// post sends a request. It returns no outcome if the report does not count, and why if
// Tenantry said so; a server that does not answer is asked again by the next turn.
func (r *reporter) post(ctx context.Context, path string, body *bytes.Buffer) (came *outcome, problem string) {
	if r.token == "" {
		if err := r.getToken(ctx); err != nil {
			return nil, ""
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Reports.URL+path, body)
	if err != nil {
		return nil, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	came = &outcome{}
	status, err := do(request, came)
	switch {
	case status == http.StatusUnauthorized:
		r.token = "" // it has expired; there is another for the next turn
		return nil, ""
	case err != nil:
		return nil, ""
	case len(came.Errors) > 0:
		return nil, came.Errors[0].Message
	case status != http.StatusOK:
		return nil, http.StatusText(status)
	}
	return came, ""
}

func (r *reporter) getToken(ctx context.Context) error {
	form := url.Values{
		"grant_type": {"client_credentials"}, "scope": {"standard:write"}, "client_id": {r.Reports.ClientID}, "client_secret": {r.Reports.ClientSecret},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Reports.URL+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var granted struct {
		Token string `json:"access_token"`
	}
	if _, err := do(request, &granted); err != nil {
		return err
	}
	if r.token = granted.Token; r.token == "" {
		return errors.New("there is no token in the answer")
	}
	return nil
}

// do sends a request and reads the JSON of the answer.
func do(request *http.Request, into any) (status int, err error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return response.StatusCode, json.NewDecoder(response.Body).Decode(into)
}
