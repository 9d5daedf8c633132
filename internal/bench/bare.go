package main

import (
	"context"
	"net"
	"net/http"
	"strconv"
)

// bareServer answers every request with one handler and nothing around it.
type bareServer struct {
	address string
	server  *http.Server
}

func startBare(ctx context.Context, handler http.HandlerFunc) (*bareServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bareServer{address: listener.Addr().String(), server: &http.Server{Handler: handler}}
	go tagged(ctx, "bare", func(context.Context) { _ = b.server.Serve(listener) }) // it ends by close
	return b, nil
}

func (b *bareServer) close() { b.server.Close() }

// answer writes a body of JSON.
func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the caller notices
}
