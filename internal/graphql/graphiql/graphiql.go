// Package graphiql owns the API explorer at /graphiql: one page, its own script
// and style sheet, and the vendored GraphiQL release they drive. Everything is
// embedded in the binary, and the page asks no other host for anything.
package graphiql

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"net/http"
	"strings"
)

//go:embed index.html
var page []byte

// pagePolicy lets the page load only what this package serves and talk only to
// its own server. Fonts and a few icons are data URLs in GraphiQL's style sheet.
// The nonce is for the one <style> element that GraphiQL's dialogs insert, so
// styles need no 'unsafe-inline'. The console's menu has a form to sign out.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{{nonce}}'; " +
	"connect-src 'self'; img-src 'self' data:; font-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// assetPolicy is for a file opened by itself, which needs nothing at all.
const assetPolicy = "default-src 'none'; frame-ancestors 'none'"

// Handler serves the page at /graphiql and /graphiql/ and its files under
// /graphiql/assets/. It looks at the whole path, so it is mounted without
// http.StripPrefix.
func Handler() http.Handler {
	assets := loadAssets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", assetPolicy)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if r.URL.Path == "/graphiql" || r.URL.Path == "/graphiql/" {
			servePage(w)
			return
		}
		if name, ok := strings.CutPrefix(r.URL.Path, "/graphiql/assets/"); ok {
			if a, ok := assets[name]; ok {
				a.serve(w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
}

// servePage answers with a fresh nonce each time, hence no-store.
func servePage(w http.ResponseWriter) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(pagePolicy, "{{nonce}}", nonce, 1))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// An error here means that the client is gone; there is nobody to tell.
	_, _ = w.Write(bytes.Replace(page, []byte("{{nonce}}"), []byte(nonce), 1))
}
