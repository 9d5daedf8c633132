package sign

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestVerify(t *testing.T) {
	mine, others, now, body := parsed(t, New()), parsed(t, New()), time.Unix(1_800_000_000, 0), []byte(`{"a":1}`)
	stamp := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	signed := func(at time.Time, keys ...[]byte) string { return Header("7", at, body, keys...) }
	for name, c := range map[string]struct {
		id, timestamp, signature string
		body                     string
		want                     string // empty if it is to be trusted
	}{
		"right":                   {"7", stamp(now), signed(now, mine), string(body), ""},
		"right while it rotates":  {"7", stamp(now), signed(now, others, mine), string(body), ""},
		"another version beside":  {"7", stamp(now), "v1a,xyz " + signed(now, mine), string(body), ""},
		"as old as it may be":     {"7", stamp(now.Add(-Tolerance)), signed(now.Add(-Tolerance), mine), string(body), ""},
		"too old":                 {"7", stamp(now.Add(-Tolerance - time.Second)), signed(now.Add(-Tolerance-time.Second), mine), string(body), "5 minutes"},
		"of the future":           {"7", stamp(now.Add(Tolerance + time.Second)), signed(now.Add(Tolerance+time.Second), mine), string(body), "5 minutes"},
		"by another":              {"7", stamp(now), signed(now, others), string(body), "another secret"},
		"another body":            {"7", stamp(now), signed(now, mine), `{"a":2}`, "another body"},
		"another id":              {"8", stamp(now), signed(now, mine), string(body), "another body"},
		"another time":            {"7", stamp(now.Add(time.Second)), signed(now, mine), string(body), "another body"},
		"without a signature":     {"7", stamp(now), "", string(body), "webhook-signature is missing"},
		"without an id":           {"", stamp(now), signed(now, mine), string(body), "webhook-id is missing"},
		"without a time":          {"7", "", signed(now, mine), string(body), "webhook-timestamp is missing"},
		"with an odd time":        {"7", "today", signed(now, mine), string(body), `"today"`},
		"with a part of the text": {"7", stamp(now), strings.TrimPrefix(signed(now, mine), "v1,"), string(body), "another secret"},
	} {
		err := Verify(c.id, c.timestamp, c.signature, []byte(c.body), now, mine)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if Verify("7", stamp(now), signed(now, mine), body, now) == nil {
		t.Error("trusted without a key")
	}
}
