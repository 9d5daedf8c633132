// Package graphiql owns the API explorer at /graphiql: one page, its own script
// and style sheet, and the vendored GraphiQL release they drive. Everything is
// embedded in the binary, and the page asks no other host for anything.
package graphiql

import (
	"crypto/rand"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/assets"
)

//go:embed index.html
var page string

// pagePolicy lets the page load only what this package serves and talk only to
// its own server. Fonts and a few icons are data URLs in GraphiQL's style sheet.
// The nonce is for the one <style> element that GraphiQL's dialogs insert, so
// styles need no 'unsafe-inline'. The console's menu has a form to sign out.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{{nonce}}'; " +
	"connect-src 'self'; img-src 'self' data:; font-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// assetPolicy is for a file opened by itself, which needs nothing at all.
const assetPolicy = "default-src 'none'; frame-ancestors 'none'"

// The big vendored files are kept only compressed, which keeps the binary small.
//
//go:embed assets/*.gz assets/app.js assets/app.css assets/icon.svg assets/LICENSES.txt
var files embed.FS

// Handler serves the page at /graphiql and /graphiql/ and its files under
// /graphiql/assets/. It looks at the whole path, so it is mounted without
// http.StripPrefix. It panics on a broken build, which tests find.
func Handler() http.Handler {
	own, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err)
	}
	server, err := assets.New(own, "/graphiql/assets/")
	if err != nil {
		panic(err)
	}
	page := template.Must(template.New("page").Funcs(template.FuncMap{"asset": server.Address}).Parse(page))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", assetPolicy)
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		case r.URL.Path == "/graphiql" || r.URL.Path == "/graphiql/":
			servePage(w, page)
		default:
			server.ServeHTTP(w, r)
		}
	})
}

// servePage sends the page with a fresh nonce each time, hence no-store.
func servePage(w http.ResponseWriter, page *template.Template) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(pagePolicy, "{{nonce}}", nonce, 1))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// An error here means that the client is gone; there is nobody to tell.
	_ = page.Execute(w, struct{ Nonce string }{nonce})
}
