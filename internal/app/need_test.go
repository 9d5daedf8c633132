package app_test

import (
	"net"
	"os/exec"
	"testing"
)

// needPrograms skips where a program is missing.
func needPrograms(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: skipped", name)
		}
	}
}

// needIPv6 skips where there is no IPv6.
func needIPv6(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6: skipped (%v)", err)
	}
	l.Close()
}
