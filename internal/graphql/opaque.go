package graphql

import "strings"

// opaqueLength is the length of the string or comment that text begins with,
// whose content is no syntax. It reads no further than that.
func opaqueLength(text string) int {
	if strings.HasPrefix(text, `"""`) {
		return blockLength(text)
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' || c == '\r': // a string must not reach beyond its line either
			return i
		case text[0] == '#':
		case c == '\\':
			i++
		case c == '"':
			return i + 1
		}
	}
	return len(text)
}

// blockLength is opaqueLength for a block string.
func blockLength(text string) int {
	for i := 3; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], `\"""`):
			i += 3
		case strings.HasPrefix(text[i:], `"""`):
			return i + 3
		}
	}
	return len(text)
}
