package graphql

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/oauth"
)

const (
	// smallAnswer is the size up to which an answer gives up its place at the gate
	// before it is written. A larger one keeps it for soon, which bounds the memory
	// that answers take together, and is then one of those that wait for readers.
	smallAnswer = 1 << 20
	soon        = 250 * time.Millisecond
)

// makeWay lets whoever reads an answer slowly keep nobody out: it gives the place
// of the request to others, and cuts the answer off if too much waits for slow
// readers already. It returns what is to be called when the answer is written.
func (h *Handler) makeWay(ctx context.Context, w http.ResponseWriter, size int) (written func()) {
	if size <= smallAnswer {
		return admission.Pause(ctx)
	}
	end := hurry(w, size)
	caller, _ := oauth.PrincipalOf(ctx)
	over := func() {}
	moved := make(chan struct{})
	timer := time.AfterFunc(soon, func() {
		defer close(moved)
		leave, ok := h.admission.Unread.Take(caller.ClientID, int64(size))
		if !ok {
			end()
			return
		}
		resume := admission.Pause(ctx)
		over = func() { resume(); leave() }
	})
	return func() {
		if !timer.Stop() {
			<-moved
			over()
		}
	}
}

// hurry bounds the time in which a large answer must be read, to five seconds
// and one more for each mebibyte. end says that the time is over.
func hurry(w http.ResponseWriter, size int) (end func()) {
	control := http.NewResponseController(w)
	//house:clock the connection goes by it
	now := time.Now()
	patience := 5*time.Second + time.Duration(size>>20)*time.Second
	_ = control.SetWriteDeadline(now.Add(patience))     // the server has a bound of its own
	return func() { _ = control.SetWriteDeadline(now) } // as before
}
