package worker

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/sign"
)

// headers makes the headers of a request for an event.
func (p *preparedRoute) headers(id string, sequence, attempt int, forced bool, body []byte, now time.Time) http.Header {
	h := make(http.Header, len(p.static)+7)
	for name, values := range p.static {
		h[name] = values
	}
	h["Webhook-Id"] = []string{id}
	h["Webhook-Timestamp"] = []string{strconv.FormatInt(now.Unix(), 10)}
	h["Webhook-Signature"] = []string{sign.Header(id, now, body, p.keys...)}
	h["Webhook-Sequence"] = []string{strconv.Itoa(sequence)}
	h["Webhook-Attempt"] = []string{strconv.Itoa(attempt)}
	if forced {
		h["Webhook-Forced"] = []string{"true"}
	}
	if p.plainName != "" {
		if signature, err := sign.Plain(p.plainHash, p.plainKey, body); err == nil {
			h[p.plainName] = []string{signature}
		}
	}
	return h
}

// shown are the headers of a request as they are logged: without secrets.
func (p *preparedRoute) shown(h http.Header) json.RawMessage {
	return asJSON(h, func(name string) bool { return p.secret[name] })
}
