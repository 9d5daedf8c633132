package assets

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

const css = "body { margin: 0 }"

func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := New(fstest.MapFS{
		"app.css": {Data: []byte(css)}, "lib-1.2.min.js.gz": {Data: pack([]byte("alert(1)"))}, "icon.svg": {Data: []byte("<svg/>")},
	}, "/files/")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get sends one request; header holds names and values in turn.
func get(s *Server, target string, header ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
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

func TestAddressesNameTheContent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	address, err := s.Address("lib-1.2.min.js")
	if err != nil || !strings.HasPrefix(address, "/files/lib-1.2.min.") || !strings.HasSuffix(address, ".js") || address == "/files/lib-1.2.min.js" {
		t.Errorf("%s, %v", address, err)
	}
	other, err := New(fstest.MapFS{"app.css": {Data: []byte(css + " ")}}, "/files/")
	if err != nil {
		t.Fatal(err)
	}
	if s.addresses["app.css"] == other.addresses["app.css"] {
		t.Error("other content has the same address")
	}
	if _, err := s.Address("none.css"); err == nil {
		t.Error("a file that is not there has an address")
	}
	if _, err := New(fstest.MapFS{"README.md": {}}, "/"); err == nil {
		t.Error("a file without a content type is served")
	}
}

func TestGzipAndPlainAreTheSame(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, want := range map[string]string{"app.css": css, "lib-1.2.min.js": "alert(1)", "icon.svg": "<svg/>"} {
		plain, zipped := get(s, s.addresses[name]), get(s, s.addresses[name], "Accept-Encoding", "br, gzip")
		for _, res := range []*http.Response{plain, zipped} {
			if res.StatusCode != 200 || res.Header.Get("Vary") != "Accept-Encoding" || res.Header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(res.Header.Get("Cache-Control"), "immutable") || res.Header.Get("Content-Type") == "" {
				t.Errorf("%s: %d with %v", name, res.StatusCode, res.Header)
			}
		}
		if plain.Header.Get("Content-Encoding") != "" || zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: the encodings are %q and %q", name, plain.Header.Get("Content-Encoding"), zipped.Header.Get("Content-Encoding"))
		}
		if plain.Header.Get("ETag") == zipped.Header.Get("ETag") {
			t.Errorf("%s: both encodings share a strong ETag", name)
		}
		zr, err := gzip.NewReader(bytes.NewReader(body(t, zipped)))
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := io.ReadAll(zr)
		if got := body(t, plain); err != nil || string(got) != want || string(unzipped) != want {
			t.Errorf("%s: %q and %q, %v", name, got, unzipped, err)
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, target := range s.addresses {
		for _, encoding := range []string{"", "gzip"} {
			tag := get(s, target, "Accept-Encoding", encoding).Header.Get("ETag")
			res := get(s, target, "Accept-Encoding", encoding, "If-None-Match", `"other", `+tag)
			if res.StatusCode != http.StatusNotModified || len(body(t, res)) != 0 {
				t.Errorf("%s with %q: status %d for its own tag", target, encoding, res.StatusCode)
			}
			if res := get(s, target, "Accept-Encoding", encoding, "If-None-Match", `"other"`); res.StatusCode != http.StatusOK {
				t.Errorf("%s with %q: status %d for another tag", target, encoding, res.StatusCode)
			}
		}
	}
}

func TestMissingFilesAreNotCached(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, target := range []string{"/files/", "/files/app.css", "/files/app.000000000000.css", "/files/lib-1.2.min.js.gz"} {
		if res := get(s, target); res.StatusCode != http.StatusNotFound || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: status %d with %v", target, res.StatusCode, res.Header)
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "br, gzip;q=0.5": true, "gzip; q=1.0": true,
		"gzip;q=0": false, "gzip;q=0.000, *": false, "*": true, "*;q=0": false, "identity": false,
		"br, deflate": false, "*, gzip;q=0": false, "gzip;q=x": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		if got := AcceptsGzip(r); got != want {
			t.Errorf("%q: %t, want %t", header, got, want)
		}
	}
}
