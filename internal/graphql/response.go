package graphql

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/graphql/node"
)

// The two media types of an answer.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// preference is how much a caller likes a media type.
type preference struct {
	precision int // of the range that says so: a name beats application/*, that beats */*
	quality   float64
}

// negotiate chooses the media type of the answer: the one the caller likes
// best, the first of those it likes the same, plain JSON when it does not say.
func negotiate(accept []string) (media string, ok bool) {
	likes := map[string]preference{}
	order := []string{}
	said := false
	for text := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		said = true
		name, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		like := preference{quality: 1}
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			like.quality = q
		}
		names := []string{mediaJSON, mediaGraphQL}
		switch name {
		case mediaJSON, mediaGraphQL:
			like.precision, names = 3, []string{name}
		case "application/*":
			like.precision = 2
		case "*/*":
			like.precision = 1
		}
		for _, name := range names {
			if like.precision > likes[name].precision {
				likes[name] = like
				order = append(order, name)
			}
		}
	}
	if !said {
		return mediaJSON, true
	}
	best := 0.0
	for _, name := range order {
		if likes[name].quality > best {
			media, best = name, likes[name].quality
		}
	}
	return media, media != ""
}

// write sends an answer. data is nil when nothing was executed; then there is
// no data entry at all. errors is there only when there are some.
func write(w http.ResponseWriter, media string, status int, data *node.Answer, errs gqlerror.List) {
	writeWith(w, media, status, data, errs, nil)
}

// writeWith is write with extensions, which are there only if they are not nil.
func writeWith(w http.ResponseWriter, media string, status int, data *node.Answer, errs gqlerror.List, extensions any) {
	before, after, size := "{", "}", 0
	if data != nil && data.Size() == 0 {
		data = nil
	}
	if data != nil {
		before, size = `{"data":`, data.Size()
	}
	if len(errs) > 0 {
		text, err := json.Marshal(errs)
		if err != nil {
			text = []byte(`[{"message":"internal error","extensions":{"code":"INTERNAL"}}]`)
		}
		after = `"errors":` + string(text) + "}"
		if data != nil {
			after = "," + after
		}
	}
	if extensions != nil {
		text, err := json.Marshal(extensions)
		if err != nil {
			text = []byte("null")
		}
		comma := ","
		if data == nil && len(errs) == 0 {
			comma = ""
		}
		after = strings.TrimSuffix(after, "}") + comma + `"extensions":` + string(text) + "}"
	}
	header := w.Header()
	if isUnavailable(errs) {
		status = http.StatusServiceUnavailable
		header.Set("Retry-After", retryAfter)
	}
	header.Set("Content-Type", media+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(before)+size+len(after)))
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept, Authorization")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, before) // the caller may be gone; there is nobody left to tell
	if data != nil {
		_, _ = data.WriteTo(w)
	}
	_, _ = io.WriteString(w, after)
}

// retryAfter is how many seconds later a request may succeed that found the
// database busy.
const retryAfter = "1"

// isUnavailable reports whether the caller should ask again. Then the status
// says so whatever media type the caller accepts: proxies, alerts and client
// libraries go by it.
func isUnavailable(errs gqlerror.List) bool {
	return slices.ContainsFunc(errs, func(e *gqlerror.Error) bool { return e.Extensions["code"] == codeUnavailable })
}

// refuse answers a request that was not executed.
func refuse(w http.ResponseWriter, media string, status int, code, message string) {
	write(w, media, status, nil, gqlerror.List{{Message: bounded(message), Extensions: map[string]any{"code": code}}})
}
