package console

import (
	"bytes"
	"io"
	"net/http"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// maxStrangerForm is how large the form of somebody who is not signed in may be.
	maxStrangerForm = 1 << 20
	// headOfForm is how much of a form is read before the request waits for its
	// turn: the whole of nearly all. It is little, for anybody may send it on any
	// number of connections.
	headOfForm = 16 << 10
	// mostStrangerForms is how many larger forms of strangers are read at once.
	mostStrangerForms = 16
)

// readHead reads the beginning of a form. Whoever sends it slowly, or never sends
// the rest, keeps nobody out.
func (c *call) readHead() error {
	if c.r.Method != http.MethodPost {
		return nil
	}
	head, err := io.ReadAll(io.LimitReader(c.r.Body, headOfForm))
	if err != nil {
		return formError(err)
	}
	rest := c.r.Body
	c.r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), rest}
	c.longForm = len(head) == headOfForm
	return nil
}

// readForm reads a form to its end. For one that is long the place is for others
// meanwhile, and the forms of strangers are few at a time.
func (c *call) readForm() error {
	limit := int64(maxStrangerForm)
	if c.user != nil {
		limit = ui.MaxForm
	}
	if c.longForm {
		if c.user == nil {
			select {
			case c.strangerForms <- struct{}{}:
				defer func() { <-c.strangerForms }()
			default:
				return errBusy
			}
		}
		defer admission.Pause(c.r.Context())()
	}
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, limit)
	if err := c.r.ParseForm(); err != nil {
		return formError(err)
	}
	return nil
}
