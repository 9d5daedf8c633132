package console

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// pageError is a failure with a page of its own, which says what to do.
type pageError struct {
	status      int
	title, text string
	back        *ui.Link // where to go on; home if nil
}

func (e *pageError) Error() string { return e.title + ": " + e.text }

var errNoPage = &pageError{status: http.StatusNotFound, title: "There is no such page",
	text: "The address may be mistyped, or what it showed was deleted."}

var errWrongMethod = &pageError{status: http.StatusMethodNotAllowed, title: "That is not how this page is used",
	text: "Open it from the console."}

func missing(words string, back ui.Link) error {
	return &pageError{status: http.StatusNotFound, title: "There is no such " + words,
		text: "It may have been deleted, or the address is mistyped.", back: &back}
}

func forbidden(u *billing.User, scope string) error {
	who := "An admin"
	if scope == billing.StandardWrite || scope == billing.BillingWrite {
		who = "An editor or admin"
	}
	return &pageError{status: http.StatusForbidden, title: "You are not allowed to do this",
		text: "Your role is " + roleWord(u.Role) + ". " + who + " can do it, or change your role under Users."}
}

func refuseForeign(*call) error {
	return &pageError{status: http.StatusForbidden, title: "This came from another site",
		text: "Your browser says that another web site sent this form, so nothing was done. If it was you, open the console and do it there. " +
			"If the console is behind a proxy, it must be told its address with --base-url."}
}

// showError shows a failure. What is not the user's is logged and shown as an
// id only.
func (c *call) showError(err error) {
	shown := c.explain(err)
	if shown.status == http.StatusInternalServerError {
		c.log.LogAttrs(c.r.Context(), slog.LevelError, "a page failed", slog.String("path", c.r.URL.Path), slog.Any("error", err))
	}
	data := ui.Failure{Status: shown.status, Title: shown.title, Text: shown.text, Back: ui.Link{Text: "Home", Href: "/"}}
	passes := shown.status == http.StatusServiceUnavailable || shown.status == http.StatusTooManyRequests
	switch {
	case shown.back != nil:
		data.Back = *shown.back
	case passes && c.r.Method == http.MethodGet:
		data.Back = ui.Link{Text: "Try again", Href: ui.LocalPath(c.r.URL.RequestURI())}
	}
	if shown.status == http.StatusServiceUnavailable {
		c.w.Header().Set("Retry-After", "1")
	}
	if shown.status >= 500 {
		data.RequestID = c.w.Header().Get("X-Request-Id")
	}
	if failed := errorPage.showStatus(c, shown.status, shown.title, data); failed != nil {
		c.log.LogAttrs(c.r.Context(), slog.LevelError, "the page of a failure failed", slog.Any("error", failed))
		http.Error(c.w, shown.title, shown.status)
	}
}

func (c *call) explain(err error) *pageError {
	var own *pageError
	if errors.As(err, &own) {
		return own
	}
	if problems, known := billing.AsProblems(err); known {
		status := http.StatusUnprocessableEntity
		if billing.Is(err, billing.NotFound) {
			status = http.StatusNotFound
		}
		return &pageError{status: status, title: "That cannot be done", text: problems.Error()}
	}
	switch {
	case errors.Is(err, impact.ErrTooLong):
		return &pageError{status: http.StatusServiceUnavailable, title: "The preview took too long",
			text: fmt.Sprintf("What this would do could not be computed within %d seconds, and nothing was done. Try again when there is less to do; through the API it can be done without a preview.", int(impact.Longest.Seconds()))}
	case errors.Is(err, store.ErrUnsure):
		return &pageError{status: http.StatusServiceUnavailable, title: "Nobody knows what day it is",
			text: "Nothing was saved: the clock cannot be believed, and this depends on the day. Go back and try again when the clock is right, or when the lifecycle was resumed."}
	case store.IsFull(err):
		return &pageError{status: http.StatusInsufficientStorage, title: "The disk is full",
			text: "Nothing was saved. Make room on the disk of the database, then go back and try again."}
	case store.IsInDoubt(err):
		return &pageError{status: http.StatusServiceUnavailable, title: "The database did not answer",
			text: "Nobody knows whether it was saved. Wait a moment, then go back and send the form again: what was saved is not done twice."}
	case store.IsUnavailable(err):
		return &pageError{status: http.StatusServiceUnavailable, title: "The database does not answer",
			text: "Nothing was saved. Wait a moment, then go back and try again."}
	}
	return &pageError{status: http.StatusInternalServerError, title: "Something went wrong",
		text: "This is an error in Tenantry. Go back and try again; if it happens again, look in the server's log for the id below."}
}
