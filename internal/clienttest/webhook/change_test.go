package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tenantry/tenantry/client/webhook"
)

// TestEveryFieldIsTyped: the bodies that Tenantry is held to come out of the
// types as they went in, so no field is lost.
func TestEveryFieldIsTyped(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../billing/webhook/testdata/bodies/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d bodies: %v", len(files), err)
	}
	for _, file := range files {
		sent, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got webhook.Change
		h := newHandler(t, webhook.NewMemoryStore(), func(_ context.Context, change webhook.Change) error { got = change; return nil })
		if w := serve(h, request{body: string(sent), sequence: 1}.build(t)); w.Code != 204 {
			t.Errorf("%s: %d %s", file, w.Code, w.Body)
			continue
		}
		again := &bytes.Buffer{}
		encoder := json.NewEncoder(again)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(map[string]any{"type": webhook.TypeChange, "payload": map[string]any{
			"tenant": got.Tenant, "change": map[string]any{"features": got.Features, "subscriptions": got.Subscriptions},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if want, have := normal(t, sent), normal(t, again.Bytes()); want != have {
			t.Errorf("%s:\n%s\nnot\n%s", file, have, want)
		}
		if !bytes.Equal(got.Body, sent) {
			t.Errorf("%s: the body is another", file)
		}
	}
}

// normal is JSON with its keys in order.
func normal(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
