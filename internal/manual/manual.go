package manual

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/docs"
	"github.com/tenantry/tenantry/internal/assets"
)

//go:embed frame.html assets
var own embed.FS

// policy allows what the pages have: a script of their own, which asks for what
// a search finds.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// manual shows pages. Each is read when it is first asked for, by somebody who
// reads it or by the first search.
type manual struct {
	frame  *template.Template
	assets *assets.Server
	pages  map[string]func() (*page, error)
}

// Handler answers at /docs and below. It panics on a broken build, which tests
// find.
func Handler() http.Handler {
	files, err := fs.Sub(own, "assets")
	if err != nil {
		panic(err)
	}
	m := &manual{pages: map[string]func() (*page, error){}}
	if m.assets, err = assets.New(files, "/docs/assets/"); err != nil {
		panic(err)
	}
	m.frame = template.Must(template.New("frame.html").Funcs(template.FuncMap{"asset": m.assets.Address}).ParseFS(own, "frame.html"))
	for _, entry := range all() {
		m.pages[entry.Name] = sync.OnceValues(func() (*page, error) { return render(docs.Files, entry.Name) })
	}
	return m
}

func (m *manual) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/docs"), "/")
	switch {
	case r.URL.Path == "/docs/", name == home, strings.HasSuffix(name, ".md"):
		to, found := target("", strings.TrimSuffix(name, ".md")+".md")
		if name == "" {
			to, found = "/docs", true
		}
		if found {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
	case name == "search":
		m.answer(w, r)
		return
	case name == "":
		name = home
	case strings.HasPrefix(name, "assets/"):
		m.assets.ServeHTTP(w, r)
		return
	case path.Ext(name) != "":
		m.picture(w, r, name)
		return
	}
	if m.pages[name] == nil {
		m.missing(w)
		return
	}
	p, err := m.pages[name]()
	if err != nil { // a broken build: a test makes every page
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	m.show(w, r, &view{Page: p, Name: name})
}

// answer shows what a search finds: as a page, or as the part of one that the
// script puts under the field.
func (m *manual) answer(w http.ResponseWriter, r *http.Request) {
	v := &view{Page: &page{Title: "Search"}, Found: m.search(r.FormValue("q"))}
	if !r.Form.Has("part") {
		m.show(w, r, v)
		return
	}
	var out bytes.Buffer
	if err := m.frame.ExecuteTemplate(&out, "hits", v.Found); err != nil {
		http.Error(w, "the search failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	send(w, r, "text/html; charset=utf-8", out.Bytes())
}

// view is what the frame shows.
type view struct {
	Page      *page
	Name      string
	Found     *found // what a search found, on its page
	Contents  []chapter
	Reference []entry // in the menu on the pages of the reference
	Previous  *entry
	Next      *entry
}

func (m *manual) show(w http.ResponseWriter, r *http.Request, v *view) {
	body, err := m.framed(v)
	if err != nil {
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	send(w, r, "text/html; charset=utf-8", body)
}

func (m *manual) framed(v *view) ([]byte, error) {
	v.Contents = contents
	if v.Name == index || strings.HasPrefix(v.Name, index+"/") {
		v.Reference = referencePages()
	}
	v.Previous, v.Next = neighbours(v.Name)
	var out bytes.Buffer
	err := m.frame.Execute(&out, v)
	return out.Bytes(), err
}

// Address is where a page is, for the frame.
func (e entry) Address() string { return address(e.Name) }

func neighbours(name string) (previous, next *entry) {
	pages := all()
	at := slices.IndexFunc(pages, func(e entry) bool { return e.Name == name })
	if at > 0 {
		previous = &pages[at-1]
	}
	if at >= 0 && at+1 < len(pages) {
		next = &pages[at+1]
	}
	return previous, next
}

func (m *manual) missing(w http.ResponseWriter) {
	body, err := m.framed(&view{Page: &page{
		Title: "There is no such page",
		Body:  "<h1>There is no such page</h1><p>The menu has all there are.</p>",
	}})
	if err != nil {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(body)
}

// pictureTypes is fixed here because the mime package asks the host's tables.
var pictureTypes = map[string]string{".png": "image/png", ".svg": "image/svg+xml"}

// picture sends a picture of the pages.
func (m *manual) picture(w http.ResponseWriter, r *http.Request, name string) {
	kind := pictureTypes[path.Ext(name)]
	content, err := fs.ReadFile(docs.Files, name)
	if err != nil || kind == "" {
		m.missing(w)
		return
	}
	send(w, r, kind, content)
}

// send lets who has it already keep it.
func send(w http.ResponseWriter, r *http.Request, kind string, content []byte) {
	sum := sha256.Sum256(content)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
