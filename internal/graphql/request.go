package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	gql "github.com/99designs/gqlgen/graphql"
)

// maxBody is how many bytes a request may have.
const maxBody = 1 << 20

// badRequest is a request that is not even a GraphQL request.
type badRequest struct {
	status  int
	code    string
	message string
	allow   string
}

func (b *badRequest) write(w http.ResponseWriter, media string) {
	if b.allow != "" {
		w.Header().Set("Allow", b.allow)
	}
	refuse(w, media, b.status, b.code, b.message)
}

func bad(format string, args ...any) *badRequest {
	return &badRequest{status: http.StatusBadRequest, code: codeBadInput, message: fmt.Sprintf(format, args...)}
}

// readRequest takes the parameters out of a request, GET or POST.
func readRequest(w http.ResponseWriter, r *http.Request) (*gql.RawParams, *badRequest) {
	switch r.Method {
	case http.MethodPost:
		return readPost(w, r)
	case http.MethodGet:
		return readGet(r)
	}
	return nil, &badRequest{
		status: http.StatusMethodNotAllowed, code: codeBadInput, allow: "GET, POST",
		message: "Send a GraphQL request with POST, or a query with GET.",
	}
}

func readPost(w http.ResponseWriter, r *http.Request) (*gql.RawParams, *badRequest) {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, &badRequest{status: http.StatusUnsupportedMediaType, code: codeBadInput, message: "Send the request as JSON, with Content-Type: application/json."}
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, &badRequest{status: http.StatusUnsupportedMediaType, code: codeBadInput, message: "JSON is sent in UTF-8."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, &badRequest{
				status: http.StatusRequestEntityTooLarge, code: codeLimit,
				message: fmt.Sprintf("The request is larger than %d bytes.", maxBody),
			}
		}
		return nil, bad("The request ended before it was complete.")
	}
	return parseBody(body)
}

func parseBody(body []byte) (*gql.RawParams, *badRequest) {
	if problem := strict(body); problem != nil {
		return nil, problem
	}
	var fields map[string]json.RawMessage
	if err := decode(body, &fields); err != nil || fields == nil {
		if looksLikeList(body) {
			return nil, bad("Send one request at a time: a JSON object, not a list.")
		}
		return nil, bad(`The body must be a JSON object such as {"query": "{ accounts { id } }"}.`)
	}
	return parseFields(fields)
}

func readGet(r *http.Request) (*gql.RawParams, *badRequest) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, bad("The parameters in the address cannot be read: %s.", err)
	}
	fields := map[string]json.RawMessage{}
	for name, given := range values {
		if len(given) > 1 {
			return nil, bad("The parameter %q is there twice.", name)
		}
		switch name {
		case "query", "operationName":
			if !utf8.ValidString(given[0]) {
				return nil, notUTF8
			}
			fields[name], _ = json.Marshal(given[0]) // a string is always JSON
		case "variables", "extensions":
			if problem := strict([]byte(given[0])); problem != nil {
				return nil, problem
			}
			if given[0] != "" {
				fields[name] = json.RawMessage(given[0])
			}
		default:
			return nil, bad("There is no parameter %q; a request has query, operationName, variables and extensions.", name)
		}
	}
	return parseFields(fields)
}

// parseFields checks the type of every field, and that there is no other.
func parseFields(fields map[string]json.RawMessage) (*gql.RawParams, *badRequest) {
	params := &gql.RawParams{}
	for name, text := range fields {
		var target any
		var kind string
		switch name {
		case "query":
			target, kind = &params.Query, "a string"
		case "operationName":
			target, kind = &params.OperationName, "a string or null"
		case "variables":
			target, kind = &params.Variables, "an object or null"
		case "extensions":
			target, kind = &params.Extensions, "an object or null"
		default:
			return nil, bad("There is no field %q in a request; it has query, operationName, variables and extensions.", name)
		}
		if err := decode(text, target); err != nil || name == "query" && string(bytes.TrimSpace(text)) == "null" {
			return nil, bad("%s must be %s.", name, kind)
		}
	}
	if _, given := fields["query"]; !given {
		return nil, bad("The request has no query: send the GraphQL document in the field \"query\".")
	}
	return params, nil
}

// decode reads exactly one JSON value and keeps numbers as they were written.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

func looksLikeList(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '['
}
