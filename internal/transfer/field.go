package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// field is one field of a line: its name and where its value is kept.
type field struct {
	name string
	// at is a pointer to the value.
	at any
	// nullable says that null empties a value that is no pointer.
	nullable bool
	// read and write are used instead of at for what has a shape of its own.
	// write returns nil for what is left out.
	read  func(value []byte) error
	write func() any
}

// instead maps the name of a described field to what a line has in its place; a
// field without a name is left out.
type instead map[string]field

// described are the fields of a row as a line has them. A reference is left out,
// unless something else is there instead: a line names things by their codes.
func described[T any](fields billing.Fields[T], row *T, other instead, more ...field) []field {
	all := make([]field, 0, 32)
	for f := range fields.All() {
		one, special := other[f.Name]
		if !special && !f.Reference {
			one = field{name: f.Name, at: f.At(row), nullable: f.Nullable}
		}
		if one.name != "" {
			all = append(all, one)
		}
	}
	return append(all, more...)
}

// editOf returns an edit that brings a row in line with a line.
func editOf[T any](members []member, as func(*T) line) func(*T) error {
	return func(row *T) error { return readFields(members, as(row).fields()) }
}

// readFields sets what a line says; what it does not mention stays as it is.
// null takes away what need not be there.
func readFields(members []member, fields []field) error {
	var problems billing.Problems
	for _, m := range members {
		f := find(fields, m.name)
		if f == nil {
			problems = append(problems, billing.Fail(billing.Invalid, m.name, "There is no field %q here%s.", excerpt(m.name), suggest(fields, m.name)))
			continue
		}
		if err := f.set(m.value); err != nil {
			found, known := billing.AsProblems(err)
			if !known {
				found = billing.Problems{billing.Fail(billing.Invalid, "", "%s", err)}
			}
			for _, p := range found {
				problems = append(problems, billing.Fail(p.Code, strings.Join(append([]string{m.name}, p.Field...), "."), "%s", p.Message))
			}
		}
	}
	return problems.Err()
}

func find(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// suggest helps with a name that is written differently.
func suggest(fields []field, name string) string {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	for _, f := range fields {
		if plain(f.name) == plain(name) {
			return fmt.Sprintf("; did you mean %q?", f.name)
		}
	}
	return ""
}

func (f *field) set(value []byte) error {
	if f.read != nil {
		return f.read(value)
	}
	into := reflect.ValueOf(f.at).Elem()
	kind := into.Type()
	if string(value) == "null" {
		if into.Kind() != reflect.Pointer && into.Kind() != reflect.Slice && !f.nullable {
			return fmt.Errorf("%s must not be null: leave it out, or give %s", f.name, wanted(kind))
		}
		into.SetZero()
		return nil
	}
	fresh := reflect.New(kind)
	if err := readValue(value, fresh.Interface()); err != nil {
		if _, known := billing.AsProblems(err); known || errors.Is(err, errHalf) {
			return err
		}
		return fmt.Errorf("%s must be %s, not %s", f.name, wanted(kind), excerpt(string(value)))
	}
	into.Set(fresh.Elem())
	return nil
}

// readValue reads a value. Nothing that a row pointed to before is written over.
func readValue(value []byte, into any) error {
	switch p := into.(type) {
	case *string:
		if value[0] != '"' {
			return errNoObject
		}
		s, err := readString(value)
		*p = s
		return err
	case **string:
		*p = new(string)
		return readValue(value, *p)
	case **billing.Price:
		var s string
		if err := readValue(value, &s); err != nil {
			return err
		}
		price, err := billing.ParsePrice(s)
		*p = &price
		return bare(err)
	case *billing.Price:
		var price *billing.Price
		err := readValue(value, &price)
		if price != nil {
			*p = *price
		}
		return err
	case **billing.Date:
		*p = new(billing.Date)
		return readValue(value, *p)
	case *billing.Date:
		var s string
		if err := readValue(value, &s); err != nil {
			return err
		}
		d, err := billing.ParseDate(s)
		*p = d
		return bare(err)
	case *tax.Percent:
		var s string
		if err := readValue(value, &s); err != nil {
			return err
		}
		percent, err := tax.ParsePercent(s)
		*p = percent
		return bare(err)
	case *json.RawMessage:
		var compact bytes.Buffer
		err := json.Compact(&compact, value)
		*p = compact.Bytes()
		return err
	}
	return json.Unmarshal(value, into)
}

// bare takes the field out of a problem, because the line knows a better name.
func bare(err error) error {
	problems, known := billing.AsProblems(err)
	if !known {
		return err
	}
	for _, p := range problems {
		p.Field = nil
	}
	return problems
}

// wanted says in words what a field takes.
func wanted(kind reflect.Type) string {
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind {
	case reflect.TypeFor[billing.Date]():
		return `a date such as "2026-01-31"`
	case reflect.TypeFor[billing.Price]():
		return `a price in quotes, such as "9.90"`
	case reflect.TypeFor[time.Time]():
		return `a time such as "2026-01-31T12:00:00Z"`
	}
	switch kind.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.String:
		return "a text in quotes"
	}
	return "an object"
}

// appendObject writes fields as a JSON object, without those that are empty.
func appendObject(out *bytes.Buffer, fields []field) error {
	start := out.Len()
	if err := appendFields(out, fields); err != nil {
		return err
	}
	if out.Len() == start {
		out.WriteByte('{')
	} else {
		out.Bytes()[start] = '{' // in place of the first comma
	}
	return out.WriteByte('}')
}

// appendFields writes fields as members of a JSON object, each behind a comma.
func appendFields(out *bytes.Buffer, fields []field) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, f := range fields {
		var value any
		if f.write != nil {
			value = f.write()
		} else if v := reflect.ValueOf(f.at).Elem(); v.Kind() != reflect.Pointer && v.Kind() != reflect.Slice || !v.IsNil() {
			value = f.at
		}
		if value == nil {
			continue
		}
		fmt.Fprintf(out, `,%q:`, f.name)
		if err := encoder.Encode(value); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1) // the line break
	}
	return nil
}

// excerpt keeps a message readable.
func excerpt(s string) string {
	const most = 60
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
