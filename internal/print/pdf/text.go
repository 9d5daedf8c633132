package pdf

import (
	"fmt"
	"strconv"
	"unicode/utf16"
)

// number writes a number with up to two decimals, enough for points.
func number(v float64) string { return string(appendNumber(nil, v)) }

func appendNumber(to []byte, v float64) []byte {
	start := len(to)
	to = strconv.AppendFloat(to, v, 'f', 2, 64)
	for to[len(to)-1] == '0' {
		to = to[:len(to)-1]
	}
	if to[len(to)-1] == '.' {
		to = to[:len(to)-1]
	}
	if string(to[start:]) == "-0" {
		return append(to[:start], '0')
	}
	return to
}

// text writes a string of a dictionary, as UTF-16 in hexadecimal digits.
func text(s string) string {
	hex := []byte("<FEFF")
	for _, unit := range utf16.Encode([]rune(s)) {
		hex = fmt.Appendf(hex, "%04X", unit)
	}
	return string(append(hex, '>'))
}
