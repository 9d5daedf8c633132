package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/console"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/graphql"
	"github.com/tenantry/tenantry/internal/lifecycle"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// stopTime is how long requests under way may take when the server stops.
	stopTime = 10 * time.Second
	// housekeeping is how often what has run its time is removed.
	housekeeping = 10 * time.Minute
	// countDays is how often it is counted what became of the last days'
	// webhooks.
	countDays = 30 * time.Second
	// sweepPause is between two batches of old webhook events, so that their
	// removal is not felt.
	sweepPause = 50 * time.Millisecond
)

// server is a running Tenantry.
type server struct {
	config    *config
	store     *store.Store
	database  *pinger
	service   *service.Service
	authority *oauth.Server
	api       *graphql.Handler
	webhooks  *worker.Engine
	console   http.Handler
	entrance  *entrance
	metrics   *metrics
	log       *slog.Logger
	now       func() time.Time
	// welcome is called once requests are answered, if it is not nil.
	welcome func()
}

func serve(ctx context.Context, p Process, args []string) error {
	var c config
	f := newFlags(p, "serve")
	f.database(&c)
	f.server(&c)
	if _, err := f.parse(args); err != nil {
		return err
	}
	if err := c.finish(p.Env); err != nil {
		return err
	}
	if err := c.finishServer(p.Env); err != nil {
		return err
	}
	CollectLate()
	err := openAndServe(ctx, p, &c)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // it was told to stop while it began
	}
	return err
}

func openAndServe(ctx context.Context, p Process, c *config) error {
	options := p.databaseOptions(c)
	options.Exclusive = true
	st, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	err = serveOn(ctx, p, c, st)
	return errors.Join(err, st.Close())
}

// serveOn runs the server on an open database until ctx ends.
func serveOn(ctx context.Context, p Process, c *config, st *store.Store) error {
	s, listeners, err := newServer(ctx, p, c, st)
	if err != nil {
		return err
	}
	defer listeners.close()
	if err := s.firstClient(ctx, p); err != nil {
		return err
	}
	if err := s.firstUser(ctx, p); err != nil {
		return err
	}
	return s.run(ctx, p, listeners)
}

// newServer builds a server on an open database. It has its addresses, but does
// nothing yet.
func newServer(ctx context.Context, p Process, c *config, st *store.Store) (*server, *listeners, error) {
	say, least := p.Stderr, slog.LevelInfo
	if c.quiet {
		say, least = io.Discard, slog.LevelWarn
	}
	log := newLogger(p.Stderr, c.logFormat, least)
	adoptStandardLog(log, p.now)
	box, err := openBox(ctx, c, st, say)
	if err != nil {
		return nil, nil, err
	}
	s := &server{config: c, store: st, database: &pinger{ping: st.Ping}, log: log, now: st.Now}
	s.service = service.New(st, box, func(ctx context.Context) { s.authority.ClientsChanged(ctx) })
	if p.Previews > 0 {
		s.service.Impact.Longest = p.Previews
	}
	// Before anybody makes or removes keys by it.
	if err := s.heedClock(ctx); err != nil {
		return nil, nil, err
	}
	listeners, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	if err := s.build(ctx, box, listeners); err != nil {
		listeners.close()
		return nil, nil, err
	}
	return s, listeners, nil
}

// build makes the API, the console and what runs in the background.
func (s *server) build(ctx context.Context, box *secret.Box, l *listeners) (err error) {
	s.authority, err = oauth.New(ctx, oauth.Options{
		Store: s.store, Box: box, Now: s.now, Elapsed: s.store.Clock().Elapsed, BaseURL: s.config.baseURL, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.service.Invoicing.BaseURL = s.config.baseURL
	s.service.Invoicing.Payments = s.config.payments(s.now)
	if err := s.setUpEmail(ctx); err != nil {
		return err
	}
	s.entrance = s.config.capacity.entrance(s.store.Clock().Elapsed, int64(*s.config.maxResponse))
	api := graphql.NewHandler(s.service, int(*s.config.maxResponse), s.log)
	api.Admit(graphql.Admission{Gate: s.entrance.api, Budgets: s.entrance.budgets, Unread: s.entrance.unread})
	s.api = api
	s.webhooks = s.newWebhooks(l.main)
	if s.console, err = console.New(console.Options{
		Service: s.service, Tokens: s.authority, BaseURL: s.config.baseURL, Receiver: s.receiver(l.main), Now: s.now, Elapsed: s.store.Clock().Elapsed,
		Log: s.log, Gate: s.entrance.console, Budgets: s.entrance.budgets, Proxies: s.config.proxies,
	}); err != nil {
		return err
	}
	s.metrics = newMetrics(s.store, s.service, slices.Concat(s.authority.Collectors(), s.webhooks.Collectors(), api.Collectors(), s.entrance.collectors()))
	return nil
}

// listeners are the addresses the server answers at; metrics may be nil.
type listeners struct{ main, metrics net.Listener }

func (l *listeners) close() {
	l.main.Close()
	if l.metrics != nil {
		l.metrics.Close()
	}
}

func (s *server) open() (*listeners, error) {
	main, err := net.Listen("tcp", s.config.listen)
	if err != nil {
		return nil, cannotListen(s.config.listen, "listen", err)
	}
	if s.config.baseURL == "" {
		s.config.baseURL = "http://" + main.Addr().String()
	}
	l := &listeners{main: main}
	if s.config.metricsListen != "" {
		if l.metrics, err = net.Listen("tcp", s.config.metricsListen); err != nil {
			main.Close()
			return nil, cannotListen(s.config.metricsListen, "metrics-listen", err)
		}
	}
	return l, nil
}

// run answers requests until ctx ends, then lets those under way finish.
func (s *server) run(ctx context.Context, p Process, l *listeners) error {
	// The chores end before the database is closed. All of them heed work.
	var chores sync.WaitGroup
	defer chores.Wait()
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	s.authority.Start()
	engine := lifecycle.New(s.service.Subscriptions, s.service.Invoicing, s.service.Mailing, s.service.Drifts, s.service.Jobs, s.now, s.log)
	engine.Start()
	defer engine.Stop()
	s.webhooks.Start()
	chores.Go(func() { s.keepHouse(work) })
	chores.Go(func() { s.keepCount(work) })

	httpServer := s.httpServer(s.routes())
	failed := make(chan error, 2)
	go func() { failed <- s.entrance.serve(httpServer, l.main) }()
	metricsServer := s.httpServer(s.metricsRoutes())
	if l.metrics != nil {
		go func() { failed <- metricsServer.Serve(l.metrics) }()
		fmt.Fprintf(p.Stderr, "metrics on http://%s/metrics\n", l.metrics.Addr())
	}
	debug.FreeOSMemory() // what it took to begin, such as the hash of a password; a server that idles would keep it
	fmt.Fprintf(p.Stderr, "listening on http://%s\n", l.main.Addr())
	if s.welcome != nil {
		s.welcome()
	}

	var err error
	select {
	case <-ctx.Done():
		s.log.Info("stopping: requests and webhooks under way may finish")
	case err = <-failed:
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if shut := httpServer.Shutdown(grace); shut != nil {
		s.log.Warn("some requests did not finish in time and were cut off")
		httpServer.Close()
	}
	_ = metricsServer.Shutdown(grace)
	s.webhooks.Stop(grace)
	s.authority.Stop(grace)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *server) httpServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      90 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// every calls do now and then until it returns false or ctx ends.
func every(ctx context.Context, interval time.Duration, do func() (more bool)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for do() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// warn logs what went wrong with a chore, unless it was told to stop.
func (s *server) warn(ctx context.Context, message string, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.Warn(message, "error", err)
	}
}

// keepHouse removes, now and then, what has run its time.
func (s *server) keepHouse(ctx context.Context) {
	every(ctx, housekeeping, func() bool {
		if s.mayRemove() {
			s.removeOld(ctx)
			s.endImpossibleWaits(ctx)
		}
		s.warn(ctx, "the search index was not tidied up", s.store.Maintain(ctx))
		return true
	})
}

func (s *server) removeOld(ctx context.Context) {
	s.warn(ctx, "old idempotency keys were not removed", s.service.ForgetOldKeys(ctx))
	s.warn(ctx, "old notices of payment providers were not removed", s.service.Invoicing.ForgetOldNotices(ctx))
	s.warn(ctx, "old e-mail was not removed", s.service.Mailing.ForgetOld(ctx, keepEmail))
	s.warn(ctx, "old jobs were not removed", s.service.Jobs.ForgetOld(ctx))
	s.warn(ctx, "old sessions were not removed", s.service.Access.ForgetOldSessions(ctx))
	s.warn(ctx, "old webhook events were not removed", s.forgetOldEvents(ctx))
}

// endImpossibleWaits has webhooks sent that a clock in the future put off.
func (s *server) endImpossibleWaits(ctx context.Context) {
	n, err := s.service.Delivery.EndImpossibleWaits(ctx)
	s.warn(ctx, "webhooks may wait for a time that a wrong clock gave them", err)
	if n > 0 {
		s.log.Warn("webhooks waited for a time that only a wrong clock can have given them; they are due now", "waiting", n)
	}
}

// keepCount counts, now and then, what became of the last days' webhooks.
func (s *server) keepCount(ctx context.Context) {
	kept := time.Duration(min(*s.config.keepDelivered, *s.config.keepFailed)) * 24 * time.Hour
	every(ctx, countDays, func() bool {
		s.warn(ctx, "the webhooks of the last days were not counted", s.service.Delivery.CountEventDays(ctx, kept))
		return true
	})
}

// forgetOldEvents goes once through the old part of the webhook log.
func (s *server) forgetOldEvents(ctx context.Context) (err error) {
	const day = 24 * time.Hour
	every(ctx, sweepPause, func() (more bool) {
		more, err = s.service.Delivery.ForgetOldEvents(ctx, time.Duration(*s.config.keepDelivered)*day, time.Duration(*s.config.keepFailed)*day)
		return more && err == nil
	})
	return err
}
