package abuse

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// metric is what the server says of itself.
func (s *server) metric(t *testing.T, name string) float64 {
	t.Helper()
	response, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(text)
	if err != nil || found == nil {
		t.Fatalf("there is no %s (%v)", name, err)
	}
	value, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func (s *server) await(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// ignored asks for an answer and never reads it.
func (s *server) ignored(t *testing.T, token, document string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	body := fmt.Sprintf(`{"query":%q}`, document)
	_, err = fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		token, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestSlowReadersKeepNobodyOut: two clients ask for large answers on more
// connections than there are places, and read none. They hold no place, and no
// more memory than their share.
func TestSlowReadersKeepNobodyOut(t *testing.T) {
	const each = 5 // of which four fit into what a client may have
	s := start(t, "--max-requests", "4")
	s.sell(t)
	document := "{ webhookEvents(limit: 101) {" + repeat(240, " b%d: payload") + " } }"
	whole := s.ask(t, document, nil)
	if len(whole.codes(t)) > 0 || len(whole.body) < 12<<20 {
		t.Fatalf("%d bytes: %s", len(whole.body), whole.start())
	}
	tokens := []string{s.token, s.otherToken(t)}
	unread := func() float64 { return s.metric(t, "tenantry_answers_unread_bytes") }
	cutOff := func() float64 { return s.metric(t, "tenantry_answers_cut_off_total") }
	var conns []net.Conn
	for i := range 2 * each { // one by one, or some would wait too long for their turn
		conns = append(conns, s.ignored(t, tokens[i%2], document))
		s.await(t, "it waits for its reader or was cut off", func() bool {
			return s.metric(t, `tenantry_requests_running{gate="api"}`) == 0 && cutOff()+unread()/float64(len(whole.body)) > float64(i)+0.5
		})
	}
	share := float64(8<<20) * 32 / 4
	if unread() > 2*share || cutOff() == 0 {
		t.Errorf("%.0f bytes wait for two clients, %.0f answers were cut off", unread(), cutOff())
	}
	if a := s.ask(t, "{ accounts { id } }", nil); a.status != http.StatusOK || len(a.codes(t)) > 0 {
		t.Errorf("meanwhile others get %d: %s", a.status, a.start())
	}
	broken := 0
	for _, conn := range conns { // who reads after all gets what was not cut off
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
		}
		if err != nil {
			broken++
		}
	}
	if float64(broken) != cutOff() {
		t.Errorf("%d answers are broken, %.0f were cut off", broken, cutOff())
	}
	s.await(t, "nothing waits for anybody", func() bool { return unread() == 0 })
}

// otherToken is a token of another client.
func (s *server) otherToken(t *testing.T) string {
	t.Helper()
	own := s.token
	defer func() { s.token = own }()
	s.token = s.tokenOf(t, clientID, clientSecret, "admin:write")
	var made struct {
		Data struct {
			Create struct {
				Client struct{ ClientID, ClientSecret string } `json:"apiClient"`
			} `json:"apiClientCreate"`
		}
	}
	a := s.ask(t, `mutation { apiClientCreate(attributes: {name: "Other", scopes: ["standard:read"]}) { apiClient { clientId clientSecret } } }`, nil)
	if err := json.Unmarshal(a.body, &made); err != nil {
		t.Fatal(err)
	}
	return s.tokenOf(t, made.Data.Create.Client.ClientID, made.Data.Create.Client.ClientSecret, "standard:read")
}
