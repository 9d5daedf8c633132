package listen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	forwardTimeout = time.Minute
	maxAnswer      = 1 << 20
)

// newClient is for forwarding: the answer is passed on as it is.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	return &http.Client{
		Transport: transport, Timeout: forwardTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// hopHeaders are about a connection and not about what is sent over it.
var hopHeaders = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length"}

func passedOn(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range hopHeaders {
		h.Del(name)
	}
	return h
}

// forward sends a webhook on, with the same body and headers, and returns the
// answer to it. One that cannot be had is a 502.
func (r *Receiver) forward(ctx context.Context, a *arrival, note string) answer {
	failed := func(err error) answer {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, which is known
		}
		text := fmt.Sprintf("%s cannot be reached: %s", r.Forward, err)
		return answer{status: http.StatusBadGateway, body: []byte(text + "\n"), note: join(note, text), forward: true}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Forward, bytes.NewReader(a.body))
	if err != nil {
		return failed(err)
	}
	request.Header = passedOn(a.header)
	response, err := r.client.Do(request)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return failed(err)
	}
	return answer{status: response.StatusCode, header: passedOn(response.Header), body: body, note: join(note, "by "+r.Forward), forward: true}
}
