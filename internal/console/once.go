package console

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// formStep is the operation of a form among the recorded outcomes: each form
	// has one.
	formStep = "form"
	// onceWait is how long a second click waits for the first one.
	onceWait = 30 * time.Second
)

// formAnswer is where a form that was done led to, and what was said there.
type formAnswer struct {
	Address string `json:"address"`
	Message string `json:"message,omitempty"`
}

var errStillAtWork = &pageError{status: http.StatusConflict, title: "Your first click is still being processed",
	text: "It is taking longer than usual. Nothing is done twice: check the result in a moment."}

// errSentBefore refuses a form that was done with other values.
func (c *call) errSentBefore() error {
	from, err := url.Parse(c.r.Referer())
	if err != nil {
		from = &url.URL{}
	}
	return &pageError{status: http.StatusConflict, title: "This form was already sent",
		text: "It was sent with other values, and nothing was done this time. Open the form again to make another change.",
		back: &ui.Link{Text: "Open it again", Href: ui.LocalPath(from.RequestURI())}}
}

// doOnce does what a form asks for. When the same form comes again, because
// somebody clicked twice or a browser sent it twice, nothing is done and the
// answer is that of the first time. This is the idempotency of the API: the
// operation records its outcome in its own transaction, so it holds for several
// servers and for one that dies in between.
func (c *call) doOnce(do func(*call) error) error {
	form, values := ui.Token(c.r)
	if form == "" { // from before an upgrade
		return do(c)
	}
	var err error
	if c.once, err = c.claim(form, values); err != nil {
		return err
	}
	defer c.settle(nil)
	text, found, err := c.service.AnswerTo(c.r.Context(), c.once)
	if err != nil {
		return err
	}
	if !found {
		return do(c)
	}
	var first formAnswer
	if err := json.Unmarshal([]byte(text), &first); err != nil {
		return err
	}
	once := c.once
	c.once = nil // its answer stays
	if err := c.service.Release(context.WithoutCancel(c.r.Context()), once); err != nil {
		return err
	}
	return c.goTo(first.Address, first.Message)
}

// claim claims a form, once the first request with it is over.
func (c *call) claim(form, values string) (*operation.Once, error) {
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), onceWait, errStillAtWork)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		once, err := c.service.ClaimOnce(c.r.Context(), "console "+ui.IDText(c.user.ID), form, values)
		if errors.Is(err, operation.ErrOtherRequest) {
			err = c.errSentBefore()
		}
		if !errors.Is(err, operation.ErrStillRunning) {
			return once, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		//house:clock the pause between two looks is real, whatever the clock shows
		case <-time.After(pause):
		}
	}
}

// settle ends the claim of a form, with the answer to give whoever sends it
// again. It is called before the answer is on its way, and once more for forms
// that are not answered with another page.
func (c *call) settle(answer *formAnswer) {
	if c.once == nil {
		return
	}
	once, text := c.once, ""
	c.once = nil
	if answer != nil {
		encoded, err := json.Marshal(answer)
		if err != nil {
			panic("console: an answer must be JSON: " + err.Error())
		}
		text = string(encoded)
	}
	// Even when the browser is gone: the next click shall not have to wait.
	if err := c.service.ReleaseWith(context.WithoutCancel(c.r.Context()), once, formStep, text); err != nil {
		c.log.LogAttrs(c.r.Context(), slog.LevelWarn, "a form was not settled", slog.Any("error", err))
	}
}
