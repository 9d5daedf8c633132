package assets

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsGzip reports whether a client accepts a compressed response. A client
// may name gzip only to refuse it, with a weight of zero, and a name takes
// precedence over the wildcard.
func AcceptsGzip(r *http.Request) bool {
	wildcard := false
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return wanted(params)
		case "*":
			wildcard = wanted(params)
		}
	}
	return wildcard
}

// wanted reports whether a coding's parameters leave it a weight above zero.
func wanted(params string) bool {
	key, value, found := strings.Cut(params, "=")
	if !found || strings.ToLower(strings.TrimSpace(key)) != "q" {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q > 0
}
