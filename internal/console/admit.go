package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/store"
)

var errBusy = &pageError{status: http.StatusServiceUnavailable, title: "Too many people ask at once",
	text: "Nothing was done. Wait a moment, then try again."}

// admitted runs a request when its turn comes. Webhooks to the server's own
// receiver do not wait: the page that has them sent may hold the last place.
func (c *call) admitted(r route) error {
	c.r = c.r.WithContext(store.ForRequest(c.r.Context()))
	if c.gate == nil || c.r.URL.Path == ReceiverPath {
		return c.run(r)
	}
	if err := c.readHead(); err != nil {
		return err
	}
	caller := forwarded.Network(hostOf(c.r.RemoteAddr))
	leave, err := c.gate.Enter(c.r.Context(), caller)
	if err != nil {
		return errBusy
	}
	defer leave()
	c.r = c.r.WithContext(c.gate.Hold(c.r.Context(), caller))
	if err := c.run(r); err != nil {
		c.showError(err) // while the place is held, for it is left to write the page
	}
	return nil
}

// begin lets a request of a user in if the user's budget allows it. charge is to
// be called when it is over.
func (c *call) begin() (charge func(), err error) {
	if c.user == nil || c.budgets == nil {
		return func() {}, nil
	}
	visit, no := c.budgets.Begin(admission.Caller{Key: "user:" + strconv.FormatInt(int64(c.user.ID), 10), Label: "console"})
	if no != nil {
		c.w.Header().Set("Retry-After", strconv.Itoa(int(no.After/time.Second)))
		return nil, &pageError{status: http.StatusTooManyRequests, title: "Too much at once", text: "Your user " + no.Message() + " Nothing was done."}
	}
	visit.Run(c.r.Context())
	counted := &countedWriter{ResponseWriter: c.w}
	c.w = counted
	body := admission.Count(c.r)
	return func() { visit.End(body.Bytes() + counted.bytes) }, nil
}

// countedWriter counts the bytes of an answer.
type countedWriter struct {
	http.ResponseWriter
	bytes int64
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
