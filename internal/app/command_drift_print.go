package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tenantry/tenantry/internal/billing/drift"
)

// printDrift tells people what applications reported.
func printDrift(out io.Writer, all []platformDrift) error {
	if len(all) == 0 {
		fmt.Fprintln(out, "there are no platforms")
	}
	for i := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := all[i].print(out); err != nil {
			return err
		}
	}
	return nil
}

func (d *platformDrift) print(out io.Writer) error {
	fmt.Fprintf(out, "platform     %s\n", oneLine(d.Platform))
	fmt.Fprintf(out, "policy       %s\n", d.policy())
	fmt.Fprintf(out, "last report  %s\n", d.LastReport.words())
	if d.LastReport != nil && d.LastReport.Held {
		fmt.Fprintf(out, "held         so much of it differs that nothing is repaired by itself: look at some tenants, then run \"tenantry drift repair --platform %s\"\n", oneLine(d.Platform))
	}
	fmt.Fprintf(out, "differing    %s\n", upTo(d.Differing, "tenant"))
	if len(d.Tenants) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nTENANT\tOUTCOME\tEVENT\tNOTICED\tFEATURE\tTOLD\tHAS")
	for i := range d.Tenants {
		d.Tenants[i].print(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(d.Tenants) < d.Differing {
		fmt.Fprintf(out, "and others; --limit shows more than %d\n", len(d.Tenants))
	}
	return nil
}

func (d *platformDrift) policy() string {
	switch {
	case !d.Provisioning:
		return "none: provisioning is disabled, so nothing is told that could be compared"
	case d.Policy == drift.Off:
		return "OFF: reports are refused"
	case d.Policy == drift.Repair:
		return fmt.Sprintf("REPAIR: tenants that differ are told their state again, at most %d a minute", d.PerMinute)
	}
	return string(d.Policy) + ": differences are shown"
}

// words are when a full report came and what it said.
func (r *fullReport) words() string {
	if r == nil {
		return "no full report has come yet"
	}
	var parts []string
	for _, outcome := range drift.Outcomes {
		if n := r.Outcomes[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome.WordsOf(n)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tenants"}
	}
	state := ", not complete"
	if r.CompletedAt != nil {
		state = fmt.Sprintf(", %d repaired for it", r.Repaired)
	}
	return r.BegunAt.UTC().Format(time.RFC3339) + " " + oneLine(r.Report) + ": " + strings.Join(parts, ", ") + state
}

// print writes a line for each feature that differs, or one if none does by itself.
func (t *driftedTenant) print(table io.Writer) {
	outcome := t.Outcome.Words()
	if t.Persistent {
		outcome += ", still there after a repair"
	}
	event := "-"
	if t.Sequence > 0 {
		event = strconv.Itoa(t.Sequence)
	}
	start := fmt.Sprintf("%s\t%s\t%s\t%s", oneLine(t.Code), outcome, event, t.Since.UTC().Format(time.RFC3339))
	for i := range t.Features {
		f := &t.Features[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", start, oneLine(f.Code), sideWords(f.Expected), sideWords(f.Actual))
	}
	if len(t.Features) == 0 {
		fmt.Fprintf(table, "%s\t-\t-\t-\n", start)
	}
}

// sideWords is one side of a difference.
func sideWords(s *drift.Side) string {
	switch {
	case s == nil:
		return "nothing"
	case s.Quantity != nil && s.Value != "":
		return fmt.Sprintf("%d %s", *s.Quantity, oneLine(s.Value))
	case s.Quantity != nil:
		return strconv.Itoa(*s.Quantity)
	case s.Value != "":
		return oneLine(s.Value)
	}
	return "yes"
}
