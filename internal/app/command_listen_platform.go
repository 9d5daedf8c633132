package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/sign"
	"github.com/tenantry/tenantry/internal/listen"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// attached is a platform that is to send its webhooks to a listener.
type attached struct {
	store    *store.Store
	service  *service.Service
	platform *webhook.Platform
	given    func(context.Context) ([][]byte, error) // the keys that were asked for
	now      func() time.Time
	token    string
}

// openPlatform opens the database and finds the platform.
func (l *listening) openPlatform(ctx context.Context, p Process) (*attached, error) {
	if err := l.finish(p.Env); err != nil {
		return nil, err
	}
	if err := l.checkSecretKey(); err != nil {
		return nil, err
	}
	if err := l.mustExist(); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, p.databaseOptions(&l.config))
	if err != nil {
		return nil, err
	}
	at := &attached{store: st, given: l.options.Keys, now: st.Now}
	if err := at.find(ctx, p, l); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return at, nil
}

func (at *attached) find(ctx context.Context, p Process, l *listening) error {
	box, err := openBox(ctx, &l.config, at.store, p.Stderr)
	if err != nil {
		return err
	}
	at.service = service.New(at.store, box, nil)
	if billing.IsCode(l.platform) {
		if at.platform, err = store.Platforms.ByCode(ctx, at.store.Queries(), l.platform); err != nil {
			return err
		}
	}
	if at.platform == nil {
		return fmt.Errorf("there is no platform with the code %q; the console and the API's platforms list them", l.platform)
	}
	return nil
}

// keys are those that were asked for, or those of the platform as they are now:
// it may be given a new secret while this runs.
func (at *attached) keys(ctx context.Context) ([][]byte, error) {
	if at.given != nil {
		return at.given(ctx)
	}
	routes, err := outbox.RoutesOf(ctx, at.store.Queries(), []billing.PlatformID{at.platform.ID})
	if err != nil {
		return nil, err
	}
	if len(routes) == 0 {
		return nil, fmt.Errorf("the platform %s is gone", at.platform.Code)
	}
	secrets, err := at.service.Delivery.RouteSecrets(&routes[0], at.now())
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, text := range secrets.Signing {
		key, err := sign.Parse(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// abandoned returns the listener that the platform sends to and that is no
// more, nil if there is none. One that is still there is an error.
func (at *attached) abandoned(ctx context.Context) (*delivery.Listener, error) {
	old, err := at.service.Delivery.PlatformListener(ctx, at.platform)
	if err != nil || old == nil {
		return nil, err
	}
	if alive(ctx, old) {
		return nil, fmt.Errorf("the platform %s is taken: a listener at %s gets its webhooks since %s; stop that one first",
			at.platform.Code, old.URL, old.Since.Format(time.RFC3339))
	}
	return old, nil
}

// alive asks whether a listener is still there.
func alive(ctx context.Context, l *delivery.Listener) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, l.URL, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.Header.Get(listen.TokenHeader) == l.Token
}

// register makes the platform send its webhooks to a listener.
func (at *attached) register(ctx context.Context, p Process, url, token string) error {
	old, err := at.abandoned(ctx)
	if err != nil {
		return err
	}
	instead := ""
	if old != nil {
		instead = old.Token
	}
	l, err := at.service.Delivery.PlatformListen(byCommand(ctx), at.platform.ID, delivery.Listener{Token: token, URL: url}, instead)
	if err != nil {
		return eventProblems(err)
	}
	at.token = token
	if old != nil {
		fmt.Fprintf(p.Stderr, "the listener before this one, at %s, did not put back the address of the platform; this one will\n", old.URL)
	}
	fmt.Fprintf(p.Stderr, "the platform %s sends its webhooks here until this ends; before, it sent them %s\n", at.platform.Code, destination(l.Before))
	if !at.platform.ProvisioningEnabled {
		fmt.Fprintf(p.Stderr, "provisioning is not enabled on the platform %s, so there are no webhooks yet\n", at.platform.Code)
	}
	return nil
}

func destination(url *string) string {
	if url == nil {
		return "nowhere"
	}
	return "to " + *url
}

// end puts back the address of the platform. kept is how many tenants were told
// of changes here and nowhere else, beginning with the earliest event.
func (at *attached) end(ctx context.Context, p Process, kept int, earliest billing.EventID) error {
	ended, err := at.service.Delivery.PlatformListenEnd(byCommand(ctx), at.platform.ID, at.token)
	if err != nil {
		return fmt.Errorf("the address of the platform %s was not put back: %w; \"tenantry listen --platform %s --restore\" does it",
			at.platform.Code, err, at.platform.Code)
	}
	if ended == nil {
		fmt.Fprintf(p.Stderr, "the platform %s does not send here any more, so its address was left as it is\n", at.platform.Code)
		return nil
	}
	fmt.Fprintf(p.Stderr, "the platform %s sends its webhooks %s again\n", at.platform.Code, destination(ended.Before))
	if kept == 0 || ended.Before == nil {
		return nil
	}
	events, err := log.LoggedEvents(ctx, at.store.Queries(), []billing.EventID{earliest})
	if err != nil || len(events) == 0 {
		return err
	}
	fmt.Fprintf(p.Stderr, "it was not told what this has accepted about %s; to tell it now:\n  tenantry events resend --filter \"platform:%s created:>=%s\"\n",
		tenants(kept), at.platform.Code, events[0].CreatedAt.UTC().Format(time.RFC3339))
	return nil
}

func tenants(n int) string {
	if n == 1 {
		return "1 tenant"
	}
	return fmt.Sprintf("%d tenants", n)
}

// restore puts back what a listener has left that could not do it itself.
func (at *attached) restore(ctx context.Context, p Process) error {
	old, err := at.abandoned(ctx)
	if err != nil {
		return err
	}
	if old == nil {
		fmt.Fprintf(p.Stderr, "no listener has left its address on the platform %s: there is nothing to put back\n", at.platform.Code)
		return nil
	}
	at.token = old.Token
	return at.end(ctx, p, 0, 0)
}
