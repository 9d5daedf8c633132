package app_test

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

// haproxy starts HAProxy before a server, with the client's address added to
// X-Forwarded-For, and returns its address. It connects to the server from
// 127.0.0.1. In CI it must be there.
func haproxy(t *testing.T, server string) string {
	t.Helper()
	const required = "TENANTRY_TEST_REQUIRE_HAPROXY"
	program, err := exec.LookPath("haproxy")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/haproxy")
	}
	if err != nil && os.Getenv(required) == "1" {
		t.Fatal("HAProxy is not installed, and " + required + " is 1")
	}
	if err != nil {
		t.Skip("HAProxy is not installed: skipped; install haproxy")
	}
	address := freeAddress(t)
	settings := filepath.Join(t.TempDir(), "haproxy.cfg")
	text := fmt.Sprintf("defaults\n mode http\n timeout connect 30s\n timeout client 60s\n timeout server 60s\n option forwardfor\n"+
		"listen proxy\n bind %s\n source 127.0.0.1\n server tenantry %s\n", address, server)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said output
	cmd := exec.Command(program, "-db", "-f", settings)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	eventually(t, patience, "HAProxy listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return "http://" + address
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// person is somebody with an address of their own, who may claim another one.
type person struct {
	address string
	header  http.Header
	cookies []*http.Cookie
}

// signIn returns the status of the answer: 303 for the right password.
func (p *person) signIn(t *testing.T, at, password string) int {
	t.Helper()
	client := &http.Client{
		Transport:     &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(p.address)}}).DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	form := url.Values{"email": {adminEmail}, "password": {password}}
	r, err := http.NewRequest(http.MethodPost, at+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if p.header != nil {
		r.Header = p.header.Clone()
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, a.Body)
	for _, c := range a.Cookies() {
		if strings.HasSuffix(c.Name, "device") {
			p.cookies = []*http.Cookie{c}
		}
	}
	return a.StatusCode
}

// guess tries wrong passwords until one is refused, and returns how many were
// looked at.
func (p *person) guess(t *testing.T, at string, most int) (looked int) {
	t.Helper()
	for looked < most && p.signIn(t, at, "wrong") == http.StatusUnauthorized {
		looked++
	}
	return looked
}

// TestSigningInThroughAProxy has attackers guess through a real proxy while the
// admin signs in: from an address and with a browser that did so before, the
// right password is never refused.
func TestSigningInThroughAProxy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := inside(t, known.with(env{"TENANTRY_TRUSTED_PROXIES": "127.0.0.1/32", "TENANTRY_DATA_DIR": dir}), "--log-format", "json")
	proxy := haproxy(t, s.address)

	// One address guesses, and claims to be the admin's and others.
	attacker := &person{address: "127.0.0.66", header: http.Header{"X-Forwarded-For": {"127.0.0.20"}}}
	if n := attacker.guess(t, proxy, 20); n != 5 {
		t.Errorf("one address may guess %d times", n)
	}
	for i := range 5 {
		attacker.header = http.Header{"X-Forwarded-For": {fmt.Sprintf("192.0.2.%d", i)}}
		if attacker.guess(t, proxy, 1) > 0 {
			t.Error("an address that is made up counts for another one")
		}
	}
	admin := &person{address: "127.0.0.20"}
	if status := admin.signIn(t, proxy, adminSecret); status != http.StatusSeeOther {
		t.Fatalf("while another address guesses, the admin gets %d", status)
	}
	if len(admin.cookies) == 0 {
		t.Fatal("the browser is not remembered")
	}

	// Many addresses guess.
	looked := 0
	for i := range 40 {
		looked += (&person{address: fmt.Sprintf("127.0.1.%d", i+1)}).guess(t, proxy, 2)
	}
	if looked > 25 {
		t.Errorf("many addresses may guess %d times at once", looked)
	}
	for who, p := range map[string]*person{
		"from an address that is known": {address: "127.0.0.20"},
		"with a browser that is known":  {address: "127.0.0.99", cookies: admin.cookies},
	} {
		if status := p.signIn(t, proxy, adminSecret); status != http.StatusSeeOther {
			t.Errorf("%s: %d", who, status)
		}
	}
	if status := (&person{address: "127.0.0.98", cookies: []*http.Cookie{{Name: "tenantry_device", Value: "made-up"}}}).signIn(t, proxy, adminSecret); status != http.StatusTooManyRequests {
		t.Errorf("from nowhere that is known: %d", status)
	}

	// Who connects without the proxy is not believed.
	direct := &person{address: "127.0.0.77", header: http.Header{"X-Forwarded-For": {"127.0.0.20"}, "Forwarded": {"for=127.0.0.20"}}}
	direct.signIn(t, s.url, "wrong")
	s.stop(t)
	clients := map[string]bool{}
	for _, line := range s.stderr.logLines(t) {
		if line.text("msg") == "request" {
			clients[line.text("client")] = true
		}
	}
	if !clients["127.0.0.66"] || !clients["127.0.0.20"] || !clients["127.0.0.77"] || clients["192.0.2.1"] || clients["127.0.0.1"] {
		t.Errorf("the log names the clients %v", clients)
	}
	st, err := store.Open(t.Context(), store.Options{URL: "sqlite:" + filepath.Join(dir, "tenantry.db"), Now: time.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	u, err := store.UserByEmail(t.Context(), st.Queries(), adminEmail)
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := store.SessionsOf(t.Context(), st.Queries(), u.ID)
	from := map[string]bool{}
	for _, session := range sessions {
		from[session.Address] = true
	}
	if err != nil || !maps.Equal(from, map[string]bool{"127.0.0.20": true, "127.0.0.99": true}) {
		t.Errorf("sessions are from %v (%v)", from, err)
	}
}
