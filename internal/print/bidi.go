package print

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// visual puts the characters of a line into the order in which they are drawn:
// those of Hebrew and Arabic from right to left. It is the Unicode bidirectional
// algorithm for single lines, without its rule for pairs of brackets and without
// explicit marks, which plain has removed.
func visual(line string) string {
	if strings.IndexFunc(line, isRightToLeft) < 0 {
		return line
	}
	runes := shape([]rune(line))
	levels := levelsOf(runes)
	for n, r := range runes {
		if levels[n] == 1 {
			runes[n] = mirrored(r)
		}
	}
	// Numbers are turned twice, and so keep their order.
	for level := int8(2); level > 0; level-- {
		for start := 0; start < len(runes); start++ {
			end := start
			for end < len(runes) && levels[end] >= level {
				end++
			}
			slices.Reverse(runes[start:end])
			slices.Reverse(levels[start:end])
			start = max(start, end)
		}
	}
	return string(runes)
}

func isRightToLeft(r rune) bool {
	if r < 0x0590 {
		return false
	}
	class := classOf(r)
	return class == bidi.R || class == bidi.AL
}

func classOf(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

// levelsOf says how each character is read: at even levels from left to right, at
// odd ones from right to left. The line is read as its first letter is.
func levelsOf(runes []rune) []int8 {
	base := int8(0)
	if first := slices.IndexFunc(runes, func(r rune) bool { return isRightToLeft(r) || classOf(r) == bidi.L }); first >= 0 && isRightToLeft(runes[first]) {
		base = 1
	}
	types := typesOf(runes, base)
	levels := make([]int8, len(runes))
	for start := 0; start < len(types); {
		end := start + 1
		for end < len(types) && types[end] == types[start] {
			end++
		}
		level := levelOf(types[start], base)
		if types[start] == bidi.ON {
			// What is neutral goes with both sides if they agree. Numbers count as
			// what is around them.
			level = base
			if before, after := sideOf(types, start-1, base), sideOf(types, end, base); before == after {
				level = levelOf(before, base)
			}
		}
		for n := start; n < end; n++ {
			levels[n] = level
		}
		start = end
	}
	return levels
}

// levelOf is the level of letters and numbers.
func levelOf(t bidi.Class, base int8) int8 {
	switch {
	case t == bidi.R:
		return 1
	case t == bidi.L && base == 0:
		return 0
	}
	return 2
}

// sideOf is what is beside neutral characters: the line itself at its ends.
func sideOf(types []bidi.Class, n int, base int8) bidi.Class {
	switch {
	case n >= 0 && n < len(types) && types[n] == bidi.L, (n < 0 || n == len(types)) && base == 0:
		return bidi.L
	}
	return bidi.R
}

// typesOf reduces characters to four types: letters that are read from the left or
// from the right, numbers among the latter (EN), and what is neutral (ON).
func typesOf(runes []rune, base int8) []bidi.Class {
	types := make([]bidi.Class, len(runes))
	letter := sideOf(nil, -1, base) // the last one
	for n, r := range runes {
		class := classOf(r)
		switch {
		case class == bidi.L:
			types[n], letter = bidi.L, bidi.L
		case class == bidi.R || class == bidi.AL:
			types[n], letter = bidi.R, bidi.R
		case class == bidi.EN || class == bidi.AN || isWithinNumber(runes, n):
			types[n] = bidi.EN
			if letter == bidi.L {
				types[n] = bidi.L
			}
		case class == bidi.NSM && n > 0:
			types[n] = types[n-1]
		default:
			types[n] = bidi.ON
		}
	}
	return types
}

// isWithinNumber reports whether a character is a sign such as a point between
// digits, or one such as % beside them.
func isWithinNumber(runes []rune, n int) bool {
	isDigit := func(n int) bool {
		if n < 0 || n >= len(runes) {
			return false
		}
		class := classOf(runes[n])
		return class == bidi.EN || class == bidi.AN
	}
	switch classOf(runes[n]) {
	case bidi.ES, bidi.CS:
		return isDigit(n-1) && isDigit(n+1)
	case bidi.ET:
		return isDigit(n-1) || isDigit(n+1)
	}
	return false
}

var brackets = []rune("()[]{}<>«»‹›")

// mirrored is the other one of a pair of brackets, and any other character itself.
func mirrored(r rune) rune {
	if n := slices.Index(brackets, r); n >= 0 {
		return brackets[n^1]
	}
	return r
}
