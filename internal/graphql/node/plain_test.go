package node

import (
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// written is what a marshaller writes.
func written(m graphql.Marshaler) string {
	a := NewAnswer(1 << 20)
	m.MarshalGQL(a)
	var text []byte
	for _, piece := range a.pieces {
		text = append(text, piece...)
	}
	return string(text)
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", `a "quoted" \ word`, "tab\tline\nreturn\rbell\a\x00", "ü 漢 😀 \u2028 <&>", "\xff half \xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(AppendString(nil, s)), written(graphql.MarshalString(s)); got != want {
			t.Errorf("%q is written as %s, want %s", s, got, want)
		}
	})
}

func FuzzAppendTime(f *testing.F) {
	for _, millis := range []int64{0, -1, 1, 951_782_399_999, 1_764_500_645_070, 253_402_300_799_999, 253_402_300_800_000, -62_167_219_200_001} {
		f.Add(millis)
	}
	east := time.FixedZone("", 5*3600)
	f.Fuzz(func(t *testing.T, millis int64) {
		at := time.UnixMilli(millis)
		want := `"` + at.UTC().Format(timeFormat) + `"`
		if got := string(AppendTime(nil, at.In(east))); got != want {
			t.Errorf("%d is written as %s, want %s", millis, got, want)
		}
	})
}

func TestPlain(t *testing.T) {
	type pair struct{ a, b *string }
	appendField := func(text []byte, name string, p *pair) []byte {
		if name == "a" {
			return AppendOptional(text, p.a, AppendString)
		}
		return AppendOptional(text, p.b, AppendString)
	}
	atHand := func(name string) bool { return name == "a" || name == "b" }
	field := func(name, alias string) graphql.CollectedField {
		return graphql.CollectedField{Field: &ast.Field{Name: name, Alias: alias}}
	}
	x, y := "x", "y"
	list := []*pair{{a: &x}, {a: &y, b: &x}}
	fields := []graphql.CollectedField{field("b", "second"), field("a", "a")}

	object, ok := Plain(fields, list[0], atHand, appendField)
	if !ok || written(object) != `{"second":null,"a":"x"}` {
		t.Errorf("an object is written as %s", written(object))
	}
	for want, of := range map[string][]*pair{
		`[{"second":null,"a":"x"},{"second":"x","a":"y"}]`: list, `[{"second":"x","a":"y"}]`: list[1:], `[]`: nil,
	} {
		if m, ok := PlainList(fields, of, atHand, appendField); !ok || written(m) != want {
			t.Errorf("a list is written as %s, want %s", written(m), want)
		}
	}
	if _, ok := PlainList(fields, append(list, nil), atHand, appendField); ok {
		t.Error("an element that is missing would be written")
	}
	for _, not := range [][]graphql.CollectedField{nil, append(fields, field("c", "c"))} {
		if _, ok := Plain(not, list[0], atHand, appendField); ok {
			t.Errorf("%d fields are said to be at hand", len(not))
		}
	}
}

func TestPlainObjectsAreBounded(t *testing.T) {
	long := string(make([]byte, 100))
	object, _ := Plain([]graphql.CollectedField{{Field: &ast.Field{Name: "a", Alias: "a"}}}, &long, func(string) bool { return true },
		func(text []byte, _ string, s *string) []byte { return AppendString(text, *s) })
	defer func() {
		if _, ok := recover().(TooLarge); !ok {
			t.Error("an answer has more bytes than it may")
		}
	}()
	object.MarshalGQL(NewAnswer(50))
}
