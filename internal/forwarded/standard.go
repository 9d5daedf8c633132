package forwarded

import "strings"

// standardHops are the for parameters in Forwarded, one for each proxy, empty
// where a proxy gave none. Nil if the header is not well-formed: then it is not
// known where one proxy's words end and another's begin.
func standardHops(values []string) []string {
	var hops []string
	rest := strings.Join(values, ",")
	for {
		hop, after, ok := element(rest)
		if !ok {
			return nil
		}
		hops = append(hops, hop)
		if after == "" {
			return hops
		}
		rest = after[1:]
	}
}

// element reads the pairs of one proxy, up to a comma or the end.
func element(text string) (hop, rest string, ok bool) {
	seen := false
	for {
		text = strings.TrimLeft(text, " \t;")
		if text == "" || text[0] == ',' {
			return hop, text, true
		}
		name, value, after, ok := pair(text)
		if !ok {
			return "", "", false
		}
		if strings.EqualFold(name, "for") {
			if seen {
				return "", "", false
			}
			hop, seen = value, true
		}
		if text = strings.TrimLeft(after, " \t"); text != "" && text[0] != ';' && text[0] != ',' {
			return "", "", false
		}
	}
}

// pair reads name=value, where value may be in quotes.
func pair(text string) (name, value, rest string, ok bool) {
	name, after, found := strings.Cut(text, "=")
	if !found || name == "" || strings.ContainsAny(name, " \t,;\"") {
		return "", "", "", false
	}
	if strings.HasPrefix(after, `"`) {
		value, rest, ok = quoted(after[1:])
		return name, value, rest, ok
	}
	end := strings.IndexAny(after, " \t,;")
	if end < 0 {
		end = len(after)
	}
	value = after[:end]
	return name, value, after[end:], value != "" && !strings.Contains(value, `"`)
}

// quoted reads what is between quotes, up to the closing one.
func quoted(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}
