package ui

import (
	"bytes"
	"encoding/json"
	"strings"
)

// DiffLine is a line of a difference: "+" is new, "-" is gone, " " is in both,
// and "…" stands for lines that are left out.
type DiffLine struct{ Sign, Text string }

// maxCompared bounds the lines that are compared with each other; beyond it
// they are shown as gone and new.
const maxCompared = 2000

// diffContext is how many lines that did not change are shown around a change.
const diffContext = 3

// PrettyJSON indents JSON; any other text stays as it is.
func PrettyJSON(body string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", "  "); err != nil {
		return body
	}
	return out.String()
}

// DiffJSON compares two JSON texts line by line. If there is none before, all
// lines are new.
func DiffJSON(before, after string) []DiffLine {
	if before == "" {
		return signed("+", strings.Split(PrettyJSON(after), "\n"))
	}
	return shorten(diffLines(strings.Split(PrettyJSON(before), "\n"), strings.Split(PrettyJSON(after), "\n")))
}

func signed(sign string, lines []string) []DiffLine {
	all := make([]DiffLine, len(lines))
	for i, line := range lines {
		all[i] = DiffLine{sign, line}
	}
	return all
}

// diffLines finds the longest lines in common, after what is the same at both
// ends was set aside.
func diffLines(a, b []string) []DiffLine {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	all := signed(" ", a[:start])
	all = append(all, diffMiddle(a[start:len(a)-end], b[start:len(b)-end])...)
	return append(all, signed(" ", a[len(a)-end:])...)
}

func diffMiddle(a, b []string) []DiffLine {
	if len(a) > maxCompared || len(b) > maxCompared {
		return append(signed("-", a), signed("+", b)...)
	}
	// common[i][j] is how many lines a[i:] and b[j:] have in common.
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []DiffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, DiffLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all = append(all, DiffLine{"-", a[i]})
			i++
		default:
			all = append(all, DiffLine{"+", b[j]})
			j++
		}
	}
	return all
}

// shorten leaves out lines that are far from any change.
func shorten(lines []DiffLine) []DiffLine {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line.Sign == " " {
			continue
		}
		for j := max(0, i-diffContext); j <= min(len(lines)-1, i+diffContext); j++ {
			near[j] = true
		}
	}
	var short []DiffLine
	for i, line := range lines {
		if near[i] {
			short = append(short, line)
		} else if len(short) == 0 || short[len(short)-1].Sign != "…" {
			short = append(short, DiffLine{"…", ""})
		}
	}
	if len(short) == 1 && short[0].Sign == "…" {
		return nil // nothing changed at all
	}
	return short
}
