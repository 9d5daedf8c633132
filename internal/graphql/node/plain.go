package node

import (
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
)

// plain writes objects of which only fields are asked for that are at hand.
// Nothing is made of their values before they are written: appendField adds one
// to the text.
type plain[T any] struct {
	fields      []graphql.CollectedField
	appendField func(text []byte, name string, obj *T) []byte
}

// isPlain reports whether fields are all at hand.
func isPlain(fields []graphql.CollectedField, atHand func(name string) bool) bool {
	for i := range fields {
		if !atHand(fields[i].Name) {
			return false
		}
	}
	return len(fields) > 0
}

// Plain marshals an object, if those fields of it are at hand.
func Plain[T any](fields []graphql.CollectedField, obj *T, atHand func(string) bool, appendField func([]byte, string, *T) []byte) (graphql.Marshaler, bool) {
	if !isPlain(fields, atHand) {
		return nil, false
	}
	return &plainObject[T]{plain[T]{fields, appendField}, obj}, true
}

type plainObject[T any] struct {
	plain[T]
	obj *T
}

// MarshalGQL writes the object.
func (p *plainObject[T]) MarshalGQL(w io.Writer) { p.write(w.(*Answer), p.obj) }

// PlainList marshals a list of objects, if those fields of them are at hand.
func PlainList[T any](fields []graphql.CollectedField, list []*T, atHand func(string) bool, appendField func([]byte, string, *T) []byte) (graphql.Marshaler, bool) {
	if !isPlain(fields, atHand) || slices.Contains(list, nil) {
		return nil, false
	}
	return &plainList[T]{plain[T]{fields, appendField}, list}, true
}

type plainList[T any] struct {
	plain[T]
	list []*T
}

// MarshalGQL writes the list.
func (p *plainList[T]) MarshalGQL(w io.Writer) {
	answer, before := w.(*Answer), "["
	for _, obj := range p.list {
		add(answer, before)
		p.write(answer, obj)
		before = ","
	}
	if len(p.list) == 0 {
		add(answer, "[")
	}
	add(answer, "]")
}

// write writes an object. Names in GraphQL need no escapes.
func (p *plain[T]) write(answer *Answer, obj *T) {
	text := answer.scratch[:0]
	for i := range p.fields {
		text = append(append(append(text, `,"`...), p.fields[i].Alias...), `":`...)
		text = p.appendField(text, p.fields[i].Name, obj)
	}
	text[0] = '{'
	text = append(text, '}')
	add(answer, text)
	answer.scratch = text
}

// AppendString adds a string, or what is text, as MarshalString writes it.
func AppendString[T ~string](text []byte, s T) []byte {
	text = append(text, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		text = append(text, s[start:i]...)
		start = i + 1
		switch c {
		case '\t':
			text = append(text, `\t`...)
		case '\r':
			text = append(text, `\r`...)
		case '\n':
			text = append(text, `\n`...)
		case '\\', '"':
			text = append(text, '\\', c)
		default:
			const digits = "0123456789ABCDEF"
			text = append(text, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		}
	}
	return append(append(text, s[start:]...), '"')
}

// AppendID adds an id as a string of digits.
func AppendID[T ~int64](text []byte, id T) []byte {
	return append(strconv.AppendInt(append(text, '"'), int64(id), 10), '"')
}

// AppendInt adds a whole number.
func AppendInt[T ~int](text []byte, n T) []byte { return strconv.AppendInt(text, int64(n), 10) }

// AppendBool adds true or false.
func AppendBool[T ~bool](text []byte, b T) []byte { return strconv.AppendBool(text, bool(b)) }

// AppendDate adds a date as YYYY-MM-DD.
func AppendDate(text []byte, d billing.Date) []byte { return AppendString(text, d.String()) }

// AppendTime adds a time in UTC, to the millisecond.
func AppendTime(text []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(text, '"'), timeFormat), '"')
	}
	hour, minute, second := t.Clock()
	text = appendPair(appendPair(append(text, '"'), year/100), year%100)
	text = appendPair(append(text, '-'), int(month))
	text = appendPair(append(text, '-'), day)
	text = appendPair(append(text, 'T'), hour)
	text = appendPair(append(text, ':'), minute)
	text = appendPair(append(text, ':'), second)
	millis := t.Nanosecond() / int(time.Millisecond)
	return append(appendPair(append(text, '.', byte('0'+millis/100)), millis%100), 'Z', '"')
}

// appendPair adds a number of two digits.
func appendPair(text []byte, n int) []byte { return append(text, byte('0'+n/10), byte('0'+n%10)) }

// AppendOptional adds what there is, or null.
func AppendOptional[T any](text []byte, value *T, appendValue func([]byte, T) []byte) []byte {
	if value == nil {
		return append(text, "null"...)
	}
	return appendValue(text, *value)
}
