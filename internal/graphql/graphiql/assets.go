package graphiql

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// The big vendored files are kept only compressed: it keeps the binary small,
// and nearly every client takes them as they are.
//
//go:embed assets/*.gz assets/app.js assets/app.css assets/icon.svg assets/LICENSES.txt
var files embed.FS

// contentTypes is fixed here because the mime package asks the host's tables.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// asset is one file under /graphiql/assets/. It holds no content: the embedded
// bytes are read in place.
type asset struct {
	file        string
	packed      bool
	contentType string
	tag         string
}

// loadAssets lists the embedded files by the name they are served under. What
// fails here is a broken build, so it panics rather than serve half a page.
func loadAssets() map[string]asset {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err)
	}
	assets := make(map[string]asset, len(entries))
	for _, entry := range entries {
		name, packed := strings.CutSuffix(entry.Name(), ".gz")
		a := asset{file: "assets/" + entry.Name(), packed: packed, contentType: contentTypes[path.Ext(name)]}
		sum := sha256.New()
		if _, err := io.Copy(sum, a.open()); err != nil || a.contentType == "" {
			panic("graphiql: unusable asset " + a.file)
		}
		a.tag = hex.EncodeToString(sum.Sum(nil)[:12])
		assets[name] = a
	}
	return assets
}

// open gives the embedded bytes without copying them.
func (a asset) open() io.ReadSeeker {
	f, err := files.Open(a.file)
	if err != nil {
		panic(err)
	}
	return f.(io.ReadSeeker)
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	content, tag := a.open(), a.tag
	if a.packed {
		// These names carry a version, so what they stand for never changes.
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			tag += "-gz" // other bytes on the wire need another strong tag
		} else {
			plain, err := unpack(content)
			if err != nil {
				http.Error(w, "the file cannot be read", http.StatusInternalServerError)
				return
			}
			content = bytes.NewReader(plain)
		}
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, content)
}

func unpack(packed io.Reader) ([]byte, error) {
	zr, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zr)
}

// acceptsGzip reads Accept-Encoding headers. A client may name gzip only to
// refuse it, with a weight of zero, and a name beats the wildcard.
func acceptsGzip(headers []string) bool {
	wildcard := false
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
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

// wanted tells whether a coding's parameters leave it a weight above zero.
func wanted(params string) bool {
	key, value, found := strings.Cut(params, "=")
	if !found || strings.ToLower(strings.TrimSpace(key)) != "q" {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q > 0
}
