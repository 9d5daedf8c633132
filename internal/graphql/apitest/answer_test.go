package apitest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

type answer struct {
	status int
	header http.Header
	body   []byte
}

// answerError is an error of an answer, as GraphQL defines it.
type answerError struct {
	Message    string            `json:"message"`
	Path       []any             `json:"path"`
	Locations  []json.RawMessage `json:"locations"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

// errors returns the errors of an answer, nil if it has no such member, and
// whether there is data. It fails if there is anything else.
func (a answer) errors() (errors []answerError, hasData bool, err error) {
	var body struct {
		Data   json.RawMessage `json:"data"`
		Errors []answerError   `json:"errors"`
		// Of a preview.
		Extensions struct {
			Impact json.RawMessage `json:"impact"`
		} `json:"extensions"`
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&body)
	return body.Errors, body.Data != nil, err
}

// problem says what is wrong with the form of an answer, nothing if it is in
// order: JSON that says it is, data and errors where they belong, and a code
// with every error.
func (a answer) problem() string {
	media, charset, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if charset != " charset=utf-8" || media != mediaJSON && media != mediaGraphQL {
		return "the answer is " + a.header.Get("Content-Type")
	}
	if a.status == http.StatusUnauthorized {
		return "" // that is no answer of GraphQL
	}
	errors, hasData, err := a.errors()
	switch {
	case err != nil:
		return "the answer is not one of GraphQL: " + err.Error()
	case errors == nil && !hasData:
		return "the answer has neither data nor errors"
	case errors != nil && len(errors) == 0:
		return "errors is there, and empty"
	case errors == nil && a.status != http.StatusOK:
		return "the answer has no errors, and its status is not 200"
	}
	for _, e := range errors {
		if e.Message == "" || e.Extensions.Code == "" {
			return "an error has no message or no code"
		}
		if !hasData && e.Path != nil {
			return "nothing was executed, and an error has a path"
		}
	}
	return ""
}

// code is the code of the first error, empty if there is none.
func (a answer) code() string {
	if errors, _, err := a.errors(); err == nil && len(errors) > 0 {
		return errors[0].Extensions.Code
	}
	return ""
}

// message is the text of the first error, empty if there is none.
func (a answer) message() string {
	if errors, _, err := a.errors(); err == nil && len(errors) > 0 {
		return errors[0].Message
	}
	return ""
}

// data is a part of an answer.
type data struct{ value any }

// at goes down to a part; a name with dots goes down several times. Parts of lists
// are named by their index.
func (d data) at(path string) data {
	for name := range strings.SplitSeq(path, ".") {
		switch v := d.value.(type) {
		case map[string]any:
			d = data{v[name]}
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(v) {
				return data{}
			}
			d = data{v[n]}
		default:
			return data{}
		}
	}
	return d
}

func (d data) text() string {
	switch v := d.value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return ""
	}
	return string(asJSON(d.value))
}

func (d data) list() []data {
	list, _ := d.value.([]any)
	parts := make([]data, len(list))
	for i := range list {
		parts[i] = data{list[i]}
	}
	return parts
}

func pairs(list []any) string {
	if len(list) == 0 {
		return ""
	}
	named := map[string]any{}
	for i := 0; i < len(list); i += 2 {
		named[list[i].(string)] = list[i+1]
	}
	return string(asJSON(named))
}

// asJSON writes v without escapes that nobody needs.
func asJSON(v any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(text.Bytes())
}
