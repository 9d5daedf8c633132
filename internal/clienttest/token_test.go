package clienttest

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
)

// TestManyCallsFetchOneToken: however many goroutines begin at once.
func TestManyCallsFetchOneToken(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, _ := dial(t, n.URL)
	arrived := make(chan struct{})
	var begun sync.WaitGroup
	begun.Add(40)
	n.breakNext(tokenPath, func(w http.ResponseWriter, r *http.Request, carry http.Handler) {
		close(arrived)
		begun.Wait() // until all of them are on their way
		carry.ServeHTTP(w, r)
	})
	var wait sync.WaitGroup
	for range 40 {
		wait.Go(func() {
			begun.Done()
			if _, err := c.CurrentClient(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	<-arrived
	if got := len(n.requests(tokenPath)); got != 1 {
		t.Errorf("%d tokens were fetched", got)
	}
}

// TestTokenIsRenewedBeforeItRunsOut: nobody waits for it, nobody sees a 401,
// and a renewal that fails is not repeated with each call.
func TestTokenIsRenewedBeforeItRunsOut(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	var mu sync.Mutex
	now := time.Now()
	c := dialWith(t, n.URL, func(config *client.Config) {
		config.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	})
	advance := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	call := func() { t.Helper(); must[*client.CurrentClient](t)(c.CurrentClient(t.Context())) }

	call()
	advance(7200*time.Second - 61*time.Second)
	call()
	if got := len(n.requests(tokenPath)); got != 1 {
		t.Fatalf("%d tokens were fetched before it was time", got)
	}
	advance(2 * time.Second)
	refused := make(chan struct{})
	n.breakNext(tokenPath, func(w http.ResponseWriter, r *http.Request, carry http.Handler) {
		answers(400, `{"error":"invalid_scope","error_description":"no"}`)(w, r, carry)
		close(refused)
	})
	call()
	<-refused
	call()
	call()
	fetched := len(n.requests(tokenPath))
	// When the client has read the refusal nobody can see; the clock goes on until it has.
	eventually(t, "the renewed token is in use", func() bool { advance(2 * time.Second); call(); return len(bearers(n)) == 2 })
	if got := len(n.requests(tokenPath)); got != fetched+1 {
		t.Errorf("%d tokens were fetched, not %d", got, fetched+1)
	}
	if got := len(n.requests(graphqlPath)); got < 5 {
		t.Errorf("only %d calls", got)
	}
}

// bearers are the different tokens that were used.
func bearers(n *network) []string {
	var all []string
	for _, r := range n.requests(graphqlPath) {
		all = append(all, r.Header.Get("Authorization"))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestRefusedTokenIsReplacedOnce: the server's clock is ahead, so that a token
// runs out earlier than the client thinks.
func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	n := newNetwork(t, s)
	c, pauses := dial(t, n.URL)
	must[*client.CurrentClient](t)(c.CurrentClient(t.Context()))
	s.clock.Advance(3 * time.Hour)
	must[*client.Account](t)(c.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some("Acme")}))
	if got := len(n.requests(graphqlPath)); got != 3 {
		t.Errorf("%d requests", got)
	}
	if got := len(n.requests(tokenPath)); got != 2 {
		t.Errorf("%d tokens", got)
	}
	if len(pauses.all) != 0 {
		t.Errorf("it waited %v", pauses.all)
	}
}

func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for name, c := range map[string]struct {
		secret, scope, code string
	}{
		"a wrong secret":   {"wrong", "standard:read", "invalid_client"},
		"an unknown scope": {firstSecret, "everything", "invalid_scope"},
	} {
		n := newNetwork(t, s)
		caller, err := client.New(n.URL+"/", firstID, c.secret, c.scope)
		if err != nil {
			t.Fatal(err)
		}
		_, err = caller.CurrentClient(t.Context())
		var refused *client.AuthError
		if !errors.As(err, &refused) || refused.Code != c.code || refused.Description == "" {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(n.requests(tokenPath)); got != 1 {
			t.Errorf("%s: %d requests", name, got)
		}
	}
}

func TestConfigurationThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]client.Config{
		"no URL":           {ClientID: "a", ClientSecret: "b"},
		"no scheme":        {BaseURL: "billing.example.com", ClientID: "a", ClientSecret: "b"},
		"another scheme":   {BaseURL: "ftp://billing.example.com", ClientID: "a", ClientSecret: "b"},
		"a query":          {BaseURL: "https://billing.example.com?x", ClientID: "a", ClientSecret: "b"},
		"a user":           {BaseURL: "https://me:pw@billing.example.com", ClientID: "a", ClientSecret: "b"},
		"no id":            {BaseURL: "https://billing.example.com", ClientSecret: "b"},
		"no secret":        {BaseURL: "https://billing.example.com", ClientID: "a"},
		"negative timeout": {BaseURL: "https://billing.example.com", ClientID: "a", ClientSecret: "b", Timeout: -1},
	} {
		if _, err := client.NewWith(config); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// eventually asks until it is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}
