// Package assets serves the files that pages refer to, such as style sheets and
// scripts, from the binary. The address of a file contains a hash of its content,
// so that browsers cache it forever and never show an old version.
package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// contentTypes is fixed here because the mime package asks the host's tables.
var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// Server serves files. It is safe for concurrent use.
type Server struct {
	addresses map[string]string // by name
	files     map[string]file   // by address
}

// file is kept compressed: nearly every client takes it as it is.
type file struct {
	contentType string
	hash        string
	packed      []byte
}

// New serves the files of a directory at addresses that begin with prefix. The
// name of a file that is already compressed ends in .gz; it is served without
// that ending.
func New(files fs.FS, prefix string) (*Server, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	s := &Server{addresses: map[string]string{}, files: map[string]file{}}
	for _, entry := range entries {
		content, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, err
		}
		name, packed := strings.CutSuffix(entry.Name(), ".gz")
		extension := path.Ext(name)
		sum := sha256.Sum256(content)
		f := file{contentType: contentTypes[extension], hash: hex.EncodeToString(sum[:6]), packed: content}
		if f.contentType == "" {
			return nil, fmt.Errorf("the content type of %s is unknown", entry.Name())
		}
		if !packed {
			f.packed = pack(content)
		}
		s.addresses[name] = prefix + strings.TrimSuffix(name, extension) + "." + f.hash + extension
		s.files[s.addresses[name]] = f
	}
	return s, nil
}

// Address is where a file is served. It is an error if there is no such file, so
// that templates can call it.
func (s *Server) Address(name string) (string, error) {
	address, known := s.addresses[name]
	if !known {
		return "", fmt.Errorf("there is no file %s", name)
	}
	return address, nil
}

// ServeHTTP responds with the file at the address of the request. Files are
// public.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	f, known := s.files[r.URL.Path]
	if !known { // a page that was opened before an upgrade asks for its old style sheet
		h.Set("Cache-Control", "no-store")
		http.Error(w, "There is no such file. Reload the page.", http.StatusNotFound)
		return
	}
	content, tag := f.packed, f.hash+"-gz" // other bytes on the wire need another strong tag
	if AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
	} else {
		content, tag = unpack(f.packed), f.hash
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func pack(content []byte) []byte {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return packed.Bytes()
}

// unpack panics on what is not compressed: a broken build, which tests find.
func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return content
}
