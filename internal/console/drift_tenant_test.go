package console

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/drift"
)

// TestSidesDiffer shows the value that an application made up for a feature that is on or
// off: both sides must not look the same.
func TestSidesDiffer(t *testing.T) {
	names := featureNames{"sso": {Code: "sso", Kind: catalog.Boolean}}
	if told, has := names.side("sso", &drift.Side{}), names.side("sso", &drift.Side{Value: "true"}); told == has || has.Text != "true" {
		t.Errorf("told %+v, has %+v", told, has)
	}
}

// TestOutcomeNotes says what outcomes mean, in whole sentences.
func TestOutcomeNotes(t *testing.T) {
	const repaired = " The repair changed nothing: look at why the application did not act on it."
	for want, row := range map[string]drift.Tenant{
		"It last acted on event number 7, but does not have what that told it:":                     {Outcome: drift.Drifted, Sequence: 7},
		"It last acted on event number 7, but does not have what that told it." + repaired:          {Outcome: drift.Drifted, Sequence: 7, Persistent: true},
		"It has acted on no event yet, but has features all the same:":                              {Outcome: drift.Drifted},
		"It has what it was told with event number 7, and has not acted on what it was told since.": {Outcome: drift.Behind, Sequence: 7},
		" what it has. It has acted on no event yet.":                                               {Outcome: drift.Behind},
		"It has acted on no event yet." + repaired:                                                  {Outcome: drift.Behind, Persistent: true},
		" what it has. The tenant is not in its full report.":                                       {Outcome: drift.Missing},
		" what it has. The tenant is not in its full report." + repaired:                            {Outcome: drift.Missing, Persistent: true},
	} {
		if got := outcomeNote(&row); !strings.HasSuffix(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestWhatWasRepaired says what was wrong when an event repaired a tenant, in whole
// sentences.
func TestWhatWasRepaired(t *testing.T) {
	for want, r := range map[string]drift.SentRepair{
		"that the application had something else than it was told with event number 7:": {Outcome: drift.Drifted, Acted: 7},
		"that the application had something else than it was told:":                     {Outcome: drift.Drifted},
		"that the application had not acted on what it was told since event number 7.":  {Outcome: drift.Behind, Acted: 7},
		"that the application did not have the tenant: it was not in the full report.":  {Outcome: drift.Missing},
	} {
		b := featureNames{}.repairBlock("Last repaired", "Before.", &r)
		if !strings.HasPrefix(b.Note, "Before. A report of ") || !strings.HasSuffix(b.Note, want) {
			t.Errorf("%s\nwant %s", b.Note, want)
		}
	}
}
