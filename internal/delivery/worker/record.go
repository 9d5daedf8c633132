package worker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/send"
)

// record writes how a request went into its attempt. Any answer of the kind 2xx
// is a success, even if the rest of it never came. Of what the receiver says, the
// secrets that it was sent are hidden.
func record(a *webhook.Attempt, route *preparedRoute, header http.Header, r *send.Result) {
	a.URL = route.url
	a.StartedAt, a.FinishedAt = r.Started, &r.Finished
	a.RequestHeaders = route.shown(header)
	if r.Address != "" {
		a.Address = &r.Address
	}
	if r.Status != 0 {
		a.Status = &r.Status
		a.ResponseHeaders = shownAnswer(route.answers.header(r.Header))
		body, cut := route.answers.body(string(r.Body))
		a.ResponseBody, a.Truncated = &body, r.Truncated || cut
	}
	a.Timings = timings(&r.Timings)
	why := route.answers.hide(explain(r))
	switch {
	case r.Status >= 200 && r.Status <= 299:
		a.Outcome = webhook.AttemptDelivered
	case r.Kind == send.Canceled:
		a.Outcome, a.FinishedAt = webhook.AttemptUnknown, nil
	default:
		a.Outcome = webhook.AttemptFailed
	}
	if why != "" {
		a.Error = &why
	}
}

// explain says what went wrong, for people; nothing if nothing did.
func explain(r *send.Result) string {
	switch {
	case r.Err == nil && r.Status >= 200 && r.Status <= 299:
		return ""
	case r.Err == nil && r.Status >= 300 && r.Status <= 399:
		return fmt.Sprintf("The endpoint answered %d: webhooks do not follow redirects. Set the address it points to.", r.Status)
	case r.Err == nil:
		return fmt.Sprintf("The endpoint answered %d %s.", r.Status, http.StatusText(r.Status))
	case r.Status != 0:
		return fmt.Sprintf("The endpoint answered %d, but the rest of its answer did not come: %v", r.Status, r.Err)
	case r.Sent:
		return fmt.Sprintf("There was no answer, and the endpoint may have seen the request: %v", r.Err)
	}
	return fmt.Sprintf("The request was not made: %v", r.Err)
}

// timings is webhook.Timings as JSON, written by hand: there is one for every
// request.
func timings(t *send.Timings) json.RawMessage {
	text := make([]byte, 0, 96)
	for i, part := range [...]struct {
		name string
		took time.Duration
	}{{`{"dns":`, t.DNS}, {`"connect":`, t.Connect}, {`"tls":`, t.TLS}, {`"firstByte":`, t.FirstByte}, {`"total":`, t.Total}} {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendFloat(append(text, part.name...), float64(part.took.Microseconds())/1000, 'f', -1, 64)
	}
	return append(text, '}')
}

// shownAnswer is what is kept of an answer's headers.
func shownAnswer(h http.Header) json.RawMessage {
	return asJSON(h, func(string) bool { return false })
}

// asJSON writes headers as an object, those that are hidden without their
// values.
func asJSON(h http.Header, hidden func(name string) bool) json.RawMessage {
	text := append(make([]byte, 0, 512), '{')
	var few [16]string
	names := few[:0]
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		value := webhook.HiddenValue
		if !hidden(name) {
			value = strings.Join(h[name], ", ") // as it is, if there is one
		}
		text = webhook.AppendText(append(webhook.AppendText(text, name), ':'), value)
	}
	return append(text, '}')
}
