package app_test

import (
	"net"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := child(t, env{"TENANTRY_DATA_DIR": t.TempDir()})
	if said := mustCommand(t, nil, "health", "--listen", s.address); said != "ready\n" {
		t.Errorf("a server that runs: %q", said)
	}
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{"0.0.0.0:" + port, ":" + port} {
		if said := mustCommand(t, env{"TENANTRY_LISTEN": listen}, "health"); said != "ready\n" {
			t.Errorf("a server that listens on %s: %q", listen, said)
		}
	}
	s.stop(t)
	if done := command(t, nil, "health", "--listen", s.address); done.code != 1 || !strings.Contains(done.stderr, "the server does not answer") {
		t.Errorf("a server that is gone: %d, %q", done.code, done.stderr)
	}
	if done := command(t, nil, "health", "--listen", "nowhere"); done.code != 2 {
		t.Errorf("no address: %d, %q", done.code, done.stderr)
	}
}
