package target

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range list {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// metadata are the addresses under which clouds tell machines their secrets,
// and link-local ones, among which most of these are.
var metadata = prefixes(
	"169.254.0.0/16", "fe80::/10",
	"fd00:ec2::/32",      // Amazon
	"fd20:ce::254/128",   // Google
	"fd00:42::42/128",    // Scaleway
	"100.100.100.200/32", // Alibaba
	"168.63.129.16/32",   // Azure
	"192.0.0.192/32",     // Oracle
)

// nowhere are networks in which no receiver can be.
var nowhere = prefixes("0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "::/128", "ff00::/8", "fec0::/10", "100::/64")

func isMetadata(address netip.Addr) bool { return within(metadata, address) }
func isUnusable(address netip.Addr) bool { return within(nowhere, address) }

func within(list []netip.Prefix, address netip.Addr) bool {
	for _, prefix := range list {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// internet knows the registries of addresses with a special purpose.
var internet = ssrf.New(ssrf.WithAnyPort())

const reserved = "reserved"

// special says what kind of address it is if it is not one of the internet, as
// a word before "address", otherwise nothing.
func special(address netip.Addr) string {
	switch {
	case address.IsLoopback():
		return "loopback"
	case address.IsPrivate():
		return "private"
	case internet.SafeAddr(address) != nil:
		return reserved
	}
	return ""
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
	compatible = netip.MustParsePrefix("::/96")
	translated = netip.MustParsePrefix("::ffff:0:0:0/96")
)

// embedded returns the IPv4 address that an IPv6 one leads to, or the address
// itself. A network may have no other way to IPv4 than NAT64, so that is judged
// by what it leads to; the other forms are tunnels, which nobody needs.
func embedded(address netip.Addr) (meant netip.Addr, tunneled bool) {
	b := address.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case !address.Is6() || address.IsLoopback() || address.IsUnspecified():
		return address, false
	case nat64.Contains(address):
		return last, false
	case sixToFour.Contains(address):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case teredo.Contains(address): // the address is in there with all bits turned
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case localNAT64.Contains(address), compatible.Contains(address), translated.Contains(address), isatap(b):
		return last, true
	}
	return address, false
}

// isatap reports whether an address has the interface identifier of ISATAP,
// behind which an IPv4 address stands.
func isatap(b [16]byte) bool {
	return b[8]&^3 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
