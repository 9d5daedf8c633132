package target

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/delivery/target/dnstest"
)

func addresses(list string) []netip.Addr {
	var all []netip.Addr
	for text := range strings.FieldsSeq(list) {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

func TestURLs(t *testing.T) {
	server, developer, intranet := New(false, nil), New(true, nil), New(false, allow("10.0.0.0/8"))
	for _, p := range []*Policy{server, developer, intranet} {
		p.Resolver = dnstest.Resolver(t, nil)
	}
	for _, c := range []struct {
		policy *Policy
		url    string
		says   string // part of the error; empty if there is none
	}{
		{server, "https://app.example.com/webhooks?x=1", ""},
		{server, "https://app.example.com:8443", ""},
		{server, "HTTPS://1.1.1.1/", ""},
		{server, "https://[2606:4700:4700::1111]:8443/a", ""},
		{server, "https://xn--bcher-kva.example/ü", ""},
		{server, "http://not-yet.example.com/", ""},
		{server, "", "https://"}, {server, "app.example.com/webhooks", "https://"}, {server, "//app.example.com", "https://"},
		{server, "ftp://app.example.com", "https://"}, {server, "file:///etc/passwd", "https://"}, {server, "gopher://127.0.0.1:70", "https://"},
		{server, "https:app.example.com", "no host"}, {server, "https://", "no host"}, {server, "https:///path", "no host"}, {server, "https://:443/", "no host"},
		{server, "https://user:geheim@app.example.com/", "user name"}, {server, "https://@app.example.com/", "user name"},
		{server, "https://app.example.com/#part", "fragment"}, {server, "https://app.example.com/#", "fragment"},
		{server, "https://app.example.com:0/", "port"}, {server, "https://app.example.com:65536/", "port"}, {server, "https://app.example.com:/", "port"},
		{server, "https://app.example.com:99999999999999999999/", "port"}, {server, "https://app.example.com:http/", "port"},
		{server, "https://a b/", "cannot be read"}, {server, "https://a\n/", "cannot be read"}, {server, "https://[::1/", "cannot be read"}, {server, "https://user:geheim@%zz/", "cannot be read"},
		{server, "https://127.0.0.1/", "--webhook-allow"}, {server, "https://[::1]/", "--webhook-allow"}, {server, "https://10.1.2.3/", "--webhook-allow"},
		{server, "https://[::ffff:10.0.0.1]/", "--webhook-allow"}, {server, "https://0.0.0.0/", "unspecified"}, {server, "https://[::]:80/", "unspecified"},
		{server, "http://1.1.1.1/", "use https://"}, {developer, "http://1.1.1.1/", "use https://"},
		{server, "https://169.254.169.254/latest/meta-data", "never"}, {developer, "http://169.254.169.254/", "never"},
		{developer, "http://[fe80::1%25eth0]/", "never"}, {developer, "http://[fd00:ec2::254]/", "never"},
		{server, "https://2130706433/", "four decimal"}, {server, "https://0x7f000001/", "four decimal"}, {server, "https://127.1/", "four decimal"},
		{server, "https://0177.0.0.01/", "four decimal"}, {server, "https://127.0.0.1./", "four decimal"}, {server, "https://a.0x1/", "four decimal"},
		{developer, "http://127.0.0.1:9000/hook", ""}, {developer, "http://192.168.0.5/hook", ""}, {developer, "https://[::1]:9000", ""},
		{intranet, "http://10.20.30.40/hook", ""}, {intranet, "https://10.20.30.40/hook", ""}, {intranet, "http://192.168.0.5/", "192.168.0.5/32"},
	} {
		err := c.policy.CheckURL(t.Context(), c.url)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s is refused: %v", c.url, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: the error is %v, want %q", c.url, err, c.says)
		case err != nil && strings.Contains(err.Error(), "geheim"):
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

func TestNamesAreLookedUpWhenSaved(t *testing.T) {
	for _, c := range []struct {
		addresses, url, says string
	}{
		{"127.0.0.1", "https://app.example.com/", "app.example.com (127.0.0.1)"},
		{"10.0.0.1 192.168.0.1", "https://app.example.com/", "--webhook-allow"},
		{"169.254.169.254", "https://app.example.com/", "never"},
		{"10.0.0.1 1.1.1.1", "https://app.example.com/", ""},
		{"1.1.1.1", "https://app.example.com/", ""},
		{"1.1.1.1", "http://app.example.com/", "use https://"},
		{"", "https://app.example.com/", ""},
	} {
		p := New(false, nil)
		p.Resolver = dnstest.Resolver(t, addresses(c.addresses))
		err := p.CheckURL(t.Context(), c.url)
		if c.says == "" {
			if err != nil {
				t.Errorf("%s at %q: %v", c.url, c.addresses, err)
			}
			continue
		}
		var refused *Refused
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s at %q: %v, want %q", c.url, c.addresses, err, c.says)
		}
	}
}

// A name that shows a public address while it is checked, and that of this
// machine when it is dialed, reaches nobody.
func TestRebindingIsSeenByTheDialer(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	p := New(false, nil)
	p.Resolver = dnstest.Resolver(t, addresses("93.184.216.34"), addresses("127.0.0.1"))
	if err := p.CheckURL(t.Context(), "https://rebinding.example.com:"+port); err != nil {
		t.Fatal(err)
	}
	dialer := net.Dialer{Resolver: p.Resolver, Control: p.Control(true)}
	conn, err := dialer.DialContext(t.Context(), "tcp", "rebinding.example.com:"+port)
	var refused *Refused
	if !errors.As(err, &refused) || refused.Address != "127.0.0.1" {
		t.Errorf("connected to %v, %v", conn, err)
	}
	// The same dialer without the policy does get there: the test can fail.
	dialer.Control = nil
	conn, err = dialer.DialContext(t.Context(), "tcp", "rebinding.example.com:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

func TestLookupEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(false, nil).CheckURL(ctx, "https://app.example.com"); err != nil {
		t.Error(err)
	}
}

// Whatever is accepted can be sent to, and never lets a forbidden address by.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{"https://app.example.com/a", "http://127.0.0.1:1/", "https://[::ffff:7f00:1]", "https://u:p@h/#f", "https://0x7f.1", "https://[fe80::1%25x]:9/"} {
		f.Add(seed)
	}
	p := New(false, nil)
	p.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no names here")
	}}
	f.Fuzz(func(t *testing.T, raw string) {
		if p.CheckURL(t.Context(), raw) != nil {
			return
		}
		host, isAddress := hostOf(t, raw)
		if isAddress && p.Check(host, true) != nil {
			t.Errorf("%q was accepted", raw)
		}
	})
}

// hostOf reads an accepted URL as the HTTP client will.
func hostOf(t *testing.T, raw string) (netip.Addr, bool) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, raw, nil)
	if err != nil {
		t.Fatalf("%q was accepted, but cannot be sent to: %v", raw, err)
	}
	u := request.URL
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		t.Errorf("%q was accepted", raw)
	}
	address, err := netip.ParseAddr(u.Hostname())
	return address, err == nil
}
