package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
)

// printTable writes the results in the form of docs/performance.md, aligned
// for those who read it in a terminal.
func printTable(w io.Writer, results []result) {
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| measurement\t| engine\t| measured\t| against\t| ratio\t| limit\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, r := range results {
		fmt.Fprintf(table, "| %s\t| %s\t| %s\t| %s\t| %.2f\t| %s\t|\n",
			r.Name, r.Engine, quantity(r.Measured, r.Unit), quantity(r.Against, r.Unit), r.Ratio, r.verdict())
	}
	_ = table.Flush() // nobody is left to tell
}

func (r result) verdict() string {
	text := "none"
	switch {
	case r.AtLeast > 0:
		text = fmt.Sprintf("≥ %.2f", r.AtLeast)
	case r.AtMost > 0:
		text = fmt.Sprintf("≤ %.2f", r.AtMost)
	}
	if !r.ok() {
		text += " MISSED"
	}
	return text
}

// quantity writes large numbers whole and small ones with two digits behind
// the point.
func quantity(value float64, unit string) string {
	if value < 100 {
		return fmt.Sprintf("%.2f %s", value, unit)
	}
	return thousands(int(value+0.5)) + " " + unit
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func writeJSON(path string, results []result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
