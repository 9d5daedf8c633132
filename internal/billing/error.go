package billing

import (
	"errors"
	"fmt"
	"strings"
)

// Code says what kind of failure an Error is, for programs.
type Code string

// The codes a caller can meet in userErrors.
const (
	Invalid   Code = "INVALID"   // the value is not allowed
	Required  Code = "REQUIRED"  // the value is missing
	Taken     Code = "TAKEN"     // the code identifies something else already
	NotFound  Code = "NOT_FOUND" // the id or code names nothing
	InUse     Code = "IN_USE"    // something else depends on it
	Immutable Code = "IMMUTABLE" // the value cannot change once set
	// NotAllowed means that the state of the thing does not allow the action.
	NotAllowed Code = "NOT_ALLOWED"
	Conflict   Code = "CONFLICT"  // somebody else is doing the same, or did it differently
	Forbidden  Code = "FORBIDDEN" // the caller lacks a scope
	TooMany    Code = "TOO_MANY"  // the answer or request is over a limit
)

// Error is a failure the caller can understand and mend. Field is the path of
// the argument at fault, empty when it is not about one.
type Error struct {
	Code    Code
	Field   []string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Problems is one or more errors about the same request.
type Problems []*Error

func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, e := range p {
		texts[i] = e.Message
	}
	return strings.Join(texts, "; ")
}

// Err returns p as an error, or nil if it is empty.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Add appends the errors that are not nil.
func (p *Problems) Add(errs ...*Error) {
	for _, e := range errs {
		if e != nil {
			*p = append(*p, e)
		}
	}
}

// Within puts every field path of p below a parent field.
func (p Problems) Within(parent ...string) Problems {
	for _, e := range p {
		e.Field = append(append([]string{}, parent...), e.Field...)
	}
	return p
}

// AsProblems returns the errors a caller may see in err, and whether there are
// any. What it does not find is internal.
func AsProblems(err error) (Problems, bool) {
	var many Problems
	if errors.As(err, &many) {
		return many, true
	}
	var one *Error
	if errors.As(err, &one) {
		return Problems{one}, true
	}
	return nil, false
}

// Is reports whether err carries an Error with that code.
func Is(err error, code Code) bool {
	problems, _ := AsProblems(err)
	for _, e := range problems {
		if e.Code == code {
			return true
		}
	}
	return false
}

// Fail makes an Error. field is a path with dots, such as
// "charges.0.price", or empty.
func Fail(code Code, field, format string, args ...any) *Error {
	e := &Error{Code: code, Message: fmt.Sprintf(format, args...)}
	if field != "" {
		e.Field = strings.Split(field, ".")
	}
	return e
}

// Invalidf makes an Error about a value that is not allowed.
func Invalidf(field, format string, args ...any) *Error {
	return Fail(Invalid, field, format, args...)
}

// Requiredf makes an Error about a value that is missing.
func Requiredf(field, format string, args ...any) *Error {
	return Fail(Required, field, format, args...)
}

// Missing says that what an id names does not exist.
func Missing(field, noun string, id any) *Error {
	return Fail(NotFound, field, "There is no %s with id %v.", noun, id)
}
