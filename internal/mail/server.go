package mail

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// encryption is how a connection is protected.
type encryption int

const (
	noTLS     encryption = iota
	startTLS             // begins on a connection that is not encrypted
	alwaysTLS            // from the first byte
)

// server is where messages are handed over.
type server struct {
	scheme, host string
	port         string
	encryption   encryption
	// user is empty if the server asks for no password.
	user, password string
}

// The ports of submission (RFC 8314).
const (
	portStartTLS  = "587"
	portAlwaysTLS = "465"
)

// parseServer reads an address such as smtp://user:password@host:587. No error has
// any part of the text in it that could belong to the password: in one that is not
// escaped, a password can look like a port, a path or an option.
func parseServer(text string) (server, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return server{}, errors.New("the address of the mail server is empty: write one such as smtp://user:password@mail.example.com:587")
	}
	u, err := url.Parse(text)
	if err != nil {
		return server{}, errors.New("the address of the mail server cannot be read: write it as smtp://user:password@mail.example.com:587, with special characters of the user and the password escaped (@ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25)")
	}
	s := server{scheme: strings.ToLower(u.Scheme), host: u.Hostname(), port: u.Port()}
	switch s.scheme {
	case "smtp":
		s.encryption = startTLS
		if isLoopback(s.host) {
			s.encryption = noTLS
		}
		if s.port == "" {
			s.port = portStartTLS
		}
	case "smtps":
		s.encryption = alwaysTLS
		if s.port == "" {
			s.port = portAlwaysTLS
		}
	default:
		return server{}, errors.New("the address of the mail server must begin with smtp:// (STARTTLS, port 587) or smtps:// (TLS, port 465)")
	}
	if err := s.readRest(u); err != nil {
		return server{}, fmt.Errorf("the address of the mail server %w", err)
	}
	return s, nil
}

func (s *server) readRest(u *url.URL) error {
	port, err := strconv.ParseUint(s.port, 10, 16)
	switch {
	case u.Opaque != "" || s.host == "":
		return errors.New("has no host: write one such as smtp://mail.example.com:587")
	case strings.ContainsFunc(s.host, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return errors.New("has a host with a blank or a control character")
	case err != nil || port == 0:
		return errors.New("has a port that is not a number from 1 to 65535")
	case u.Path != "" && u.Path != "/", u.Fragment != "":
		return errors.New("goes on after the host and the port: write / as %2F and # as %23 if they belong to the password")
	}
	if u.User != nil {
		s.user = u.User.Username()
		s.password, _ = u.User.Password()
		if s.user == "" || s.password == "" {
			return errors.New("has a user without a password, or a password without a user: write smtp://user:password@host")
		}
		if strings.ContainsFunc(s.user+s.password, unicode.IsControl) {
			return errors.New("has a control character in the user or the password")
		}
	}
	return s.readOptions(u.RawQuery)
}

// readOptions reads what follows the question mark: tls=none or tls=starttls.
func (s *server) readOptions(query string) error {
	options, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("has options that cannot be read: the only one is tls, as in ?tls=none")
	}
	for name, values := range options {
		if name != "tls" || len(values) != 1 {
			return errors.New("has an option that does not exist, or the same one twice: the only one is tls, as in ?tls=none; write ? as %3F if it belongs to the password")
		}
		switch {
		case s.scheme == "smtps":
			return errors.New("begins with smtps://, which is always encrypted: remove the option tls, or write smtp://")
		case values[0] == "none":
			s.encryption = noTLS
		case values[0] == "starttls":
			s.encryption = startTLS
		default:
			return errors.New("has an unknown value of the option tls: it is none (not encrypted) or starttls")
		}
	}
	return nil
}

// address is what a connection is made to.
func (s server) address() string { return net.JoinHostPort(s.host, s.port) }

// String is the address without the user and the password.
func (s server) String() string { return s.scheme + "://" + s.address() }

// GoString keeps the password out of %#v too.
func (s server) GoString() string { return s.String() }

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
