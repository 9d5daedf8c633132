package main

import (
	"context"
	"time"
)

// load is callers that send one request over and over, each on a connection of
// its own that is kept.
type load struct {
	conns   []*conn
	request func(client int) []byte
	want    string
}

// newLoad connects the callers. request may return the same bytes always.
func newLoad(ctx context.Context, address, want string, request func(client int) []byte) (*load, error) {
	l := &load{request: request, want: want}
	for range clients {
		c, err := dial(ctx, address)
		if err != nil {
			l.close()
			return nil, err
		}
		l.conns = append(l.conns, c)
	}
	return l, nil
}

func (l *load) close() {
	for _, c := range l.conns {
		c.close()
	}
}

// run is a side: requests per second.
func (l *load) run(ctx context.Context, d time.Duration) (rate float64, err error) {
	tagged(ctx, "load", func(ctx context.Context) {
		rate, err = crew(ctx, d, func(client int) error {
			_, err := l.conns[client].do(l.request(client), l.want)
			return err
		})
	})
	return rate, err
}

// always is a request that never changes.
func always(request []byte) func(int) []byte {
	return func(int) []byte { return request }
}
