package ui

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/assets"
)

//go:embed templates assets
var ownFiles embed.FS

// AssetPath is the beginning of the addresses of Views.Assets.
const AssetPath = "/assets/"

// Page is a template in templates/page together with the type of its data.
type Page[T any] struct{ name string }

// Pages are the pages of an application, which are tried when they are loaded.
type Pages struct{ all []tried }

type tried interface {
	try(*Views) error
	Name() string
}

// NewPage adds a page to the pages of an application.
func NewPage[T any](pages *Pages, name string) Page[T] {
	p := Page[T]{name}
	pages.all = append(pages.all, p)
	return p
}

// The pages that every application has.
var (
	standard Pages

	ListPage         = NewPage[List](&standard, "list")
	DetailsPage      = NewPage[Details](&standard, "details")
	FormPage         = NewPage[FormData](&standard, "form")
	ConfirmationPage = NewPage[Confirmation](&standard, "confirmation")
	FailurePage      = NewPage[Failure](&standard, "failure")
)

// Views are pages that can be shown. They are safe for concurrent use.
type Views struct {
	common    *template.Template
	templates map[string]*template.Template
	Assets    *assets.Server
}

// Load reads the templates of the pages from templates/page, and what they share
// from templates. It makes every page from sample data, so that a page whose
// template and data do not match fails here and not in front of a user.
func (p *Pages) Load(files fs.FS) (*Views, error) {
	v := &Views{templates: map[string]*template.Template{}}
	own, err := fs.Sub(ownFiles, "assets")
	if err != nil {
		return nil, err
	}
	if v.Assets, err = assets.New(own, AssetPath); err != nil {
		return nil, err
	}
	v.common = template.New("frame").Funcs(v.functions())
	for _, from := range []fs.FS{ownFiles, files} {
		if err := parse(v.common, from, "templates/*.html"); err != nil {
			return nil, err
		}
	}
	for _, from := range []fs.FS{ownFiles, files} {
		if err := v.addPages(from); err != nil {
			return nil, err
		}
	}
	for _, page := range append(standard.all[:len(standard.all):len(standard.all)], p.all...) {
		if err := page.try(v); err != nil {
			return nil, err
		}
	}
	if pages := len(standard.all) + len(p.all); pages != len(v.templates) {
		return nil, fmt.Errorf("there are %d templates for %d pages", len(v.templates), pages)
	}
	return v, nil
}

func (v *Views) addPages(files fs.FS) error {
	names, err := fs.Glob(files, "templates/page/*.html")
	if err != nil {
		return err
	}
	for _, name := range names {
		one, err := v.common.Clone()
		if err != nil {
			return err
		}
		if err := parse(one, files, name); err != nil {
			return err
		}
		v.templates[strings.TrimSuffix(path.Base(name), ".html")] = one
	}
	return nil
}

// parse adds templates to others, with a one-time token in each form.
func parse(t *template.Template, files fs.FS, pattern string) error {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if _, err := t.New(path.Base(name)).Parse(withTokens(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// Name is the name of the page's template.
func (p Page[T]) Name() string { return p.name }

// try makes the page from sample data, once with a value everywhere and once with
// none.
func (p Page[T]) try(v *Views) error {
	var full, empty framed[T]
	sample(&full)
	for _, data := range []framed[T]{full, empty} {
		if _, err := p.Render(v, data.Frame, data.Data); err != nil {
			return err
		}
	}
	return nil
}

// Render makes the page.
func (p Page[T]) Render(v *Views, frame Frame, data T) ([]byte, error) {
	t, known := v.templates[p.name]
	if !known {
		return nil, fmt.Errorf("there is no template %s.html", p.name)
	}
	var body bytes.Buffer
	err := t.ExecuteTemplate(&body, "frame", framed[T]{frame, data})
	return body.Bytes(), err
}

// RenderPart makes a part of a page, such as the sidebar.
func (v *Views) RenderPart(name string, data any) ([]byte, error) {
	var body bytes.Buffer
	err := v.common.ExecuteTemplate(&body, name, data)
	return body.Bytes(), err
}

// Send responds with a page or a part of one. Its headers are for the caller to
// set. A page that contains a secret is not to be compressed: the length must not
// depend on what is around the secret.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte, compressed bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if compressed && assets.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z := gzip.NewWriter(w)
		_, _ = z.Write(body) // an error means that the client is gone
		_ = z.Close()
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
