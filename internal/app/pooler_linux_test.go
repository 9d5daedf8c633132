package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestTheWholeServerBehindPgBouncer: the API, the console and webhooks work
// through a pooler that gives each transaction another session, and what a server
// committed before kill -9 is delivered by the next one.
func TestTheWholeServerBehindPgBouncer(t *testing.T) {
	t.Parallel()
	direct := env{"TENANTRY_DB": storetest.Postgres(t)}
	e := known.with(env{"TENANTRY_DB": storetest.PgBouncer(t, direct["TENANTRY_DB"]), "TENANTRY_SECRET_KEY": secretKey})
	application := newRefusing(t)
	application.take(true)
	s := child(t, e, "--database-pooler", "transaction")
	subscribeWith(t, s, application.URL)
	eventually(t, patience, "the first webhook", func() bool { return application.got() == "1" })
	db := openDB(t, direct)
	eventually(t, patience, "it is recorded", func() bool { return outcomesIn(t, db) == "delivered" })
	showsTenant(t, s)

	// The stream waits for its retry when the server dies, so nobody has a lease.
	application.take(false)
	const rename = `mutation { tenantUpdate(id: "1", attributes: {name: "Acme Ltd"}) { tenant { name } errors } }`
	if name := ask(t, s.url, s.firstToken(t), rename, nil).text(t, "data", "tenantUpdate", "tenant", "name"); name != "Acme Ltd" {
		t.Errorf("the tenant is called %q", name)
	}
	// On a busy machine it may be refused more than once before anybody looks.
	eventually(t, patience, "the change is refused", func() bool { return strings.HasPrefix(outcomesIn(t, db), "delivered failed") })
	s.signal(t, syscall.SIGKILL)
	s.await(t, patience)
	if !s.stderr.has("a connection pooler stands before PostgreSQL") {
		t.Error("nothing says that nobody takes over behind a pooler")
	}
	application.take(true)
	next := child(t, e, "--database-pooler", "auto")
	eventually(t, patience, "the next server delivers it", func() bool { return strings.HasSuffix(outcomesIn(t, db), " failed delivered") })
	if got := application.got(); strings.ReplaceAll(got, " 2", "") != "1" || strings.Count(got, " 2") < 2 {
		t.Errorf("the application was told %s", got)
	}
	showsTenant(t, next)
	if code := next.stop(t); code != 0 {
		t.Errorf("exits with %d:\n%s", code, next.stderr)
	}
}

// showsTenant signs in to the console and looks at the list of tenants.
func showsTenant(t *testing.T, s *server) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: patience}
	signedIn, err := browser.PostForm(s.url+"/sign-in", url.Values{"email": {adminEmail}, "password": {adminSecret}})
	if err != nil {
		t.Fatal(err)
	}
	signedIn.Body.Close()
	page, err := browser.Get(s.url + "/tenants")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != http.StatusOK || !strings.Contains(string(text), `href="/tenants/1"`) {
		t.Errorf("the console answers %d: %s (%v)", page.StatusCode, text, err)
	}
}
