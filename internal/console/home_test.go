package console_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestHomeTellsOfWebhooks lets webhooks fail and pauses an endpoint.
func TestHomeTellsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	r := s.receive()
	s.fill()
	s.settled("delivered")
	v := s.as(billing.Editor)
	if text := v.get("/").text(); strings.Contains(text, "Needs attention") || strings.Contains(text, "Set up") {
		t.Errorf("all is well, and it says %s", text)
	}
	r.refuses.Store(true)
	v.wants(v.submit(v.get("/tenants/1/sync")), 200)
	eventually(t, "the failure to be told", func() bool {
		return strings.Contains(v.get("/").text(), "1 tenant is out of sync: the last attempt to tell its application failed.")
	})
	s.pause("It answered 410 Gone.")
	v.wants(v.get("/"), 200, "Needs attention", "Webhooks of Harbour App wait: the endpoint is paused. It answered 410 Gone.", "/events?state=retry_wait")
}
