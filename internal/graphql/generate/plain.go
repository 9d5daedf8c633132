package main

import (
	"fmt"
	"regexp"
	"strings"
)

// plain is a field whose value is at hand and is written as it is: a scalar or
// an enum.
type plain struct{ object, goType, name, appended string }

// appenders are the functions of package node that write scalars and enums, by
// the function that marshals them; the type behind the 2 is the value's.
var appenders = []struct {
	marshal *regexp.Regexp
	appends string
}{
	{regexp.MustCompile(`^(String|ID|BigDecimal|ISO8601Date)2ᚖ?string$`), "AppendString"},
	{regexp.MustCompile(`^ID2ᚖ?(int64|\S+ID)$`), "AppendID"},
	{regexp.MustCompile(`^Int2ᚖ?int$`), "AppendInt"},
	{regexp.MustCompile(`^Boolean2ᚖ?bool$`), "AppendBool"},
	{regexp.MustCompile(`^ISO8601DateTime2ᚖ?timeᚐTime$`), "AppendTime"},
	{regexp.MustCompile(`^ISO8601Date2ᚖ?\S+ᚐDate$`), "AppendDate"},
	{regexp.MustCompile(`^` + enumNames + `2ᚖ?\S+$`), "AppendString"},
}

var marshalName = regexp.MustCompile(`^ec\.marshal([NO])(\w+2(ᚖ?)\S+)$`)

// newPlain describes a field, if it is one.
func newPlain(field, goType, value, marshal string) (p plain, ok bool) {
	object, name, _ := strings.Cut(field, "_")
	part := marshalName.FindStringSubmatch(marshal)
	if part == nil || strings.Contains(part[2], "ᚕ") {
		return p, false
	}
	optional, pointer := part[1] == "O", part[3] != ""
	if optional != pointer {
		return p, false // its null would mean something else
	}
	for _, a := range appenders {
		if !a.marshal.MatchString(part[2]) {
			continue
		}
		appended := fmt.Sprintf("node.%s(text, %s)", a.appends, value)
		if optional {
			appended = fmt.Sprintf("node.AppendOptional(text, %s, node.%s)", value, a.appends)
		}
		return plain{object, goType, name, appended}, true
	}
	return p, false
}

// Where the function of an object has learned its fields, and where that of a
// list begins with its elements.
var (
	objectStart = regexp.MustCompile(`(?m)^func \(ec \*executionContext\) _(\w+)\(ctx context\.Context, sel ast\.SelectionSet, obj \S+\) graphql\.Marshaler \{
	fields := graphql\.CollectFields\(.*\)\n`)
	listStart = regexp.MustCompile(`(?m)(^func \(ec \*executionContext\) marshal[NO](\w+)2ᚕᚖ\S+ᚄ\(ctx context\.Context, sel ast\.SelectionSet, v \[\](\S+)\) graphql\.Marshaler \{\n(?:\tif v == nil \{\n\t\treturn graphql\.Null\n\t\}\n)?)(\tret := node\.MarshalSlice)`)
)

// withPlain has objects and lists of them written by package node when only
// plain fields are asked for.
func withPlain(text string, fields []plain) string {
	of := map[string][]plain{}
	for _, f := range fields {
		of[f.object] = append(of[f.object], f)
	}
	var functions strings.Builder
	text = objectStart.ReplaceAllStringFunc(text, func(start string) string {
		object := objectStart.FindStringSubmatch(start)[1]
		if len(of[object]) == 0 {
			return start
		}
		writePlain(&functions, object, of[object])
		return start + fmt.Sprintf("\tif object, ok := node.Plain(fields, obj, isPlain%s, append%s); ok {\n\t\treturn object\n\t}\n", object, object)
	})
	text = listStart.ReplaceAllStringFunc(text, func(start string) string {
		part := listStart.FindStringSubmatch(start)
		before, object, goType, after := part[1], part[2], part[3], part[4]
		if len(of[object]) == 0 || of[object][0].goType != goType {
			return start
		}
		implementors := strings.ToLower(object[:1]) + object[1:] + "Implementors"
		return before + fmt.Sprintf("\tif list, ok := node.PlainList(graphql.CollectFields(ec.OperationContext, sel, %s), v, isPlain%s, append%s); ok {\n\t\treturn list\n\t}\n", implementors, object, object) + after
	})
	return text + functions.String()
}

// writePlain writes the two functions for the plain fields of an object.
func writePlain(w *strings.Builder, object string, fields []plain) {
	fmt.Fprintf(w, "\nfunc isPlain%s(name string) bool {\n\tswitch name {\n\tcase \"__typename\"", object)
	for _, f := range fields {
		fmt.Fprintf(w, ", %q", f.name)
	}
	fmt.Fprintf(w, ":\n\t\treturn true\n\t}\n\treturn false\n}\n")
	fmt.Fprintf(w, "\nfunc append%s(text []byte, name string, obj %s) []byte {\n\tswitch name {\n", object, fields[0].goType)
	for _, f := range fields {
		fmt.Fprintf(w, "\tcase %q:\n\t\treturn %s\n", f.name, f.appended)
	}
	fmt.Fprintf(w, "\t}\n\treturn node.AppendString(text, %q)\n}\n", object)
}
