package app_test

import (
	"slices"
	"testing"
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
