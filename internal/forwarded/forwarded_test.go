package forwarded

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

var trust = Trust{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		name := map[string]string{"f": "Forwarded", "x": "X-Forwarded-For"}[pairs[i]]
		h.Add(name, pairs[i+1])
	}
	return h
}

func TestClient(t *testing.T) {
	const proxy = "10.0.0.1:4711"
	for name, c := range map[string]struct {
		remote  string
		headers []string
		want    string
	}{
		"no header":                      {proxy, nil, "10.0.0.1"},
		"nobody trusted":                 {"192.0.2.9:1", []string{"x", "192.0.2.1", "f", "for=192.0.2.1"}, "192.0.2.9"},
		"IPv6 that is not trusted":       {"[2001:db8::9]:1", []string{"x", "192.0.2.1"}, "2001:db8::9"},
		"one":                            {proxy, []string{"x", "192.0.2.1"}, "192.0.2.1"},
		"made up on the left":            {proxy, []string{"x", "192.0.2.1, 192.0.2.2"}, "192.0.2.2"},
		"several headers":                {proxy, []string{"x", "192.0.2.1", "x", "192.0.2.2, 10.0.0.9"}, "192.0.2.2"},
		"a chain of proxies":             {proxy, []string{"x", "198.51.100.1, 192.0.2.1, 10.1.1.1,10.2.2.2"}, "192.0.2.1"},
		"all of them trusted":            {proxy, []string{"x", "10.5.5.5, 10.1.1.1"}, "10.5.5.5"},
		"with a port":                    {proxy, []string{"x", "192.0.2.1:4711"}, "192.0.2.1"},
		"IPv6 in brackets":               {proxy, []string{"x", "[2001:db8::1]:4711"}, "2001:db8::1"},
		"IPv6":                           {proxy, []string{"x", "2001:DB8:0::1"}, "2001:db8::1"},
		"IPv4 as IPv6":                   {"[::ffff:10.0.0.1]:1", []string{"x", "::ffff:192.0.2.1"}, "192.0.2.1"},
		"a proxy with IPv6":              {"[fd00::1]:1", []string{"x", "192.0.2.1"}, "192.0.2.1"},
		"no address":                     {proxy, []string{"x", "192.0.2.1, garbage"}, "10.0.0.1"},
		"no address behind a proxy":      {proxy, []string{"x", "192.0.2.1, , 10.0.0.7"}, "10.0.0.7"},
		"empty":                          {proxy, []string{"x", ""}, "10.0.0.1"},
		"standard":                       {proxy, []string{"f", "for=192.0.2.1"}, "192.0.2.1"},
		"standard with other parameters": {proxy, []string{"f", `proto=https; For="192.0.2.1:4711";by=10.0.0.1;host="a,b;c"`}, "192.0.2.1"},
		"standard IPv6":                  {proxy, []string{"f", `for="[2001:db8::1]:4711"`}, "2001:db8::1"},
		"standard with an escape":        {proxy, []string{"f", `for="192.0.\2.1"`}, "192.0.2.1"},
		"standard, several":              {proxy, []string{"f", "for=198.51.100.1, for=192.0.2.1", "f", "for=10.0.0.3"}, "192.0.2.1"},
		"standard, hidden":               {proxy, []string{"f", "for=192.0.2.1, for=_hidden"}, "10.0.0.1"},
		"standard, unknown":              {proxy, []string{"f", "for=192.0.2.1, for=unknown, for=10.0.0.3"}, "10.0.0.3"},
		"standard, not said":             {proxy, []string{"f", "for=192.0.2.1, proto=https"}, "10.0.0.1"},
		"standard, said twice":           {proxy, []string{"f", "for=192.0.2.1;for=192.0.2.2"}, "10.0.0.1"},
		"standard, an open quote":        {proxy, []string{"f", `for="192.0.2.1, for=192.0.2.2`}, "10.0.0.1"},
		"standard, a swallowed hop":      {proxy, []string{"f", `for=", for="[2001:db8::1]"`}, "10.0.0.1"},
		"both agree":                     {proxy, []string{"f", "for=192.0.2.1", "x", "192.0.2.1"}, "192.0.2.1"},
		"both, one made up":              {proxy, []string{"f", "for=198.51.100.1", "x", "192.0.2.1"}, "10.0.0.1"},
		"no address at all":              {"@", []string{"x", "192.0.2.1"}, "@"},
	} {
		if got := trust.Client(c.remote, header(c.headers...)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Trust(nil).Client(proxy, header("x", "192.0.2.1")); got != "10.0.0.1" {
		t.Errorf("without trust it is %q", got)
	}
}

func TestHas(t *testing.T) {
	for client, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "fd00::1": true, "192.0.2.1": false, "@": false, "": false} {
		if got := trust.Has(client); got != want {
			t.Errorf("%q is a proxy: %t", client, got)
		}
	}
}

func TestNetwork(t *testing.T) {
	for client, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::": "2001:db8:1:2::/64", "::ffff:192.0.2.1": "192.0.2.1", "fe80::1%eth0": "fe80::/64", "@": "@", "": "",
	} {
		if got := Network(client); got != want {
			t.Errorf("the network of %q is %q, want %q", client, got, want)
		}
	}
}

// FuzzClient has a client send anything, which the proxy hands on with the
// client's address behind it: the answer is that address, or the proxy's.
func FuzzClient(f *testing.F) {
	for _, seed := range []string{"", "192.0.2.1", `for="192.0.2.1`, `for=";",`, "for=_x;by=10.0.0.1", "10.0.0.2, 10.0.0.3", `"`, `for="\`, ",,,", "for=[::1", "::%\x00"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, sent string, oneLine bool) {
		const client, proxy = "203.0.113.9", "10.0.0.1"
		handOn := func(name, own string) http.Header {
			h := http.Header{}
			if oneLine {
				h.Set(name, sent+", "+own)
			} else {
				h.Add(name, sent)
				h.Add(name, own)
			}
			return h
		}
		if got := trust.Client(proxy+":1", handOn("X-Forwarded-For", client)); got != client {
			t.Errorf("X-Forwarded-For: %q behind %q", got, sent)
		}
		standard := handOn("Forwarded", "for="+client)
		if got := trust.Client(proxy+":1", standard); got != client && got != proxy {
			t.Errorf("Forwarded: %q behind %q", got, sent)
		}
		standard.Set("X-Forwarded-For", sent)
		if got := trust.Client(proxy+":1", standard); got != client && got != proxy {
			t.Errorf("both: %q behind %q", got, sent)
		}
		if got := trust.Client("192.0.2.77:1", standard); got != "192.0.2.77" {
			t.Errorf("from a stranger: %q", got)
		}
		network := Network(sent)
		if _, err := netip.ParseAddr(sent); err != nil && network != sent {
			t.Errorf("the network of %q, which is no address, is %q", sent, network)
		} else if err == nil && strings.ContainsAny(network, "%\x00") {
			t.Errorf("the network of %q is %q", sent, network)
		}
	})
}
