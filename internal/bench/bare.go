package main

import (
	"context"
	"net"
	"net/http"
	"strconv"
)

// startBare starts a server that answers every request with one handler and
// nothing around it, and returns its address.
func (r *run) startBare(handler http.HandlerFunc) string {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	server := &http.Server{Handler: handler}
	go tagged(r.Context(), "bare", func(context.Context) { _ = server.Serve(listener) }) // it ends by Close
	r.closing(server.Close)
	return listener.Addr().String()
}

// answer writes a body of JSON.
func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the caller notices
}
