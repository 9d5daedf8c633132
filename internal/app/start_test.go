package app_test

import (
	"net"
	"strings"
	"testing"
)

func TestASecondServerOnOneSQLiteFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := child(t, known, "--data-dir", dir)
	said := refusedStart(t, 1, nil, "--data-dir", dir)
	for _, want := range []string{"another tenantry server is using this database file", "PostgreSQL"} {
		if !strings.Contains(said, want) {
			t.Errorf("says %q, want %q in it", said, want)
		}
	}
	mustCreateAccount(t, s.url, s.firstToken(t), "acme")
	s.stop(t)
	child(t, nil, "--data-dir", dir)
}

func TestAnAddressInUseIsSaid(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	for _, flag := range []string{"--listen", "--metrics-listen"} {
		said := refusedStart(t, 1, known, "--data-dir", t.TempDir(), flag, address)
		for _, want := range []string{"cannot listen on " + address, "in use", "stop the program", "choose another address with " + flag} {
			if !strings.Contains(said, want) {
				t.Errorf("says %q, want %q in it", said, want)
			}
		}
	}
}
