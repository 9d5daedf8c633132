package db

import "context"

// share is the connections that requests from outside may use at once. There are
// a few more, which so stay free for delivery, the lifecycle and tokens: a
// request waits for its share before it waits for a connection, and nothing else
// waits behind it.
type share chan struct{}

// reserved is how many of so many connections requests cannot take: always one.
func reserved(connections int) int { return max(1, connections/4) }

// newShare is the share of requests in so many connections.
func newShare(connections int) share { return make(share, connections-reserved(connections)) }

type requestKey struct{}

// ForRequest returns a context for what somebody asked for over the network. Its
// statements and transactions never take the last connections.
func ForRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, true)
}

// ForServer returns a context for work that others than the request wait for.
func ForServer(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, false)
}

// take waits until the share has room, if the context is that of a request. free
// gives it back.
func (s share) take(ctx context.Context) (free func(), err error) {
	if ask, _ := ctx.Value(requestKey{}).(bool); !ask || s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
