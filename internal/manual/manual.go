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
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/docs"
)

//go:embed frame.html assets
var own embed.FS

// policy allows what the pages have: no script at all.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// contentTypes is fixed here because the mime package asks the host's tables.
var contentTypes = map[string]string{".png": "image/png", ".svg": "image/svg+xml", ".css": "text/css; charset=utf-8"}

// manual shows pages. Each is made when it is first asked for.
type manual struct {
	frame *template.Template
	pages map[string]func() ([]byte, error)
}

// Handler answers at /docs and below.
func Handler() http.Handler {
	m := &manual{frame: template.Must(template.ParseFS(own, "frame.html")), pages: map[string]func() ([]byte, error){}}
	for _, chapter := range contents {
		for _, entry := range chapter.Pages {
			m.pages[entry.Name] = sync.OnceValues(func() ([]byte, error) { return m.make(entry.Name) })
		}
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
		to, found := target(strings.TrimSuffix(name, ".md") + ".md")
		if name == "" {
			to, found = "/docs", true
		}
		if found {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
	case name == "":
		name = home
	case path.Ext(name) != "":
		m.file(w, r, name)
		return
	}
	made, known := m.pages[name]
	if !known {
		m.missing(w)
		return
	}
	body, err := made()
	if err != nil { // a broken build: a test makes every page
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	send(w, r, "text/html; charset=utf-8", body)
}

// view is what the frame shows.
type view struct {
	Page     *page
	Name     string
	Contents []chapter
	Previous *entry
	Next     *entry
}

func (m *manual) make(name string) ([]byte, error) {
	p, err := render(docs.Files, name)
	if err != nil {
		return nil, err
	}
	return m.framed(&view{Page: p, Name: name})
}

func (m *manual) framed(v *view) ([]byte, error) {
	v.Contents = contents
	v.Previous, v.Next = neighbours(v.Name)
	var out bytes.Buffer
	err := m.frame.Execute(&out, v)
	return out.Bytes(), err
}

// Address is where a page is, for the frame.
func (e entry) Address() string { return address(e.Name) }

func neighbours(name string) (previous, next *entry) {
	var all []*entry
	at := -1
	for i := range contents {
		for j := range contents[i].Pages {
			if contents[i].Pages[j].Name == name {
				at = len(all)
			}
			all = append(all, &contents[i].Pages[j])
		}
	}
	if at > 0 {
		previous = all[at-1]
	}
	if at >= 0 && at+1 < len(all) {
		next = all[at+1]
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

// file sends a picture of the pages or what the frame needs.
func (m *manual) file(w http.ResponseWriter, r *http.Request, name string) {
	kind := contentTypes[path.Ext(name)]
	var from fs.FS = docs.Files
	if strings.HasPrefix(name, "assets/") {
		from = own
	}
	content, err := fs.ReadFile(from, name)
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
