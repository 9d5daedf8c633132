package transfer

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// FuzzLine reads any line: nothing makes the reader fall, its members are those
// that encoding/json finds, and what is written is read as the same.
func FuzzLine(f *testing.F) {
	example, err := os.ReadFile("../../docs/example.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range bytes.Split(example, []byte("\n")) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"subscription","code":"x","account":"a","priceList":"p","lines":[{"charge":"c","feature":null,"price":null,"deleted":{"charge":3}}],"nextPriceList":{"priceList":"y","on":"2026-01-01"}}`))
	f.Add([]byte(`{"a\u0062":"\ud83d\ude00","b":[{},[],"]}\"",-1e5],"":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		members, err := parseLine(text)
		if err == nil {
			var found map[string]json.RawMessage
			if err := json.Unmarshal(text, &found); err != nil || len(found) != len(members) {
				t.Fatalf("%q: %d members, not %d (%v)", text, len(members), len(found), err)
			}
			for _, m := range members {
				if !bytes.Equal(found[m.name], m.value) {
					t.Fatalf("%q: %q is %q, not %q", text, m.name, m.value, found[m.name])
				}
			}
		}
		kind, members, err := splitLine(text)
		if err != nil {
			return
		}
		l := lineOf(kind)
		if readFields(members, l.fields()) != nil {
			return
		}
		var first, second bytes.Buffer
		if err := appendObject(&first, l.fields()); err != nil {
			t.Fatal(err)
		}
		again := lineOf(kind)
		if members, err = parseObject(first.Bytes()); err != nil {
			t.Fatalf("%s: %v", first.Bytes(), err)
		}
		if err := readFields(members, again.fields()); err != nil {
			t.Fatalf("%s: %v", first.Bytes(), err)
		}
		if err := appendObject(&second, again.fields()); err != nil || first.String() != second.String() {
			t.Fatalf("%s is read as %s (%v)", first.Bytes(), second.Bytes(), err)
		}
	})
}
