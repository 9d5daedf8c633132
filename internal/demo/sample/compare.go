package sample

import (
	"fmt"
	"strings"
)

// outcome is the answer to a report.
type outcome struct {
	Repaired int                        `json:"repaired"`
	Tenants  []differing                `json:"tenants"`
	Errors   []struct{ Message string } `json:"errors"`
}

// differing is a tenant that is not as Tenantry told it.
type differing struct {
	Code       string `json:"code"`
	Outcome    string `json:"outcome"`
	Persistent bool   `json:"persistent"`
	Features   []struct {
		Code     string `json:"code"`
		Kind     string `json:"kind"`
		Expected *side  `json:"expected"`
		Actual   *side  `json:"actual"`
	} `json:"features"`
}

type side struct {
	Value    string `json:"value"`
	Quantity *int64 `json:"quantity"`
}

func (s *side) words() string {
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

// words say what Tenantry found on a platform.
func (d *differing) words(platform string) string {
	var parts []string
	for _, f := range d.Features {
		name := nameOf(platform, f.Code)
		switch f.Kind {
		case "MISSING":
			parts = append(parts, "lacks "+name)
		case "EXTRA":
			parts = append(parts, "has "+name+", which it was not told")
		default:
			parts = append(parts, name+" is "+f.Actual.words()+" instead of "+f.Expected.words())
		}
	}
	return "found: " + strings.Join(parts, ", ")
}

// reported notes what Tenantry said of a tenant that was reported at a stage. Nothing is
// known of one that it did not name but that it is in sync.
func (h *hand) reported(at int64, platform string, was stage, d *differing) {
	h.reporting, h.Problem = false, ""
	switch {
	case was == changed && h.Stage == changed && d != nil && len(d.Features) > 0:
		h.add(at, found, d.words(platform), 0)
		if h.by > 0 {
			h.told(at, h.by)
		}
	case was == found && h.Stage == found && d != nil && d.Persistent:
		h.Problem = "still there after the repair"
	case was == repaired && h.Stage == repaired && (d == nil || d.Outcome == "BEHIND"):
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
