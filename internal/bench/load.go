package main

import "context"

// load is callers with a connection each, which is kept.
type load [clients]*conn

func (r *run) newLoad(address string) *load {
	var l load
	for i := range l {
		l[i] = r.dial(address)
	}
	return &l
}

// side has every caller send its request over and over, and checks how the
// answers begin.
func (l *load) side(want string, request func(client int) []byte) side {
	return crewSide("load", func(_ context.Context, client int) error {
		_, err := l[client].do(request(client), want)
		return err
	})
}

// always is a request that never changes.
func always(request []byte) func(int) []byte {
	return func(int) []byte { return request }
}
