package service

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// Service runs the operations on one database.
type Service struct {
	store *store.Store
	box   *secret.Box
	// clientsChanged is told after every change of an API client, so that
	// this process acts on it at once.
	clientsChanged func(context.Context)
	// webhooks is what those who send them can be asked for.
	webhooks Webhooks
	// woken gets a signal when there may be something new to do in the
	// background.
	woken chan struct{}
	// How much is done in one go, and how long a call waits for a test clock;
	// tests have less patience.
	dueBatch, jobBatch, resendBatch int
	advanceWait, resendPause        time.Duration
	sweep                           sweep
	dayCounts                       dayCounts
	passes                          passes
}

// Woken is signaled after changes that background work may have to follow.
func (s *Service) Woken() <-chan struct{} { return s.woken }

func (s *Service) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // a signal is there already
	}
}

// New returns the operations on a database. clientsChanged may be nil.
func New(s *store.Store, box *secret.Box, clientsChanged func(context.Context)) *Service {
	if clientsChanged == nil {
		clientsChanged = func(context.Context) {}
	}
	return &Service{
		store: s, box: box, clientsChanged: clientsChanged, woken: make(chan struct{}, 1),
		dueBatch: dueBatch, jobBatch: jobBatch, advanceWait: advanceWait,
		resendBatch: resendBatch, resendPause: resendPause, passes: passes{maxDowntime: MaxDowntime},
	}
}

// Read gives the doors what they need to show lists and things.
func (s *Service) Read() store.Queries { return s.store.Queries() }

// Caller is who an operation is done for.
type Caller struct {
	// Actor is written into the audit log, such as "client ID" or "command".
	Actor string
	// Once makes the operation happen once, if it is not nil.
	Once *Once
	// Step is the operation's place in a request that has several.
	Step string
}

type callerKey struct{}

// As returns a context in which operations are done for that caller.
func As(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who operations in this context are done for.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
