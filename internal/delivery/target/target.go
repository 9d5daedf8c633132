// Package target decides where webhooks may be sent.
//
// The rule applies to addresses, not names: it is checked against the address that
// a connection is about to be made to, so a name that resolves differently the
// second time gains nothing. Whatever no rule allows is refused.
//
// Loopback and private addresses are allowed in development, and in networks that
// the operator lists. Link-local addresses, and those at which clouds provide
// credentials, are never allowed.
package target

import (
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// Policy says which addresses webhooks may go to. It is safe for concurrent
// use.
type Policy struct {
	// Resolver looks names up, for CheckURL and for who dials; nil means the
	// system's. Set it before the policy is used.
	Resolver *net.Resolver

	loopback bool
	allow    []netip.Prefix
}

// New makes a policy. loopback says that this is a developer's machine: the
// server listens on loopback and its base URL is there too, so loopback and
// private addresses are allowed. allow are the networks that the operator
// allows besides.
func New(loopback bool, allow []netip.Prefix) *Policy {
	p := &Policy{loopback: loopback}
	for _, prefix := range allow {
		p.allow = append(p.allow, unmap(prefix))
	}
	return p
}

// unmap turns a network of IPv4 addresses written as IPv6 ones into what it is.
func unmap(prefix netip.Prefix) netip.Prefix {
	if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
		return netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96).Masked()
	}
	return prefix.Masked()
}

// Refused is the error about an address that webhooks may not go to.
type Refused struct {
	Address string
	Reason  string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("webhooks may not go to %s: %s", r.Address, r.Reason)
}

// The reasons, each with what to do about it.
const (
	never    = "link-local and metadata addresses are never allowed, not even with --webhook-allow"
	unusable = "it is unspecified, multicast, broadcast or reserved, which --webhook-allow cannot change"
	tunnel   = "it is an IPv6 form of an IPv4 address that leads elsewhere; use the IPv4 address itself"
	private  = "it is a %s address; to allow it, start the server with --webhook-allow CIDR,… naming its network, such as %s"
	plain    = "http:// is only for private addresses that --webhook-allow CIDR,… names (or on a developer's machine); use https://"
	noIP     = "it is not an IP address and port"
)

// Control returns what net.Dialer calls before it connects. secure tells
// whether the connection will be encrypted: without that, no public address is
// allowed.
func (p *Policy) Control(secure bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return &Refused{address, noIP}
		}
		return p.Check(to.Addr(), secure)
	}
}

// Check judges one address; its error is a *Refused.
func (p *Policy) Check(address netip.Addr, secure bool) error {
	reason := p.refuse(address, secure)
	if reason == "" {
		return nil
	}
	return &Refused{address.String(), reason}
}

func (p *Policy) refuse(address netip.Addr, secure bool) string {
	if !address.IsValid() {
		return noIP
	}
	if address.Zone() != "" {
		return never
	}
	meant, tunneled := embedded(address.Unmap())
	if isMetadata(address.Unmap()) || isMetadata(meant) {
		return never
	}
	if isUnusable(address.Unmap()) || isUnusable(meant) {
		return unusable
	}
	kind := special(meant)
	switch {
	case tunneled:
		return tunnel
	case p.allowed(meant) && (kind != "" || secure):
		return ""
	case kind != "" && p.loopback && kind != reserved:
		return ""
	case kind != "":
		return fmt.Sprintf(private, kind, example(meant))
	case !secure:
		return plain
	}
	return ""
}

func (p *Policy) allowed(address netip.Addr) bool {
	for _, prefix := range p.allow {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// example is a network to show: exactly this address.
func example(address netip.Addr) netip.Prefix {
	return netip.PrefixFrom(address, address.BitLen())
}
