package graphql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting is how deep the JSON of a request may be. Nothing in the API is
// nearly as deep.
const maxNesting = 100

var notUTF8 = bad("The request is not valid UTF-8.")

// strict finds what a JSON reader passes over in silence and loses: bytes that
// are no UTF-8, escapes of half a character, and the first of two members of
// the same name. What is not JSON at all it leaves to the reader.
func strict(text []byte) *badRequest {
	if !utf8.Valid(text) {
		return notUTF8
	}
	var s scanner
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			if len(s.open) == maxNesting {
				return &badRequest{
					status: http.StatusBadRequest, code: codeLimit,
					message: fmt.Sprintf("The JSON is nested more than %d deep.", maxNesting),
				}
			}
			s.open = append(s.open, level{isObject: c == '{'})
			s.atName = c == '{'
		case '}', ']':
			s.open = s.open[:max(len(s.open)-1, 0)]
			s.atName = false
		case ',':
			s.atName = len(s.open) > 0 && s.open[len(s.open)-1].isObject
		case '"':
			end := i + stringLength(text[i:])
			if problem := s.string(text[i:end]); problem != nil {
				return problem
			}
			i = end - 1
		}
	}
	return nil
}

// scanner goes through JSON from left to right.
type scanner struct {
	open   []level
	atName bool // the next string is the name of a member
}

// level is an object or a list that is open.
type level struct {
	isObject bool
	names    map[string]bool
}

// string looks at a string with its quotes.
func (s *scanner) string(quoted []byte) *badRequest {
	escaped := bytes.IndexByte(quoted, '\\') >= 0
	if escaped {
		if half := halfCharacter(string(quoted)); half != "" {
			return bad("The escape %s is half a character; it takes two such escapes to make one.", half)
		}
	}
	if !s.atName {
		return nil
	}
	s.atName = false
	name := string(bytes.Trim(quoted, `"`))
	if escaped && json.Unmarshal(quoted, &name) != nil {
		return nil
	}
	object := &s.open[len(s.open)-1]
	if object.names[name] {
		return bad("%s is there twice.", strconv.Quote(name))
	}
	if object.names == nil {
		object.names = map[string]bool{}
	}
	object.names[name] = true
	return nil
}

// stringLength is the length of the string that text begins with, quotes
// included.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// halfCharacter returns the first \u escape in a string of JSON or GraphQL that
// is one half of a surrogate pair without the other, or nothing.
func halfCharacter(quoted string) string {
	for {
		at := strings.IndexByte(quoted, '\\')
		if at < 0 || at+1 >= len(quoted) {
			return ""
		}
		first, ok := escapedUnit(quoted[at:])
		if !ok || !utf16.IsSurrogate(first) {
			quoted = quoted[at+2:]
			continue
		}
		second, _ := escapedUnit(quoted[at+6:])
		if utf16.DecodeRune(first, second) == utf8.RuneError {
			return quoted[at : at+6]
		}
		quoted = quoted[at+12:]
	}
}

// escapedUnit reads an escape such as \u00e9.
func escapedUnit(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(unit), err == nil
}
