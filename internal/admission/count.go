package admission

import (
	"io"
	"net/http"
)

// Counter counts the bytes that a caller sends.
type Counter struct {
	io.ReadCloser
	bytes int64
}

// Count has the body of a request counted while it is read, however it is sent;
// what its address asks for counts at once.
func Count(r *http.Request) *Counter {
	c := &Counter{ReadCloser: r.Body, bytes: int64(len(r.URL.RawQuery))}
	r.Body = c
	return c
}

// Bytes is how many came so far.
func (c *Counter) Bytes() int64 { return c.bytes }

func (c *Counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.bytes += int64(n)
	return n, err
}
