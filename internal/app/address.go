package app

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// checkAddress refuses what is no address to listen on.
func checkAddress(name, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return usage("--%s must be HOST:PORT, such as 127.0.0.1:8080, not %q", name, address)
	}
	return nil
}

// cannotListen says why an address cannot be listened on, and what to do.
func cannotListen(address, flag string, err error) error {
	remedy := "choose another address with --" + flag
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		remedy = "stop the program that listens there, or " + remedy
	case errors.Is(err, syscall.EACCES):
		remedy = "ports below 1024 are for privileged users; " + remedy
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		remedy = "this machine does not have that address; " + remedy
	}
	return fmt.Errorf("cannot listen on %s: %s; %s", address, reason(err), remedy)
}

// freeOr returns an address, or one with a free port if it is taken.
func freeOr(p Process, address, flag string) string {
	l, err := net.Listen("tcp", address)
	if err == nil {
		l.Close()
		return address
	}
	return another(p, address, flag, err)
}

// another says that an address cannot be used and returns one with a free port.
func another(p Process, address, flag string, err error) string {
	fmt.Fprintf(p.Stderr, "%s cannot be used (%s), so a free port is; --%s chooses another\n", address, reason(err), flag)
	return "127.0.0.1:0"
}

// reason is why an address cannot be used, without the address.
func reason(err error) string {
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err.Error()
	}
	return err.Error()
}
