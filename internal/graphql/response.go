package graphql

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The two media types of an answer.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// negotiate chooses the media type of the answer: the one the caller likes
// best, plain JSON when it does not say.
func negotiate(accept []string) (media string, ok bool) {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	best := 0.0
	said := false
	for _, text := range ranges {
		if strings.TrimSpace(text) == "" {
			continue
		}
		said = true
		name, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		quality := 1.0
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			quality = q
		}
		switch name {
		case mediaJSON, "application/*", "*/*":
			name = mediaJSON
		case mediaGraphQL:
		default:
			continue
		}
		if quality > best {
			media, best = name, quality
		}
	}
	if !said {
		return mediaJSON, true
	}
	return media, media != ""
}

// write sends an answer. data is nil when nothing was executed; then there is
// no data entry at all. errors is there only when there are some.
func write(w http.ResponseWriter, media string, status int, data json.RawMessage, errs gqlerror.List) {
	var body bytes.Buffer
	body.Grow(len(data) + 32)
	body.WriteByte('{')
	if data != nil {
		body.WriteString(`"data":`)
		body.Write(data)
	}
	if len(errs) > 0 {
		if data != nil {
			body.WriteByte(',')
		}
		body.WriteString(`"errors":`)
		text, err := json.Marshal(errs)
		if err != nil {
			text = []byte(`[{"message":"internal error","extensions":{"code":"INTERNAL"}}]`)
		}
		body.Write(text)
	}
	body.WriteByte('}')
	header := w.Header()
	header.Set("Content-Type", media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept, Authorization")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the caller may be gone; there is nobody left to tell
}

// refuse answers a request that was not executed.
func refuse(w http.ResponseWriter, media string, status int, code, message string) {
	write(w, media, status, nil, gqlerror.List{{Message: message, Extensions: map[string]any{"code": code}}})
}
