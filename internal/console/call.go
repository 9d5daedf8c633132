package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/ui"
)

// call is one request and who made it.
type call struct {
	*Console
	w     http.ResponseWriter
	r     *http.Request
	user  *billing.User
	token string // of the session
	// uncompressed is for pages with a secret: what is around a secret must
	// not change how long the answer is.
	uncompressed bool
	// secret was made by this request, to be shown once.
	secret string
	// once is the claim of the form that was sent, nil if it has none.
	once *operation.Once
	// longForm says that a part of the form is still to be read.
	longForm bool
}

// route is an address with what it takes to be let in and what is done there.
type route struct {
	pattern string
	scope   string // empty for everybody who is signed in
	open    bool   // also for those who are not
	asks    bool   // a form sent here changes nothing
	do      func(*call) error
}

// on is what is done at an address with the row that the address names.
func on[T any](find func(*call) (*T, error), do func(*call, *T) error) func(*call) error {
	return func(c *call) error {
		row, err := find(c)
		if err != nil {
			return err
		}
		return do(c, row)
	}
}

// handle makes a handler of a route: it finds out who asks and whether they
// may, and shows what went wrong.
func (c *Console) handle(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		one := &call{Console: c, w: w, r: req}
		if err := one.admitted(r); err != nil {
			one.showError(err)
		}
	})
}

func (c *call) run(r route) error {
	if err := c.identify(); err != nil {
		return err
	}
	charge, err := c.begin()
	if err != nil {
		return err
	}
	defer charge()
	if c.r.Method == http.MethodPost {
		if err := c.readForm(); err != nil {
			return err
		}
	}
	switch {
	case r.open:
	case c.user == nil:
		return c.askToSignIn()
	case r.scope != "" && !c.user.Role.Allows(r.scope):
		return forbidden(c.user, r.scope)
	}
	if c.r.Method == http.MethodPost && c.user != nil && !r.asks {
		return c.doOnce(r.do)
	}
	return r.do(c)
}

func formError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &pageError{status: http.StatusRequestEntityTooLarge, title: "That is too much",
			text: fmt.Sprintf("A form may have up to %d MiB, and nothing of this one was saved. Your browser's Back button leads to the form; shorten what is in it and send it again.", large.Limit>>20)}
	}
	return &pageError{status: http.StatusBadRequest, title: "The form cannot be read", text: "Go back, reload the page and send it again."}
}

// ctx is the context of operations: they are done for the user.
func (c *call) ctx() context.Context {
	if c.user == nil {
		return c.r.Context()
	}
	return operation.As(c.r.Context(), operation.Caller{Actor: access.UserActor(c.user), Once: c.once, Step: formStep})
}

// asking is ctx for an operation that changes nothing: a form that was only
// asked something can be sent again.
func (c *call) asking() context.Context {
	caller := operation.CallerOf(c.ctx())
	caller.Once = nil
	return operation.As(c.r.Context(), caller)
}

// value is a field of the form that was sent, or of the query.
func (c *call) value(name string) string { return c.r.FormValue(name) }

// pathID is the id in the address.
func (c *call) pathID(name string) (int64, error) {
	id, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil || id < 1 {
		return 0, errNoPage
	}
	return id, nil
}

// goTo sends the browser to another page, with something to say there.
func (c *call) goTo(address, message string) error {
	c.settle(&formAnswer{address, message})
	if message != "" {
		c.setCookie(ui.FlashCookie, ui.Flash{Text: message}.Encode(), 60)
	}
	http.Redirect(c.w, c.r, address, http.StatusSeeOther)
	return nil
}

// may reports whether the user has a scope.
func (c *call) may(scope string) bool { return c.user != nil && c.user.Role.Allows(scope) }
