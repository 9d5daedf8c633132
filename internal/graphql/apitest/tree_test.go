package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// tree is JSON in which objects keep the order of their members, because the
// fields of an answer are in the order in which they were asked for.
type tree struct {
	scalar  json.Token // when it is neither an object nor a list
	isList  bool
	names   []string // of an object's members
	members []tree   // of an object or a list
}

func parseTree(text []byte) (tree, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	t, err := readTree(decoder)
	if err != nil {
		return t, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return t, fmt.Errorf("there is more after the JSON: %v", err)
	}
	return t, nil
}

func readTree(decoder *json.Decoder) (tree, error) {
	token, err := decoder.Token()
	opening, isOpening := token.(json.Delim)
	if err != nil || !isOpening {
		return tree{scalar: token}, err
	}
	t := tree{isList: opening == '[', members: []tree{}, names: []string{}}
	for decoder.More() {
		if !t.isList {
			name, err := decoder.Token()
			if err != nil {
				return t, err
			}
			t.names = append(t.names, name.(string))
		}
		member, err := readTree(decoder)
		if err != nil {
			return t, err
		}
		t.members = append(t.members, member)
	}
	_, err = decoder.Token()
	return t, err
}

func (t tree) isScalar() bool { return t.members == nil }

// line is the tree on one line.
func (t tree) line() string {
	if t.isScalar() {
		return string(asJSON(t.scalar))
	}
	parts := make([]string, len(t.members))
	for i, member := range t.members {
		if parts[i] = member.line(); !t.isList {
			parts[i] = fmt.Sprintf("%q: %s", t.names[i], parts[i])
		}
	}
	if t.isList {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

const lineLength = 110

// write prints the tree with a line for each member that would make a line too
// long.
func (t tree) write(b *strings.Builder, indent int) {
	line := t.line()
	if t.isScalar() || indent > 0 && indent+len(line) <= lineLength {
		b.WriteString(line)
		return
	}
	opening, closing := "{", "}"
	if t.isList {
		opening, closing = "[", "]"
	}
	b.WriteString(opening)
	for i, member := range t.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + strings.Repeat(" ", indent+2))
		if !t.isList {
			fmt.Fprintf(b, "%q: ", t.names[i])
		}
		member.write(b, indent+2)
	}
	b.WriteString("\n" + strings.Repeat(" ", indent) + closing)
}

func (t tree) String() string {
	var b strings.Builder
	t.write(&b, 0)
	return b.String()
}

// differ returns where two trees differ, nothing if they do not. same compares
// scalars.
func differ(path string, want, got tree, same func(want, got json.Token) bool) []string {
	switch {
	case want.isScalar():
		// A scalar may stand for anything: see the placeholders.
		var value json.Token = got.line()
		if got.isScalar() {
			value = got.scalar
		}
		if !same(want.scalar, value) {
			return []string{fmt.Sprintf("%s: want %s, got %s", path, want.line(), got.line())}
		}
		return nil
	case got.isScalar() || want.isList != got.isList || len(want.members) != len(got.members) || !slices.Equal(want.names, got.names):
		return []string{fmt.Sprintf("%s: want %s, got %s", path, want.line(), got.line())}
	}
	var found []string
	for i := range want.members {
		step := fmt.Sprintf("%s[%d]", path, i)
		if !want.isList {
			step = path + "." + want.names[i]
		}
		found = append(found, differ(step, want.members[i], got.members[i], same)...)
	}
	return found
}
