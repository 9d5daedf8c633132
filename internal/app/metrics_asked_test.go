package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestMetricOfUnsettledCollections counts a collection that waits for a person.
func TestMetricOfUnsettledCollections(t *testing.T) {
	t.Parallel()
	e, _ := inDirectory(t)
	s := inside(t, known.with(e))
	subscribeWith(t, s, newReceiving(t).URL)
	read := func() []string {
		return parseMetrics(t, get(t, s.url+"/metrics").body)["tenantry_collections_unsettled"]
	}
	if got := read(); !slices.Equal(got, []string{"tenantry_collections_unsettled 0"}) {
		t.Errorf("without collections: %q", got)
	}
	execute(t, openDB(t, e), collectionFault)
	eventually(t, patience, "one collection", func() bool { return slices.Equal(read(), []string{"tenantry_collections_unsettled 1"}) })
}

// TestMetricOfPersistentDrift counts a tenant that differs after its repair as before.
func TestMetricOfPersistentDrift(t *testing.T) {
	t.Parallel()
	e, _ := inDirectory(t)
	s := inside(t, known.with(e))
	subscribeWith(t, s, newReceiving(t).URL)
	read := func() []string {
		return parseMetrics(t, get(t, s.url+"/metrics").body)["tenantry_drift_persistent_tenants"]
	}
	if got := read(); !slices.Equal(got, []string{"tenantry_drift_persistent_tenants 0"}) {
		t.Errorf("without drift: %q", got)
	}
	execute(t, openDB(t, e), `INSERT INTO tenant_drift (tenant_id, platform_id, outcome, sequence, checked_at, since, differences, digest, repair_digest, repair_sequence, persistent, report_id)
		SELECT id, platform_id, 'DRIFTED', 1, 0, 0, '[]', 'a', 'a', 1, 1, 0 FROM tenant ORDER BY id LIMIT 1`)
	eventually(t, patience, "one tenant", func() bool { return slices.Equal(read(), []string{"tenantry_drift_persistent_tenants 1"}) })
}

// TestMetricOfLateEmail tells for how long e-mail has waited for a mail server.
func TestMetricOfLateEmail(t *testing.T) {
	t.Parallel()
	e, _ := inDirectory(t)
	s := inside(t, known.with(e))
	subscribeWith(t, s, newReceiving(t).URL)
	read := func() float64 {
		lines := parseMetrics(t, get(t, s.url+"/metrics").body)["tenantry_email_late_seconds"]
		var seconds float64
		if len(lines) != 1 {
			t.Fatalf("the metric is %q", lines)
		}
		if _, err := fmt.Sscanf(lines[0], "tenantry_email_late_seconds %g", &seconds); err != nil {
			t.Fatal(err)
		}
		return seconds
	}
	if got := read(); got != 0 {
		t.Errorf("without e-mail: %g", got)
	}
	execute(t, openDB(t, e), fmt.Sprintf(`INSERT INTO email_queue (account_id, next_at) VALUES (1, %d)`, time.Now().Add(-time.Hour).UnixMilli()))
	eventually(t, patience, "an hour", func() bool { return read() >= 3600 })
}
