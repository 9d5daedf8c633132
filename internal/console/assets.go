package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed assets
var assetFiles embed.FS

var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// asset is a file that pages refer to. Its address has a hash of its content,
// so that a browser keeps it for ever and still never shows an old one.
type asset struct {
	address      string
	contentType  string
	plain, small []byte // small is compressed
}

// loadAssets returns the assets by the names that templates use.
func loadAssets() (map[string]*asset, error) {
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		return nil, err
	}
	assets := map[string]*asset{}
	for _, entry := range entries {
		content, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			return nil, err
		}
		extension := path.Ext(entry.Name())
		kind, known := contentTypes[extension]
		if !known {
			return nil, fmt.Errorf("nobody knows what kind of file %s is", entry.Name())
		}
		sum := sha256.Sum256(content)
		base := strings.TrimSuffix(entry.Name(), extension)
		assets[entry.Name()] = &asset{
			address:     "/assets/" + base + "." + hex.EncodeToString(sum[:6]) + extension,
			contentType: kind, plain: content, small: compress(content),
		}
	}
	return assets, nil
}

func compress(content []byte) []byte {
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a good one
	}
	_, _ = w.Write(content) // memory takes everything
	_ = w.Close()
	return small.Bytes()
}

// serveAsset answers with a file for whoever asks: nothing in it is secret.
func (c *Console) serveAsset(w http.ResponseWriter, r *http.Request) {
	for _, a := range c.views.assets {
		if a.address != r.URL.Path {
			continue
		}
		h := w.Header()
		h.Set("Content-Type", a.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Vary", "Accept-Encoding")
		content := a.plain
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			content = a.small
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	// An old page that is still open asks for the style of an old version.
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "There is no such file. Reload the page.", http.StatusNotFound)
}

// acceptsGzip reads Accept-Encoding as browsers write it; whoever writes it in
// another way gets what everybody can read.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(part) == "gzip" {
			return true
		}
	}
	return false
}
