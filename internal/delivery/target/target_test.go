package target

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func allow(list ...string) []netip.Prefix { return prefixes(list...) }

// everything is the most an operator can allow.
var everything = allow("0.0.0.0/0", "::/0")

// How each address is judged, over https: on a server, on a developer's
// machine, and where the operator allows everything there is.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		addresses                    string
		server, developer, allowsAll bool
	}{
		{"1.1.1.1 8.8.8.8 93.184.216.34 223.255.255.254 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1", true, true, true},
		{"2606:4700:4700::1111 2a00:1450:4001::1 2400::1", true, true, true},
		{"::ffff:8.8.8.8 64:ff9b::8.8.8.8", true, true, true},
		{"127.0.0.1 127.255.255.254 ::1", false, true, true},
		{"10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12:3456::1", false, true, true},
		{"::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:192.168.0.1 64:ff9b::10.0.0.1 64:ff9b::127.0.0.1", false, true, true},
		{"100.64.0.1 100.127.255.255 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 192.0.0.1 192.88.99.1", false, false, true},
		{"2001:db8::1 3fff::1 2001:2::1 2620:4f:8000::1 4000::1 1::1 5f00::1", false, false, true},
		{"169.254.0.1 169.254.169.254 169.254.170.2 169.254.255.255 fe80::1 febf::1 fe80::1%eth0 ::1%lo", false, false, false},
		{"fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 100.100.100.200 168.63.129.16 192.0.0.192", false, false, false},
		{"::ffff:169.254.169.254 64:ff9b::169.254.169.254 64:ff9b::100.100.100.200 ::169.254.169.254", false, false, false},
		{"0.0.0.0 0.1.2.3 :: 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1 ff0e::1 fec0::1 100::1", false, false, false},
		{"::ffff:0.0.0.0 ::ffff:224.0.0.1 64:ff9b::0.0.0.0 64:ff9b::255.255.255.255", false, false, false},
		// Tunnels are refused whatever is in them.
		{"2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe:: 2002:808:808::", false, false, false},
		{"2001:0:1:2::80ff:fffe 2001::f5ff:fffe 2001:0:1:2::5601:5601", false, false, false},
		{"::127.0.0.1 ::10.0.0.1 ::8.8.8.8 64:ff9b:1::10.0.0.1 64:ff9b:1::8.8.8.8 ::ffff:0:10.0.0.1", false, false, false},
		{"2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:169.254.169.254 fd00::5efe:10.0.0.1", false, false, false},
	} {
		for text := range strings.FieldsSeq(c.addresses) {
			address := netip.MustParseAddr(text)
			for name, one := range map[string]struct {
				policy *Policy
				want   bool
			}{
				"server": {New(false, nil), c.server}, "developer": {New(true, nil), c.developer}, "all allowed": {New(false, everything), c.allowsAll},
			} {
				err := one.policy.Check(address, true)
				if (err == nil) != one.want {
					t.Errorf("%s, %s: %v", text, name, err)
				}
				checkRefused(t, address.String(), err)
			}
		}
	}
}

// checkRefused wants an error to be typed and to say what to do.
func checkRefused(t *testing.T, text string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var refused *Refused
	if !errors.As(err, &refused) || refused.Address != text || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: the error is %v", text, err)
	} else if refused.Reason != tunnel && !strings.Contains(refused.Reason, "--webhook-allow") {
		t.Errorf("%s: the error does not name the flag: %v", text, err)
	}
}

func TestAllowedNetworks(t *testing.T) {
	p := New(false, allow("10.1.0.0/16", "fd12::/16", "::ffff:192.168.7.0/120", "100.64.0.0/10", "127.0.0.1/32"))
	for text, want := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "64:ff9b::10.1.2.3": true, "10.2.0.1": false,
		"fd12::1": true, "fd13::1": false, "192.168.7.9": true, "::ffff:192.168.7.9": true, "192.168.8.1": false,
		"100.64.1.1": true, "100.100.100.200": false, "127.0.0.1": true, "127.0.0.2": false, "::1": false, "8.8.8.8": true,
	} {
		for _, secure := range []bool{true, false} {
			err := p.Check(netip.MustParseAddr(text), secure)
			if ok := want && (secure || text != "8.8.8.8"); (err == nil) != ok {
				t.Errorf("%s, encrypted %v: %v", text, secure, err)
			}
		}
	}
}

// Plain http goes to no public address, whoever allows it.
func TestPlainHTTPIsForPrivateAddresses(t *testing.T) {
	for _, p := range []*Policy{New(false, nil), New(true, nil), New(true, everything)} {
		for _, text := range []string{"1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"} {
			err := p.Check(netip.MustParseAddr(text), false)
			if err == nil || !strings.Contains(err.Error(), "https://") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, text := range []string{"127.0.0.1", "10.0.0.1", "::1"} {
		if err := New(true, nil).Check(netip.MustParseAddr(text), false); err != nil {
			t.Errorf("a developer cannot reach %s: %v", text, err)
		}
	}
}

// The IPv6 ways to write an IPv4 address never allow what the address itself
// does not.
func TestDisguiseGainsNothing(t *testing.T) {
	policies := []*Policy{New(false, nil), New(true, nil), New(false, allow("10.0.0.0/8")), New(false, everything)}
	rapid.Check(t, func(t *rapid.T) {
		b := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address"))
		if rapid.Bool().Draw(t, "special") {
			b = rapid.SampledFrom([][4]byte{{127, 0, 0, 1}, {10, 1, 2, 3}, {169, 254, 169, 254}, {192, 168, 0, 1}, {0, 0, 0, 0}, {100, 100, 100, 200}}).Draw(t, "of these")
		}
		secure := rapid.Bool().Draw(t, "secure")
		plain := netip.AddrFrom4(b)
		for _, p := range policies {
			allowed := p.Check(plain, secure) == nil
			for name, disguise := range disguises(b) {
				if err := p.Check(disguise, secure); err == nil && !allowed {
					t.Fatalf("%s is refused, but allowed as %s %s", plain, name, disguise)
				}
			}
		}
	})
}

func disguises(b [4]byte) map[string]netip.Addr {
	with := func(prefix string, at int) netip.Addr {
		bytes := netip.MustParseAddr(prefix).As16()
		copy(bytes[at:], b[:])
		return netip.AddrFrom16(bytes)
	}
	turned := netip.MustParseAddr("2001::").As16()
	for i := range b {
		turned[12+i] = ^b[i]
	}
	return map[string]netip.Addr{
		"mapped": with("::ffff:0:0", 12), "compatible": with("::", 12), "translated": with("::ffff:0:0:0", 12),
		"NAT64": with("64:ff9b::", 12), "local NAT64": with("64:ff9b:1::", 12), "6to4": with("2002::", 2),
		"ISATAP": with("2606:4700::5efe:0:0", 12), "Teredo": netip.AddrFrom16(turned),
	}
}

func TestControlFailsClosed(t *testing.T) {
	control := New(true, everything).Control(true)
	for _, c := range []struct{ network, address string }{
		{"tcp4", ""}, {"tcp4", "localhost:80"}, {"tcp4", "127.0.0.1"}, {"unix", "/run/socket"}, {"udp4", "1.1.1.1:53"},
		{"tcp", "1.1.1.1:80"}, {"tcp6", "fe80::1%eth0:80"}, {"tcp4", "169.254.169.254:80"},
	} {
		var refused *Refused
		if err := control(c.network, c.address, nil); !errors.As(err, &refused) {
			t.Errorf("%s %q: %v", c.network, c.address, err)
		}
	}
	for _, address := range []string{"1.1.1.1:443", "127.0.0.1:8080"} {
		if err := control("tcp4", address, nil); err != nil {
			t.Error(err)
		}
	}
	if err := New(true, nil).Check(netip.Addr{}, true); err == nil {
		t.Error("no address is allowed")
	}
}
