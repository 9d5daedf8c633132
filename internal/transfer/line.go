package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxLine is how long a line may be, in bytes.
const MaxLine = 1 << 20

// member is one name with its value, as a line has them.
type member struct {
	name  string
	value []byte
}

var errHalf = errors.New("the text holds half of a surrogate pair")

var errNoObject = errors.New(`a line is one JSON object, such as {"type":"account","code":"acme","name":"Acme Inc"}`)

// parseLine splits a line into its members. Their values are parts of the line.
func parseLine(line []byte) ([]member, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("the line is not valid UTF-8 text")
	}
	if !json.Valid(line) {
		return nil, syntaxError(line)
	}
	return parseObject(line)
}

// syntaxError says where JSON stops being JSON.
func syntaxError(line []byte) error {
	if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
		return errNoObject
	}
	var any json.RawMessage
	err := json.Unmarshal(line, &any)
	var wrong *json.SyntaxError
	if errors.As(err, &wrong) {
		return fmt.Errorf("the line is not valid JSON, at byte %d: %s", wrong.Offset, wrong)
	}
	return errNoObject
}

// parseObject splits an object that is known to be valid JSON.
func parseObject(text []byte) ([]member, error) {
	at := blanks(text, 0)
	if at == len(text) || text[at] != '{' {
		return nil, errNoObject
	}
	members := make([]member, 0, 16)
	for at = blanks(text, at+1); text[at] != '}'; at = blanks(text, at) {
		if text[at] == ',' {
			at = blanks(text, at+1)
		}
		end := valueEnd(text, at)
		name, err := readString(text[at:end])
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if m.name == name {
				return nil, fmt.Errorf("%q is there twice", name)
			}
		}
		at = blanks(text, end)
		at = blanks(text, at+1) // behind the colon
		end = valueEnd(text, at)
		members = append(members, member{name, text[at:end]})
		at = end
	}
	return members, nil
}

// parseList splits a list that is known to be valid JSON; ok is false if it is
// something else.
func parseList(text []byte) (values [][]byte, ok bool) {
	at := blanks(text, 0)
	if at == len(text) || text[at] != '[' {
		return nil, false
	}
	for at = blanks(text, at+1); text[at] != ']'; at = blanks(text, at) {
		if text[at] == ',' {
			at = blanks(text, at+1)
		}
		end := valueEnd(text, at)
		values = append(values, text[at:end])
		at = end
	}
	return values, true
}

// blanks returns where the next thing that is no blank is.
func blanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns where the value that begins at a place of valid JSON ends.
func valueEnd(text []byte, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return at + 1
		}
	}
	return at
}

// stringEnd returns where the string that begins at a place ends.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return at
}

// readString reads a JSON string. Half of a surrogate pair, which JSON can write
// and text cannot hold, is refused.
func readString(text []byte) (string, error) {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return "", err
	}
	if bytes.Contains(inner, []byte(`\u`)) && containsReplacement(s) && !containsReplacement(string(inner)) && !bytes.Contains(bytes.ToLower(inner), []byte(`\ufffd`)) {
		return "", errHalf
	}
	return s, nil
}

func containsReplacement(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError {
			return true
		}
	}
	return false
}
