package console

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/assets"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/ui"
)

//go:embed templates
var templateFiles embed.FS

// views is everything that pages are made of.
type views struct {
	templates map[string]*template.Template
	assets    *assets.Server
}

// page is a template in templates/page together with the type of its data.
type page[T any] struct{ name string }

// allPages is every page there is, to be tried at the start.
var allPages []interface{ try(*views) error }

func newPage[T any](name string) page[T] {
	p := page[T]{name}
	allPages = append(allPages, p)
	return p
}

// comeBack are pages that answer a form and that somebody may come back to with
// the browser's Back. It can show them again only if it keeps them: what was
// posted is not to be posted again. They have no secrets, and signing out makes
// the browser forget them.
var comeBack = []string{"form", "preview", "confirm", "matrix"}

// frame is what every page has around its own data.
type frame[T any] struct {
	Title   string
	User    *billing.User // nil for somebody who is not signed in
	Nav     []ui.NavGroup
	Flash   *flash
	Next    *ui.Link // where a guide goes on, beside the flash
	Hold    *subscriptions.Hold
	Resume  string // where the user can end the hold, if not here
	Version string
	Data    T
}

func loadViews() (*views, error) {
	v := &views{templates: map[string]*template.Template{}}
	var err error
	if v.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	common := template.New("frame").Funcs(v.functions())
	shared, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	if err := parse(common, shared...); err != nil {
		return nil, err
	}
	entries, err := templateFiles.ReadDir("templates/page")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		one, err := common.Clone()
		if err != nil {
			return nil, err
		}
		if err := parse(one, "templates/page/"+entry.Name()); err != nil {
			return nil, err
		}
		v.templates[strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))] = one
	}
	return v, v.try()
}

// parse adds templates to others, with a one-time token in each form.
func parse(t *template.Template, names ...string) error {
	for _, name := range names {
		text, err := templateFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := t.New(path.Base(name)).Parse(withTokens(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// try makes every page from made-up data, once with something everywhere and
// once with nothing anywhere.
func (v *views) try() error {
	used := map[string]bool{}
	for _, p := range allPages {
		if err := p.try(v); err != nil {
			return err
		}
		used[fmt.Sprint(p)] = true
	}
	if len(used) != len(v.templates) {
		return fmt.Errorf("there are %d templates for %d pages", len(v.templates), len(used))
	}
	return nil
}

func (p page[T]) String() string { return p.name }

func (p page[T]) try(v *views) error {
	var full, empty frame[T]
	sample(&full)
	for _, data := range []frame[T]{full, empty} {
		if err := p.write(v, io.Discard, data); err != nil {
			return err
		}
	}
	return nil
}

func (p page[T]) write(v *views, w io.Writer, data frame[T]) error {
	t, known := v.templates[p.name]
	if !known {
		return fmt.Errorf("there is no template %s.html", p.name)
	}
	return t.ExecuteTemplate(w, "frame", data)
}

// show answers with the page.
func (p page[T]) show(c *call, title string, data T) error {
	return p.showStatus(c, http.StatusOK, title, data)
}

// showStatus is show with another status than 200.
func (p page[T]) showStatus(c *call, status int, title string, data T) error {
	var body bytes.Buffer
	full := frame[T]{Title: title, User: c.user, Version: c.version, Data: data}
	if c.user != nil {
		full.Nav, full.Hold = navigation(c.user.Role, c.r.URL.Path), c.service.Subscriptions.Hold()
		if full.Hold != nil && full.Hold.Resumable && c.may(billing.AdminWrite) && c.r.URL.Path != resumePath {
			full.Resume = resumePath
		}
		if full.Flash = c.takeFlash(); full.Flash != nil && !full.Flash.Bad {
			full.Next, _ = nextStep(c) // a page is not to fail for want of it
		}
	}
	if err := p.write(c.views, &body, full); err != nil {
		return err
	}
	defer admission.Pause(c.r.Context())() // whoever reads slowly keeps nobody out
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // pages are for one user
	if c.r.Method == http.MethodPost && slices.Contains(comeBack, p.name) {
		h.Set("Cache-Control", "private, no-cache")
	}
	if !c.uncompressed && assets.AcceptsGzip(c.r) {
		h.Set("Content-Encoding", "gzip")
		c.w.WriteHeader(status)
		z := gzip.NewWriter(c.w)
		_, _ = z.Write(body.Bytes()) // whoever asked is gone
		_ = z.Close()
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body.Bytes())
	return nil
}
