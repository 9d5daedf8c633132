package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// askHealth asks a server on this machine whether it is ready, for those who
// have no other program to ask with: containers have this one only.
func askHealth(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "health")
	listen := f.String("listen", "127.0.0.1:8080", "the address that the server listens on")
	if _, err := f.parse(args); err != nil {
		return err
	}
	if err := checkAddress("listen", *listen); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(*listen)+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: &http.Transport{Proxy: nil}}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s %s", response.Status, oneLine(strings.TrimSpace(string(body))))
	}
	fmt.Fprintln(p.Stdout, "ready")
	return nil
}

// reachable is where a server that listens on an address can be asked: one that
// listens on all of a machine's addresses is asked on its own.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
