package graphiql

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mux mounts the handler the way the server does.
func mux() http.Handler {
	m := http.NewServeMux()
	h := Handler()
	m.Handle("GET /graphiql", h)
	m.Handle("GET /graphiql/", h)
	return m
}

// get sends one request; header holds names and values in turn.
func get(t *testing.T, h http.Handler, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var reference = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// references lists the files that the page points to.
func references(t *testing.T, h http.Handler) []string {
	t.Helper()
	var found []string
	for _, m := range reference.FindAllSubmatch(body(t, get(t, h, "/graphiql")), -1) {
		if to := string(m[1]); !slices.Contains([]string{"#main", "/", "/graphiql", "/docs", "/sign-in?next=/graphiql"}, to) { // other pages
			found = append(found, to)
		}
	}
	if len(found) < 8 {
		t.Fatalf("the page references only %q", found)
	}
	return found
}

// address is where the page loads a file from.
func address(t *testing.T, h http.Handler, name string) string {
	t.Helper()
	extension := path.Ext(name)
	for _, to := range references(t, h) {
		if strings.HasPrefix(to, "/graphiql/assets/"+strings.TrimSuffix(name, extension)+".") && path.Ext(to) == extension {
			return to
		}
	}
	t.Fatalf("the page does not load %s", name)
	return ""
}

func TestPage(t *testing.T) {
	h := mux()
	for _, target := range []string{"/graphiql", "/graphiql/"} {
		res := get(t, h, target)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", target, res.StatusCode)
		}
		for name, want := range map[string]string{
			"Content-Type":           "text/html; charset=utf-8",
			"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":        "no-referrer",
			"Cache-Control":          "no-store",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", target, name, got, want)
			}
		}
		text := string(body(t, res))
		for _, want := range []string{`type="password"`, `<label for="token">Access token</label>`, "/oauth/token", "YOUR_CLIENT_ID", "no token is needed", `href="/sign-in?next=/graphiql"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %s", target, want)
			}
		}
		if strings.Contains(text, "{{") {
			t.Errorf("%s: a placeholder was left in the page", target)
		}
	}
}

func TestPagePolicy(t *testing.T) {
	h := mux()
	res := get(t, h, "/graphiql")
	policy := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{
		"default-src 'none'", "script-src 'self'", "connect-src 'self'", "img-src 'self' data:",
		"font-src 'self' data:", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
	} {
		if !strings.Contains("; "+policy+";", "; "+want+";") {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is too wide: %s", policy)
	}
	nonce := regexp.MustCompile(`style-src 'self' 'nonce-([A-Z0-9]{20,})'`).FindStringSubmatch(policy)
	if nonce == nil {
		t.Fatalf("no style nonce in %s", policy)
	}
	text := string(body(t, res))
	if !strings.Contains(text, `nonce="`+nonce[1]+`"`) {
		t.Error("the page does not carry the nonce of its policy")
	}
	if policy == get(t, h, "/graphiql").Header.Get("Content-Security-Policy") {
		t.Error("two answers share a nonce")
	}
	// The policy would block these anyway; then the page would be broken.
	if regexp.MustCompile(`<style|<script[^>]*>[^<]|\son[a-z]+=|\sstyle=`).MatchString(text) {
		t.Error("the page has an inline script, style or event handler")
	}
}

func TestReferencedAssets(t *testing.T) {
	h := mux()
	for _, target := range references(t, h) {
		if !strings.HasPrefix(target, "/graphiql/assets/") {
			t.Errorf("%s is not an asset of this package", target)
			continue
		}
		res := get(t, h, target, "Accept-Encoding", "gzip, deflate, br")
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", target, res.StatusCode)
			continue
		}
		for _, name := range []string{"Content-Type", "ETag", "Cache-Control", "Content-Security-Policy"} {
			if res.Header.Get(name) == "" {
				t.Errorf("%s: no %s", target, name)
			}
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: sniffing is allowed", target)
		}
		if len(body(t, res)) == 0 {
			t.Errorf("%s: empty", target)
		}
	}
}

func TestNoOtherHost(t *testing.T) {
	h := mux()
	for _, target := range []string{"/graphiql", address(t, h, "app.js"), address(t, h, "app.css")} {
		if found := regexp.MustCompile(`(?i)(https?:|["'(])//[a-z0-9]\S*`).Find(body(t, get(t, h, target))); found != nil {
			t.Errorf("%s names another host: %s", target, found)
		}
	}
	css := body(t, get(t, h, address(t, h, "graphiql-4.1.2.min.css")))
	if found := regexp.MustCompile(`@import|url\(["']?[^d"'][^)]{0,40}`).Find(css); found != nil {
		t.Errorf("GraphiQL's style sheet loads something: %s", found)
	}
}

func TestUnknownPath(t *testing.T) {
	h := mux()
	for _, target := range []string{
		"/graphiql/assets/", "/graphiql/assets/none.js", "/graphiql/assets/README.md",
		"/graphiql/assets/react-18.3.1.min.js.gz", "/graphiql/index.html", "/graphiql/other",
	} {
		if res := get(t, h, target); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", target, res.StatusCode)
		}
	}
}

func TestMethod(t *testing.T) {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/graphiql", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// The README names the sum of every vendored file as its package ships it.
func TestVendoredSums(t *testing.T) {
	readme, err := os.ReadFile("assets/README.md")
	if err != nil {
		t.Fatal(err)
	}
	h := mux()
	vendored, err := filepath.Glob("assets/*.gz")
	if err != nil || len(vendored) != 4 {
		t.Fatalf("%q, %v", vendored, err)
	}
	for _, file := range vendored {
		name := strings.TrimSuffix(filepath.Base(file), ".gz")
		sum := sha256.Sum256(body(t, get(t, h, address(t, h, name))))
		row := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(name) + "` \\|.*`" + hex.EncodeToString(sum[:]) + "` \\|$")
		if !row.Match(readme) {
			t.Errorf("the README has no row with the right sum for %s", name)
		}
	}
}

// TestColoursAreTheConsoles compares the colours of the frame with the console's,
// in light and in dark.
func TestColoursAreTheConsoles(t *testing.T) {
	sheet, err := os.ReadFile("../../ui/assets/ui.css")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("assets/app.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(sheet), "prefers-color-scheme: dark")
	dark, _, _ = strings.Cut(dark, "*, *::before")
	if !found {
		t.Fatal("the console has no dark colours")
	}
	pairs := regexp.MustCompile(`(--[a-z-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\);`).FindAllStringSubmatch(string(own), -1)
	if len(pairs) < 10 {
		t.Fatalf("only %d colours are there", len(pairs))
	}
	for _, pair := range pairs {
		for shade, text := range map[string]string{pair[2]: light, pair[3]: dark} {
			if !strings.Contains(text, " "+pair[1]+": "+shade+";") {
				t.Errorf("%s is %s, which the console has otherwise", pair[1], shade)
			}
		}
	}
}
