package sample

import (
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/client"
)

// sideWords is a feature as it was told, or as it is.
func sideWords(s *client.FeatureState) string {
	switch {
	case s == nil:
		return "nothing"
	case s.Quantity != nil:
		return fmt.Sprint(*s.Quantity)
	case s.Value != "":
		return s.Value
	}
	return "no limit"
}

// foundWords say what Tenantry found on a platform.
func foundWords(platform string, d *client.DifferingTenant) string {
	var parts []string
	for _, f := range d.Features {
		name := nameOf(platform, f.Code)
		switch f.Kind {
		case client.DriftKindMissing:
			parts = append(parts, "lacks "+name)
		case client.DriftKindExtra:
			parts = append(parts, "has "+name+", which it was not told")
		default:
			parts = append(parts, name+" is "+sideWords(f.Actual)+" instead of "+sideWords(f.Expected))
		}
	}
	return "found: " + strings.Join(parts, ", ")
}

// reported notes what Tenantry said of a tenant that was reported at a stage. Nothing is
// known of one that it did not name but that it is in sync.
func (h *hand) reported(at int64, platform string, was stage, d *client.DifferingTenant) {
	h.reporting, h.Problem = false, ""
	h.Repairing = h.Repairing || d != nil && d.Repaired
	switch {
	case was == changed && h.Stage == changed && d != nil && len(d.Features) > 0:
		h.add(at, found, foundWords(platform, d), 0)
		if h.by > 0 {
			h.told(at, h.by)
		}
	case was == found && h.Stage == found && d != nil && d.Persistent:
		h.Problem = "still there after the repair"
	case was == repaired && h.Stage == repaired && (d == nil || d.Outcome == client.DriftOutcomeBehind):
		h.add(at, inSync, "reported again: in sync", 0)
	}
}

// notReported notes that a report was not taken, and why if Tenantry said so.
func (h *hand) notReported(at int64, problem string) {
	h.reporting, h.Problem = false, problem
	if h.Stage == changed && h.by > 0 {
		h.told(at, h.by)
	}
}
