package mail

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxID      = 250
	maxSubject = 250 // in characters
	maxName    = 120
)

var (
	idForm   = regexp.MustCompile("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$")
	typeForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$`)
)

// oneLine is a text without control characters and line breaks, with single blanks.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if isControl(r) || r == ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
	return strings.Join(words, " ")
}

// isControl reports whether a character ends a line or changes how what follows is
// read, such as the direction.
func isControl(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\uFEFF':
		return true
	}
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// clip is the beginning of a text, of at most so many bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// clipRunes is the beginning of a text, of at most so many characters.
func clipRunes(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n++
	}
	return text
}

func writeSubject(b *bytes.Buffer, subject string) {
	subject = clipRunes(oneLine(subject), maxSubject)
	const name = "Subject:"
	b.WriteString(name)
	if isPlain(subject) {
		writeFolded(b, subject, len(name))
	} else {
		b.WriteString(" " + encodedWords(subject) + "\r\n")
	}
}

func writeFrom(b *bytes.Buffer, name, address string) {
	name = clipRunes(oneLine(name), maxName)
	switch {
	case name == "":
		fmt.Fprintf(b, "From: %s\r\n", address)
	case isPlain(name) && len(name) < 60:
		fmt.Fprintf(b, "From: \"%s\"\r\n <%s>\r\n", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name), address)
	default:
		fmt.Fprintf(b, "From: %s\r\n <%s>\r\n", encodedWords(name), address)
	}
}

// longestWord is how long a word may be that is written as it is.
const longestWord = 60

// isPlain reports whether a text needs no encoding: it is ASCII and nothing in it can
// be taken for an encoded word.
func isPlain(text string) bool {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return false
		}
	}
	for word := range strings.SplitSeq(text, " ") {
		if len(word) > longestWord {
			return false
		}
	}
	return !strings.Contains(text, "=?")
}

// writeFolded writes words, on as many lines as they need. The first has used some
// characters.
func writeFolded(b *bytes.Buffer, text string, used int) {
	const width = 76
	for word := range strings.SplitSeq(text, " ") {
		if used+1+len(word) > width {
			b.WriteString("\r\n")
			used = 0
		}
		b.WriteString(" " + word)
		used += 1 + len(word)
	}
	b.WriteString("\r\n")
}

// encodedWords is a text as encoded words (RFC 2047), each on a line of its own and
// short enough to stand after the name of a header.
func encodedWords(text string) string {
	const most = 63 // characters of a word
	begin, encode := "=?utf-8?q?", quoted
	if len(quoted(text)) > base64.StdEncoding.EncodedLen(len(text)) {
		begin, encode = "=?utf-8?b?", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	}
	var words []string
	word := ""
	for _, r := range text { // a character is never divided
		if next := word + string(r); len(begin)+len(encode(next))+len("?=") <= most {
			word = next
			continue
		}
		words, word = append(words, begin+encode(word)+"?="), string(r)
	}
	return strings.Join(append(words, begin+encode(word)+"?="), "\r\n ")
}

// quoted is the Q encoding, with only those characters as they are that may stand in a
// name as well as in a subject.
func quoted(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			b.WriteByte('_')
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}
