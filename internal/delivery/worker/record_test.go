package worker

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/send"
)

// TestRecordedJSON: what is written by hand is what encoding/json reads.
func TestRecordedJSON(t *testing.T) {
	t.Parallel()
	var read webhook.Timings
	text := timings(&send.Timings{DNS: 1500 * time.Microsecond, Connect: 0, TLS: time.Nanosecond, FirstByte: 3 * time.Second, Total: 4*time.Second + time.Microsecond})
	if err := json.Unmarshal(text, &read); err != nil || read != (webhook.Timings{DNS: 1.5, FirstByte: 3000, Total: 4000.001}) {
		t.Errorf("%s is %+v (%v)", text, read, err)
	}
	var headers map[string]string
	text = asJSON(http.Header{"A": {"1", "2"}, "Quote": {"\"\\\n\u2028<é"}, "Secret": {"x"}}, func(name string) bool { return name == "Secret" })
	want := map[string]string{"A": "1, 2", "Quote": "\"\\\n\u2028<é", "Secret": webhook.HiddenValue}
	if err := json.Unmarshal(text, &headers); err != nil || !reflect.DeepEqual(headers, want) {
		t.Errorf("%s is %v (%v)", text, headers, err)
	}
	if text := asJSON(nil, nil); string(text) != "{}" {
		t.Errorf("no headers are %s", text)
	}
}
