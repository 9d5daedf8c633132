// Package forwarded determines the client of a request that came through proxies,
// from the headers Forwarded (RFC 7239) and X-Forwarded-For. It trusts only what
// configured proxies report. It is pure.
package forwarded

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Trust is the networks of the proxies that are believed. The zero value
// believes nobody.
type Trust []netip.Prefix

// Client returns the address of whoever made a request: that of the connection,
// or, as long as that is a trusted proxy, of whom it says that it got the
// request from. Each proxy adds to the right, so the rightmost address that is
// not trusted is the client's; what is left of it, the client may have made up.
// The answer is an IP address, or remoteAddr without its port if that is none.
func (t Trust) Client(remoteAddr string, h http.Header) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	peer, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	return t.resolve(plain(peer), h).String()
}

func (t Trust) resolve(peer netip.Addr, h http.Header) netip.Addr {
	if !t.has(peer) {
		return peer
	}
	standard, common := h.Values("Forwarded"), h.Values("X-Forwarded-For")
	switch {
	case len(standard) == 0 && len(common) == 0:
		return peer
	case len(standard) == 0:
		return t.walk(peer, commonHops(common))
	case len(common) == 0:
		return t.walk(peer, standardHops(standard))
	}
	// A proxy writes one of them and hands on the other as the client sent it.
	// Nobody can tell which; what both say is true.
	one, other := t.walk(peer, standardHops(standard)), t.walk(peer, commonHops(common))
	if one != other {
		return peer
	}
	return one
}

// walk goes through the hops from the right for as long as a trusted proxy says
// where it got the request from. A hop that names no address ends it: an unknown
// or hidden client is known by the proxy that hides it.
func (t Trust) walk(peer netip.Addr, hops []string) netip.Addr {
	for _, hop := range slices.Backward(hops) {
		address, ok := addressOf(hop)
		if !ok {
			return peer
		}
		if peer = address; !t.has(peer) {
			return peer
		}
	}
	return peer
}

// Has says whether a client, as Client names it, is a trusted proxy: then nobody
// knows whose request it is.
func (t Trust) Has(client string) bool {
	address, err := netip.ParseAddr(client)
	return err == nil && t.has(plain(address))
}

func (t Trust) has(address netip.Addr) bool {
	return slices.ContainsFunc(t, func(p netip.Prefix) bool { return p.Contains(address) })
}

// commonHops are the addresses in X-Forwarded-For.
func commonHops(values []string) []string {
	var hops []string
	for _, value := range values {
		for hop := range strings.SplitSeq(value, ",") {
			hops = append(hops, strings.TrimSpace(hop))
		}
	}
	return hops
}

// addressOf reads an address as proxies write it: 192.0.2.1, 192.0.2.1:4711,
// 2001:db8::1, [2001:db8::1] or [2001:db8::1]:4711.
func addressOf(hop string) (netip.Addr, bool) {
	if inner, is := strings.CutPrefix(hop, "["); is {
		inside, rest, closed := strings.Cut(inner, "]")
		address, err := netip.ParseAddr(inside)
		return plain(address), closed && err == nil && address.Is6() && (rest == "" || strings.HasPrefix(rest, ":"))
	}
	if strings.Count(hop, ":") == 1 {
		hop, _, _ = strings.Cut(hop, ":")
	}
	address, err := netip.ParseAddr(hop)
	return plain(address), err == nil
}

// plain is the one way an address is written: an IPv4 address is never a part of
// IPv6, and there is no name of a network card.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

// Network is what counts as one caller when attempts are counted: an IPv4
// address, or the 64 bits of an IPv6 address that a provider gives to one
// customer. What is no address is itself.
func Network(client string) string {
	address, err := netip.ParseAddr(client)
	if err != nil {
		return client
	}
	if address = plain(address); address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}
