package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// conn is an HTTP/1.1 client that does only what a measurement needs: it sends
// bytes made before and reads an answer of known length. The client runs on
// the cores of the server, so what it costs would be measured with it.
type conn struct {
	conn   net.Conn
	reader *bufio.Reader
	body   []byte
}

func dial(ctx context.Context, address string) (*conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &conn{conn: c, reader: bufio.NewReaderSize(c, 32<<10)}, nil
}

func (c *conn) close() { c.conn.Close() }

// dial connects until the end of the measurement.
func (r *run) dial(address string) *conn {
	c := must(dial(r.Context(), address))
	r.Cleanup(c.close)
	return c
}

var (
	statusOK      = []byte("HTTP/1.1 200 ")
	contentLength = []byte("Content-Length: ")
	failed        = []byte(`"errors"`)
)

// do sends a request and returns the body of its answer, which is good until
// the next call. Anything but 200 without GraphQL errors, and with a body that
// begins as wanted, is an error.
func (c *conn) do(request []byte, want string) ([]byte, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	length, err := c.readHeader(true)
	if err != nil {
		return nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.reader, c.body); err != nil {
		return nil, err
	}
	if len(c.body) < len(want) || string(c.body[:len(want)]) != want || bytes.Contains(c.body, failed) {
		return nil, fmt.Errorf("the answer is %.300q, and should begin with %q", c.body, want)
	}
	return c.body, nil
}

// readHeader reads a header, which must be that of a success if ok is set.
func (c *conn) readHeader(ok bool) (length int, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if ok && !bytes.HasPrefix(line, statusOK) {
		return 0, fmt.Errorf("the answer is %q", bytes.TrimSpace(line))
	}
	length = -1
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, contentLength); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("the answer has no Content-Length")
	}
	return length, nil
}

// post builds the bytes of a request.
func post(path, contentType, token, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: %s\r\nContent-Length: %d\r\n", path, contentType, len(body))
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}
