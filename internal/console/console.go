package console

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/forwarded"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// Tokens makes access tokens for users, for trying the API in the browser.
type Tokens interface {
	UserToken(u *billing.User, session string) (token string, expires time.Time, err error)
}

// Options are what a Console works with. All but Receiver are required.
type Options struct {
	Service *service.Service
	Tokens  Tokens
	// BaseURL is the address under which browsers reach the console.
	BaseURL string
	// Receiver is the address of ReceiverPath, empty if webhooks may not go
	// there.
	Receiver string
	Now      func() time.Time
	// Elapsed measures how long ago somebody tried to sign in, wherever clocks are
	// set meanwhile.
	Elapsed func() time.Duration
	Log     *slog.Logger
	// Gate bounds how many pages are made at once, and Budgets what a user may
	// take; nil bounds nothing.
	Gate    *admission.Gate
	Budgets *admission.Budgets
	// Proxies are those that are believed about who the client is.
	Proxies forwarded.Trust
}

// Console answers what browsers ask. It is safe for concurrent use.
type Console struct {
	service  *service.Service
	tokens   Tokens
	baseURL  string
	receiver string
	secure   bool // cookies are for https only
	now      func() time.Time
	log      *slog.Logger
	views    *ui.Views
	throttle throttle
	gate     *admission.Gate
	budgets  *admission.Budgets
	// strangerForms has as many places as long forms of strangers are read at once.
	strangerForms chan struct{}
	proxies       forwarded.Trust
	handler       http.Handler
}

// New returns a console whose pages have been tried.
func New(o Options) (*Console, error) {
	c := &Console{
		service: o.Service, tokens: o.Tokens, baseURL: strings.TrimRight(o.BaseURL, "/"), secure: strings.HasPrefix(o.BaseURL, "https://"),
		receiver: o.Receiver, now: o.Now, log: o.Log,
		gate: o.Gate, budgets: o.Budgets, strangerForms: make(chan struct{}, mostStrangerForms), proxies: o.Proxies,
	}
	c.throttle = newThrottle(o.Elapsed)
	var err error
	if c.views, err = pages.Load(templateFiles); err != nil {
		return nil, fmt.Errorf("the pages of the console: %w", err)
	}
	// Browsers say where a request comes from; one that another site made is
	// refused before anything looks at its cookie.
	sameSite := http.NewCrossOriginProtection()
	if origin := originOf(c.baseURL); origin != "" {
		if err := sameSite.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	sameSite.SetDenyHandler(c.handle(route{do: refuseForeign}))
	c.handler = ui.Secured(sameSite.Handler(c.routes()))
	return c, nil
}

func originOf(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// requestTime bounds how long a page may take, waiting for the database included.
const requestTime = 60 * time.Second

func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTime)
	defer cancel()
	inner := r.WithContext(ctx)
	defer func() { r.Pattern = inner.Pattern }() // requests are counted by it
	c.handler.ServeHTTP(w, inner)
}

func (c *Console) q() store.Queries { return c.service.Read() }
