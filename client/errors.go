package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrNotFound is what a query for one thing returns when there is none, and
// what UserErrors are (errors.Is) when a mutation named something that does not
// exist.
var ErrNotFound = errors.New("tenantry: not found")

// Codes of errors in Errors.
const (
	CodeBadUserInput = "BAD_USER_INPUT"
	CodeForbidden    = "FORBIDDEN"
	CodeConflict     = "CONFLICT"
	CodeLimit        = "LIMIT_EXCEEDED"
	CodeUnavailable  = "UNAVAILABLE"
	CodeInternal     = "INTERNAL"
)

// Codes of errors in UserErrors.
const (
	CodeRequired   = "REQUIRED"
	CodeInvalid    = "INVALID"
	CodeTaken      = "TAKEN"
	CodeNotFound   = "NOT_FOUND"
	CodeInUse      = "IN_USE"
	CodeImmutable  = "IMMUTABLE"
	CodeNotAllowed = "NOT_ALLOWED"
)

// Errors are the errors of a GraphQL answer: the request was not right, or the
// server could not do it.
type Errors []ErrorEntry

// ErrorEntry is one error of a GraphQL answer.
type ErrorEntry struct {
	Message string
	// Code is a stable word for the kind of error, such as FORBIDDEN.
	Code string
	// Path leads to the field that failed: names, and numbers in lists.
	Path []any
}

// UnmarshalJSON reads an error as it is in an answer.
func (e *ErrorEntry) UnmarshalJSON(text []byte) error {
	var raw struct {
		Message    string
		Path       []any
		Extensions struct{ Code string }
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*e = ErrorEntry{raw.Message, raw.Extensions.Code, raw.Path}
	return nil
}

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, one := range e {
		texts[i] = one.Message
		if one.Code != "" {
			texts[i] += " (" + one.Code + ")"
		}
	}
	return "tenantry: " + strings.Join(texts, " ")
}

// Has says whether one of the errors has the code.
func (e Errors) Has(code string) bool {
	return slices.ContainsFunc(e, func(one ErrorEntry) bool { return one.Code == code })
}

// UserErrors are the reasons why a mutation was refused. Nothing was changed.
type UserErrors []UserError

// UserError is one reason why a mutation was refused.
type UserError struct {
	// Code is a stable word for the kind of problem, such as TAKEN.
	Code string `json:"code"`
	// Field is the path to the argument or attribute at fault, outermost name
	// first; empty when no single one is.
	Field []string `json:"field"`
	// Message is the problem in a sentence for people.
	Message string `json:"message"`
}

func (e UserErrors) Error() string {
	texts := make([]string, len(e))
	for i, one := range e {
		texts[i] = one.Message
		if len(one.Field) > 0 {
			texts[i] = strings.Join(one.Field, ".") + ": " + one.Message
		}
	}
	return "tenantry: " + strings.Join(texts, " ")
}

// Has says whether one of the errors has the code.
func (e UserErrors) Has(code string) bool {
	return slices.ContainsFunc(e, func(one UserError) bool { return one.Code == code })
}

// Is makes errors.Is(err, ErrNotFound) true for NOT_FOUND.
func (e UserErrors) Is(target error) bool { return target == ErrNotFound && e.Has(CodeNotFound) }

// AuthError is a refusal of the token endpoint: wrong credentials
// (invalid_client) or a scope that the API client may not have (invalid_scope).
type AuthError struct {
	Status            int
	Code, Description string
}

func (e *AuthError) Error() string {
	return fmt.Sprintf("tenantry: no access token: %s (%s)", e.Description, e.Code)
}

// HTTPError is an answer with a status that no GraphQL result has. It comes
// after the tries that were worth making.
type HTTPError struct {
	Status int
	// Body is the beginning of the answer's body.
	Body string
	// RetryAfter is what the server asked for; 0 if it did not.
	RetryAfter time.Duration
}

const maxErrorBody = 4 << 10

func (e *HTTPError) Error() string {
	text := fmt.Sprintf("tenantry: the server answered with status %d", e.Status)
	if body := strings.TrimSpace(e.Body); body != "" {
		text += ": " + body[:min(len(body), 200)]
	}
	return text
}

// ConnectionError says that no answer came: the server could not be reached, or
// the connection broke.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string { return "tenantry: " + e.Err.Error() }

func (e *ConnectionError) Unwrap() error { return e.Err }
