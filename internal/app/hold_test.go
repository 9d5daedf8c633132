package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// moved is a wall clock that a test moves.
type moved struct{ by atomic.Int64 }

func (m *moved) now() time.Time          { return time.Now().Add(time.Duration(m.by.Load())) }
func (m *moved) move(by time.Duration)   { m.by.Store(int64(by)) }
func (s *server) held(t testing.TB) bool { return s.readiness(t)["lifecycle"] == "held" }
func (s *server) metric(t testing.TB) bool {
	return strings.Contains(get(t, s.url+"/metrics").body, "\ntenantry_lifecycle_held 1\n")
}

func (s *server) readiness(t testing.TB) map[string]any {
	t.Helper()
	ready := get(t, s.url+"/readyz")
	if ready.status != 200 {
		t.Fatalf("/readyz answers %d %s", ready.status, ready.body)
	}
	return ready.value(t).(map[string]any)
}

const years = 3 * 365 * 24 * time.Hour

// endOf returns the last day of a subscription.
func endOf(t testing.TB, s *server, token, id string) string {
	t.Helper()
	return ask(t, s.url, token, `query ($s: ID!) { subscription(id: $s) { endDate } }`, map[string]any{"s": id}).text(t, "data", "subscription", "endDate")
}

// TestAClockThatJumpsRenewsNothing: the wall clock jumps into 2029 while a server
// runs. Nothing that time brings is done until it is back, and everybody is told.
func TestAClockThatJumpsRenewsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		wall := &moved{}
		e := known.with(env{"TENANTRY_SECRET_KEY": secretKey})
		s := insideWith(t, e, app.Process{Wall: wall.now}, "--db", db.URL)
		token := s.firstToken(t)
		account := sell(t, s, token)
		id, _ := subscribe(t, s, token, account, "")
		end := endOf(t, s, token, id)
		if s.held(t) || s.metric(t) {
			t.Fatal("it is held before anything happened")
		}
		wall.move(years)
		eventually(t, patience, "the jump is noticed", func() bool { return s.held(t) })
		eventually(t, patience, "somebody is told", func() bool { return s.metric(t) && strings.Contains(s.stderr.String(), "THE LIFECYCLE IS HELD") })
		if now := endOf(t, s, token, id); now != end {
			t.Errorf("the subscription ended on %s and ends on %s", end, now)
		}
		if why, _ := s.readiness(t)["reason"].(string); !strings.Contains(why, "ahead of") {
			t.Errorf("the reason that is told is %q", why)
		}
		s.checkBanner(t, db.Engine == "sqlite")
		s.checkChange(t, token, id, db.Engine == "sqlite")
		wall.move(0)
		eventually(t, patience, "it goes on when the clock is right again", func() bool { return !s.held(t) && !s.metric(t) })
		s.checkChange(t, token, id, false)
		if now := endOf(t, s, token, id); now != end {
			t.Errorf("the subscription ended on %s and ends on %s", end, now)
		}
	})
}

// TestAServerThatStartsAmongWrongClocks: its machine's clock is ten days from the
// database's, and it cannot tell which is wrong. Another server is not concerned.
func TestAServerThatStartsAmongWrongClocks(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	e := known.with(env{"TENANTRY_SECRET_KEY": secretKey})
	right := insideWith(t, e, app.Process{Wall: time.Now}, "--db", db.URL)
	token := right.firstToken(t)
	id, _ := subscribe(t, right, token, sell(t, right, token), "")
	start := func() (*server, *moved) {
		wall := &moved{}
		wall.move(-10 * 24 * time.Hour)
		s := insideWith(t, e, app.Process{Wall: wall.now}, "--db", db.URL)
		if !s.held(t) || !strings.Contains(s.readiness(t)["reason"].(string), "either may be wrong") {
			t.Errorf("it goes on: %v", s.readiness(t))
		}
		return s, wall
	}
	corrected, wall := start()
	corrected.checkChange(t, corrected.firstToken(t), id, true)
	corrected.checkBanner(t, true)
	right.checkChange(t, token, id, false)
	if right.held(t) {
		t.Error("another server is held")
	}
	wall.move(0)
	eventually(t, patience, "it goes on when the clocks agree", func() bool { return !corrected.held(t) })
	corrected.checkChange(t, corrected.firstToken(t), id, false)

	resumed, _ := start()
	p := app.Process{Args: []string{"resume", "--db", db.URL}, Env: e.lookup, Stdout: io.Discard, Stderr: io.Discard}
	if code := app.Run(t.Context(), p); code != 0 {
		t.Fatalf("resume ends with %d", code)
	}
	eventually(t, patience, "it goes by the database's clock", func() bool {
		return !strings.Contains(resumed.readiness(t)["reason"].(string), "either may be wrong")
	})
	resumed.checkChange(t, resumed.firstToken(t), id, false)
	if !resumed.held(t) {
		t.Error("the lifecycle goes on though the machine's clock is wrong")
	}
}

// checkChange changes a subscription, which is refused for now if nobody knows
// what day it is. On PostgreSQL the database knows.
func (s *server) checkChange(t testing.TB, token, id string, refused bool) {
	t.Helper()
	r, err := graphqlRequest(s.url, token, `mutation ($s: ID!) { subscriptionUpdate(id: $s, attributes: {evergreen: true}) { subscription { id } errors } }`, map[string]any{"s": id})
	if err != nil {
		t.Fatal(err)
	}
	a, err := send(r)
	if err != nil {
		t.Fatal(err)
	}
	if unavailable := a.status == http.StatusServiceUnavailable && strings.Contains(a.body, "UNAVAILABLE") && strings.Contains(a.body, "what day it is"); unavailable != refused {
		t.Errorf("a change is answered with %d %s", a.status, a.body)
	}
}

// checkBanner looks whether the pages of the console say what is wrong.
func (s *server) checkBanner(t testing.TB, resumable bool) {
	t.Helper()
	page := s.browse(t, "/")
	if !strings.Contains(page, "Nothing is renewed") || strings.Contains(page, "/lifecycle/resume") != resumable {
		t.Errorf("the console does not say it: %s", page)
	}
}

// browse returns a page of the console as the first user sees it.
func (s *server) browse(t testing.TB, path string) string {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	fetch := func(r *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	fetch(browser.PostForm(s.url+"/sign-in", url.Values{"email": {adminEmail}, "password": {adminSecret}}))
	return fetch(browser.Get(s.url + path))
}

// TestALongStandstillWaitsForSomebody: servers are started at other times after
// the last one stopped.
func TestALongStandstillWaitsForSomebody(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	clock := storetest.NewClock()
	database := []string{"--db", "sqlite:" + t.TempDir() + "/tenantry.db"}
	s := insideAt(t, known, clock.Now, database...)
	token := s.firstToken(t)
	id, _ := subscribe(t, s, token, sell(t, s, token), "")
	end := endOf(t, s, token, id)
	s.stop(t)
	begin := clock.Now()
	for _, c := range []struct {
		name  string
		after time.Duration
		args  []string
		held  bool
	}{
		{"a little before", -time.Minute, nil, false},
		{"a day before", -day, nil, true},
		{"34 days after, a long holiday", 34 * day, nil, false},
		{"36 days after that", 70 * day, nil, true},
		{"36 days after that, where 60 are no fault", 70 * day, []string{"--max-downtime-days", "60"}, false},
		{"years after that", years, nil, true},
	} {
		clock.Set(begin.Add(c.after))
		s := insideAt(t, known, clock.Now, append(c.args, database...)...)
		if held := s.held(t); held != c.held {
			t.Errorf("%s: held is %t: %v", c.name, held, s.readiness(t))
		}
		if c.held {
			s.checkChange(t, s.firstToken(t), id, true)
			s.checkBanner(t, true)
		} else if today := clock.Now().Format(time.DateOnly); c.after > 0 {
			eventually(t, patience, "what was missed is done, "+c.name, func() bool { return endOf(t, s, s.firstToken(t), id) >= today })
		}
		s.stop(t)
	}
	s = insideAt(t, known, clock.Now, database...)
	token = s.firstToken(t)
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr output
		p := app.Process{Args: append(append([]string{"resume"}, args...), database...), Env: known.lookup, Stdout: &stdout, Stderr: &stderr, Now: clock.Now}
		if code := app.Run(t.Context(), p); code != 0 {
			t.Fatalf("exits with %d: %s", code, &stderr)
		}
		return stdout.String()
	}
	before := endOf(t, s, token, id)
	if said := run("--dry-run"); !strings.Contains(said, "something is due for 1 subscription\n") || !s.held(t) {
		t.Errorf("it says %q", said)
	}
	if page := s.browse(t, "/lifecycle/resume"); !strings.Contains(page, "Something is due for 1 subscription by then") {
		t.Errorf("the console asks %s", page)
	}
	run()
	eventually(t, patience, "it goes on", func() bool { return !s.held(t) })
	eventually(t, patience, "what was missed is done", func() bool { return endOf(t, s, token, id) > before && before >= end })
	if audit := ask(t, s.url, token, `{ auditEntries(filter: "action:lifecycleResume") { actor detail } }`, nil); !strings.Contains(audit.body, "command by ") {
		t.Errorf("the audit log says %s", audit.body)
	}
}
