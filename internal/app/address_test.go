package app

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// Not beside other tests: a process that one of them starts has the socket too until it
// runs its program.
func TestAnAddressThatIsTakenIsExchanged(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	var said bytes.Buffer
	if got := freeOr(Process{Stderr: &said}, address, "listen"); got != "127.0.0.1:0" {
		t.Errorf("%s is taken and is used", got)
	}
	if !strings.Contains(said.String(), address+" cannot be used (") || !strings.Contains(said.String(), "--listen") {
		t.Errorf("it says %q", said.String())
	}
	l.Close()
	said.Reset()
	if got := freeOr(Process{Stderr: &said}, address, "listen"); got != address || said.Len() > 0 {
		t.Errorf("%s is free, and %s is used: %q", address, got, said.String())
	}
}
