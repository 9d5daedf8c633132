package send

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/tenantry/tenantry/internal/delivery/target"
)

// failure is an error whose text is fit for a log: receivers have a say in some
// of it.
type failure struct{ err error }

const maxErrorText = 500

func (f *failure) Error() string {
	text := f.err.Error()
	if refused := (*target.Refused)(nil); errors.As(f.err, &refused) {
		text = refused.Error() // the addresses around it only repeat it
	}
	return cleanText([]byte(strings.TrimPrefix(text, "net/http: ")), maxErrorText)
}

func (f *failure) Unwrap() error { return f.err }

// kindOf names the failure of an exchange that the caller may have canceled.
func kindOf(err error, caller context.Context) string {
	var (
		refused   *target.Refused
		handshake *handshakeError
		lookup    *net.DNSError
		network   net.Error
	)
	switch {
	case errors.As(err, &refused):
		return Refused
	case errors.Is(caller.Err(), context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return Timeout
	case errors.As(err, &lookup):
		return DNS
	case errors.As(err, &handshake):
		return TLS
	case isConnection(err):
		return Connection
	}
	return Protocol
}

// isConnection reports whether an error is about a connection that was not made
// or did not hold. net/http has no type for one of them.
func isConnection(err error) bool {
	var operation *net.OpError
	var errno syscall.Errno
	return errors.As(err, &operation) || errors.As(err, &errno) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, errSealed) ||
		strings.Contains(err.Error(), "server closed idle connection")
}
