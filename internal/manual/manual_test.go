package manual

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/docs"
)

// get asks the pages as a browser would.
func get(t *testing.T, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
	return w
}

// names are the files of the documentation.
func names(t *testing.T) (found []string) {
	t.Helper()
	files, err := fs.Glob(docs.Files, "*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pages, err := fs.Glob(docs.Files, "reference/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	files = append(files, pages...)
	for _, file := range files {
		found = append(found, strings.TrimSuffix(file, ".md"))
	}
	return found
}

// TestMenuIsWhole finds every file in the menu, and a file for every entry.
func TestMenuIsWhole(t *testing.T) {
	t.Parallel()
	var menu []string
	for _, entry := range all() {
		menu = append(menu, entry.Name)
	}
	slices.Sort(menu)
	want := names(t)
	slices.Sort(want)
	if !slices.Equal(menu, want) {
		t.Errorf("the menu has\n%v, the files are\n%v", menu, want)
	}
}

// TestLinksLead follows every link of every page: to a page, to a heading on
// it, to a picture.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	link, id := regexp.MustCompile(`(?:href|src)="([^"]*)"`), regexp.MustCompile(` id="([^"]*)"`)
	bodies := map[string]string{}
	for _, name := range names(t) {
		w := get(t, address(name))
		if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") == "" {
			t.Fatalf("%s: %d %s", address(name), w.Code, w.Body)
		}
		bodies[address(name)] = w.Body.String()
	}
	elsewhere := []string{"/", "/graphiql"}
	for from, body := range bodies {
		for _, match := range link.FindAllStringSubmatch(body, -1) {
			to, fragment, within := strings.Cut(match[1], "#")
			if to == "" && within {
				to = from
			}
			if strings.Contains(to, "://") || slices.Contains(elsewhere, to) {
				continue
			}
			page, isPage := bodies[to]
			if !isPage && (fragment != "" || get(t, to).Code != http.StatusOK) {
				t.Errorf("%s has a link to %s, which is not there", from, match[1])
			}
			found := func(m []string) bool { return m[1] == fragment }
			if isPage && fragment != "" && !slices.ContainsFunc(id.FindAllStringSubmatch(page, -1), found) {
				t.Errorf("%s has a link to %s, and there is no such heading", from, match[1])
			}
		}
	}
}

// TestDeadLinksAreText leaves the text of a link to a file that is no page.
func TestDeadLinksAreText(t *testing.T) {
	t.Parallel()
	body := get(t, "/docs/architecture").Body.String()
	if !strings.Contains(body, "<code>architecture_test.go</code>") || strings.Contains(body, "../architecture_test.go") {
		t.Error("the link to architecture_test.go is not text")
	}
}

// TestAddresses asks for what is there under another name, and what is not.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		code     int
		location string
		holds    string
	}{
		"/docs":                        {200, "", "<h1"},
		"/docs/":                       {301, "/docs", ""},
		"/docs/quickstart":             {301, "/docs", ""},
		"/docs/webhooks.md":            {301, "/docs/webhooks", ""},
		"/docs/reference/account.md":   {301, "/docs/reference/account", ""},
		"/docs/reference/nothing":      {404, "", "There is no such page"},
		"/docs/search":                 {200, "", "Write some words"},
		"/docs/nothing":                {404, "", "There is no such page"},
		"/docs/nothing.md":             {404, "", "There is no such page"},
		"/docs/images/nothing.png":     {404, "", "There is no such page"},
		"/docs/docs.go":                {404, "", "There is no such page"},
		"/docs/images/home-light.png":  {200, "", "PNG"},
		"/docs/assets/nothing.css":     {404, "", "There is no such file"},
		"/docs/../internal/manual.go":  {404, "", ""},
		"/docs/assets/../manual.go.md": {404, "", ""},
	} {
		w := get(t, address)
		if w.Code != want.code || w.Header().Get("Location") != want.location || !strings.Contains(w.Body.String(), want.holds) {
			t.Errorf("%s: %d to %q, want %d to %q", address, w.Code, w.Header().Get("Location"), want.code, want.location)
		}
	}
}

func TestOnlyToRead(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/docs", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestUnchanged sends nothing to who has the page already.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	first := get(t, "/docs/api")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs/api", nil)
	r.Header.Set("If-None-Match", first.Header().Get("ETag"))
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("asked again: %d, %d bytes", w.Code, w.Body.Len())
	}
}

func sourceOf(t *testing.T, name string) string {
	t.Helper()
	source, err := fs.ReadFile(docs.Files, name+".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}
