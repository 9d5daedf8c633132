package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/ui"
)

// maxKept is how much of a form is kept for somebody who has to sign in again.
const maxKept = 256 << 10

// keptPrefix begins the names of fields of another form that are only carried
// along.
const keptPrefix = "kept:"

func (c *Console) cookieName() string {
	if c.secure {
		return "__Host-tenantry"
	}
	return "tenantry_session"
}

// identify finds out who asks.
func (c *call) identify() error {
	cookie, err := c.r.Cookie(c.cookieName())
	if err != nil || len(cookie.Value) > 100 {
		return nil
	}
	look := c.service.Access.Session
	if c.renews() {
		look = c.service.Access.SessionUntouched
	}
	user, _, err := look(c.r.Context(), cookie.Value)
	if err != nil {
		return err
	}
	if c.user = user; user != nil {
		c.token = cookie.Value
	}
	return nil
}

// renews reports whether a page that somebody left open asks for a part of
// itself anew. That is not use: the session goes on to its end.
func (c *call) renews() bool {
	return c.r.Method == http.MethodGet && slices.Contains([]string{"list", "event", "job", "first", "thing"}, c.r.Header.Get("HX-Trigger"))
}

// signInData is what the page for signing in shows.
type signInData struct {
	Email, Next string
	Problem     string
	// Kept is a form that was sent when the session had ended, to go on with.
	Kept   []ui.Pair
	Notice string
}

var signInPage = newPage[signInData]("signin")

// askToSignIn shows the page for signing in, with what was typed kept.
func (c *call) askToSignIn() error {
	if c.r.Header.Get("HX-Request") != "" {
		c.w.Header().Set("HX-Refresh", "true") // a part of a page is no place to sign in
		c.w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	data := signInData{Next: ui.LocalPath(c.r.URL.RequestURI())}
	if c.r.Method != http.MethodPost {
		query := url.Values{}
		if data.Next != "/" {
			query.Set("next", data.Next)
		}
		if _, err := c.r.Cookie(c.cookieName()); err == nil {
			query.Set("ended", "1")
		}
		return c.goTo(strings.TrimSuffix("/sign-in?"+query.Encode(), "?"), "")
	}
	data.Kept, data.Notice = keep(c.r.PostForm), "Your session has ended. Sign in to continue; what you typed is kept."
	if data.Kept == nil {
		data.Next, data.Notice = "/", "Your session has ended. Sign in, and do it again: nothing was saved."
	}
	return signInPage.showStatus(c, http.StatusUnauthorized, "Sign in", data)
}

// keep returns the fields of a form to be carried along, or nil if they are too
// many. Passwords are never carried, and the form that goes on has its own token.
func keep(form url.Values) []ui.Pair {
	kept, size := []ui.Pair{}, 0
	for name, values := range form {
		if name == ui.TokenField || strings.Contains(strings.ToLower(name), "password") || strings.HasPrefix(name, keptPrefix) {
			continue
		}
		for _, value := range values {
			kept = append(kept, ui.Pair{Name: keptPrefix + name, Value: value})
			size += len(name) + len(value)
		}
	}
	if size > maxKept {
		return nil
	}
	slices.SortStableFunc(kept, func(a, b ui.Pair) int { return strings.Compare(a.Name, b.Name) })
	return kept
}

// kept returns the fields that were carried along, under their own names.
func kept(form url.Values) []ui.Pair {
	var all []ui.Pair
	for name, values := range form {
		if own, is := strings.CutPrefix(name, keptPrefix); is {
			for _, value := range values {
				all = append(all, ui.Pair{Name: own, Value: value})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ui.Pair) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func showSignIn(c *call) error {
	if c.user != nil {
		return c.goTo(ui.LocalPath(c.value("next")), "")
	}
	data := signInData{Next: ui.LocalPath(c.value("next"))}
	if c.value("ended") != "" {
		data.Notice = "Your session has ended. Sign in to continue."
	}
	return signInPage.show(c, "Sign in", data)
}

func signIn(c *call) error {
	email := strings.TrimSpace(c.value("email"))
	data := signInData{Email: email, Next: ui.LocalPath(c.value("next"))}
	for _, p := range kept(c.r.PostForm) {
		data.Kept = append(data.Kept, ui.Pair{Name: keptPrefix + p.Name, Value: p.Value})
	}
	at, err := c.service.Access.Recognize(c.r.Context(), email, c.source())
	if err != nil {
		return err
	}
	budget := budgetOf(billing.Fold(email[:min(len(email), 254)]), at)
	if wait := c.throttle.Take(budget...); wait > 0 {
		seconds := int((wait + time.Second - 1) / time.Second)
		c.w.Header().Set("Retry-After", strconv.Itoa(seconds))
		data.Problem = fmt.Sprintf("Too many attempts. Try again in %d seconds.", seconds)
		return signInPage.showStatus(c, http.StatusTooManyRequests, "Sign in", data)
	}
	from := billing.Session{Address: hostOf(c.r.RemoteAddr), Browser: clip(c.r.UserAgent(), 300)}
	if at.Known != access.KnownDevice {
		at.Device = secret.Random() // not what the browser says: somebody else may have told it
	}
	token, _, err := c.service.Access.SignIn(c.r.Context(), email, c.value("password"), from, at)
	if errors.Is(err, access.ErrWrongPassword) {
		data.Problem = "The e-mail address or the password is wrong."
		return signInPage.showStatus(c, http.StatusUnauthorized, "Sign in", data)
	}
	if errors.Is(err, secret.ErrBusy) {
		return &pageError{status: http.StatusServiceUnavailable, title: "Too many people are signing in right now", text: "Go back and try again in a few seconds."}
	}
	if err != nil {
		return err
	}
	c.throttle.forgive(budget)
	c.setCookie(c.deviceCookie(), at.Device, int(access.SourceLife/time.Second))
	c.setCookie(c.cookieName(), token, int(billing.SessionLife/time.Second))
	if len(data.Kept) == 0 {
		return c.goTo(data.Next, "")
	}
	return c.resume(token, data.Next)
}

// resumeData is a form that can go on after signing in.
type resumeData struct {
	Action string
	Fields []ui.Pair
	Shown  []ui.Pair
}

var resumePage = newPage[resumeData]("resume")

// resume shows what was typed before the session had ended, to be sent again:
// nothing is saved without another look.
func (c *call) resume(token, action string) error {
	var err error
	if c.user, _, err = c.service.Access.Session(c.r.Context(), token); err != nil {
		return err
	}
	data := resumeData{Action: action}
	for _, p := range kept(c.r.PostForm) {
		data.Fields = append(data.Fields, p)
		if p.Value != "" && p.Name != "version" && p.Name != "fields" {
			data.Shown = append(data.Shown, p)
		}
	}
	return resumePage.show(c, "Welcome back", data)
}

func signOut(c *call) error {
	if c.user == nil { // by the first of two clicks
		return c.goTo("/sign-in", "")
	}
	if err := c.service.Access.SignOut(c.ctx(), c.user, c.token); err != nil {
		return err
	}
	c.leave()
	return c.goTo("/sign-in", "")
}

// leave makes the browser forget who was signed in, and the pages it kept.
func (c *call) leave() {
	c.setCookie(c.cookieName(), "", -1)
	c.w.Header().Set("Clear-Site-Data", `"cache"`)
}

func signOutEverywhere(c *call) error {
	if c.user == nil {
		return c.goTo("/sign-in", "")
	}
	if _, err := c.service.Access.SignOutEverywhere(c.ctx(), c.user.ID); err != nil {
		return err
	}
	c.leave()
	return c.goTo("/sign-in", "")
}

// clip shortens a text to at most so many bytes, and makes it valid.
func clip(text string, most int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), most)], "\x00", ""), "")
}
