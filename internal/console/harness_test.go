package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	adminEmail = "ann@example.com"
	password   = "correct horse battery"
	secretKey  = "a secret key that is long enough"
	patience   = 60 * time.Second
)

// site is a real server on a database of its own, at noon of 15 January 2026,
// with an admin.
type site struct {
	t     testing.TB
	url   string
	clock *storetest.Clock
	log   *output
	// service works on the same database beside the server.
	service *service.Service
	store   *store.Store
	// database is its address.
	database string
	ctx      context.Context
	// hooks is where the demo's webhooks go, nowhere if it is empty.
	hooks string
	// office is nil until the demo issues invoices.
	office *office
	demo
}

// output collects what a server prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var listening = regexp.MustCompile(`(?m)^listening on (http://\S+)$`)

// open starts a server on a new database.
func open(t testing.TB, engine string) *site {
	t.Helper()
	return openOn(t, storetest.New(t, engine))
}

// openOn starts a server on a database.
func openOn(t testing.TB, db *storetest.Database) *site {
	t.Helper()
	return openWith(t, db, func(*app.Process) {})
}

// openWith starts a server whose process is not the usual one.
func openWith(t testing.TB, db *storetest.Database, change func(*app.Process)) *site {
	t.Helper()
	s := &site{t: t, database: db.URL, clock: db.Clock, log: &output{}, ctx: operation.As(t.Context(), operation.Caller{Actor: "test"})}
	box, err := secret.NewBox(secretKey)
	if err != nil {
		t.Fatal(err)
	}
	s.store = db.Open(t)
	s.service = service.New(s.store, box, nil)
	s.addAdmin()
	env := map[string]string{
		"TENANTRY_ADMIN_EMAIL": adminEmail, "TENANTRY_ADMIN_PASSWORD": password, "TENANTRY_SECRET_KEY": secretKey,
		"TENANTRY_CLIENT_ID": "first", "TENANTRY_CLIENT_SECRET": strings.Repeat("s", 40),
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	process := app.Process{
		Args: []string{"serve", "--listen", "127.0.0.1:0", "--db", db.URL, "--log-format", "text", "--test-payments"}, Stdout: io.Discard, Stderr: s.log, Now: db.Clock.Now,
		Env: func(name string) (string, bool) { value, set := env[name]; return value, set },
	}
	change(&process)
	go func() { done <- app.Run(ctx, process) }()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("the server ended with %d:\n%s", code, s.log)
		}
	})
	eventually(t, "the server to listen", func() bool {
		if match := listening.FindStringSubmatch(s.log.String()); match != nil {
			s.url = match[1]
		}
		return s.url != ""
	})
	return s
}

// setAside does to a subscription what is done to one that time cannot move.
func (s *site) setAside(id billing.SubscriptionID, why string) error {
	return s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.SetSubscriptionProblem(ctx, tx, id, billing.Date{Year: 9999, Month: 12, Day: 31}, why)
	})
}

// pause does to the demo's endpoint what an answer does that says it is gone.
func (s *site) pause(why string) {
	s.t.Helper()
	s.pauseAt(s.platform.ID, why)
}

func (s *site) pauseAt(id billing.PlatformID, why string) {
	s.t.Helper()
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		route, err := outbox.LockRoute(ctx, tx, id)
		if err != nil {
			return err
		}
		route.Endpoint.Pause(why, tx.Now)
		return outbox.SaveEndpoint(ctx, tx, &route.Endpoint)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// eventually waits for something without sleeping for a fixed time. It asks ever less
// often: what is waited for needs the processor too.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for started := time.Now(); !is(); {
		waited := time.Since(started)
		if waited > patience {
			t.Fatalf("waited %v for %s", patience, what)
		}
		<-time.After(min(2*time.Millisecond+waited/8, 100*time.Millisecond))
	}
}

// visitor is somebody with a browser that does what forms and links ask for.
type visitor struct {
	*site
	client *http.Client
	// header is sent with every request.
	header http.Header
}

// answer is what a visitor gets.
type answer struct {
	status int
	header http.Header
	body   string
	path   string // after redirects
}

// visit returns a visitor who is not signed in.
func (s *site) visit() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &visitor{site: s, client: &http.Client{Jar: jar, Timeout: patience}, header: http.Header{}}
}

// as returns a visitor who is signed in; the user is made if it is not the
// admin.
func (s *site) as(role billing.Role) *visitor {
	s.t.Helper()
	email := adminEmail
	if role != billing.Admin {
		email = strings.ToLower(string(role)) + "@example.com"
		s.addUser(email, role)
	}
	v := s.visit()
	v.signIn(email)
	return v
}

func (v *visitor) signIn(email string) {
	v.t.Helper()
	a := v.post("/sign-in", "email", email, "password", password, "next", "/")
	if a.status != 200 || a.path != "/" {
		v.t.Fatalf("signing in answers %d at %s: %s", a.status, a.path, a.text())
	}
}

func (v *visitor) send(method, path string, form url.Values) answer {
	v.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header = v.header.Clone()
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(text), res.Request.URL.Path}
	if names := a.fieldNames(); names != nil {
		v.t.Errorf("%s says %q to people", a.path, names)
	}
	return a
}

func (v *visitor) get(path string) answer {
	v.t.Helper()
	return v.send(http.MethodGet, path, nil)
}

// post sends a form: names and values in turn.
func (v *visitor) post(path string, fields ...string) answer {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return v.send(http.MethodPost, path, form)
}

var (
	formPattern   = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)"[^>]*>(.*?)</form>`)
	hiddenPattern = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"[^>]*>`)
)

// submit fills in the form of a page that is not the one for signing out, with
// its hidden fields, and sends it.
func (v *visitor) submit(page answer, fields ...string) answer {
	v.t.Helper()
	for _, form := range formPattern.FindAllStringSubmatch(page.body, -1) {
		if form[1] == "/sign-out" {
			continue
		}
		for _, hidden := range hiddenPattern.FindAllStringSubmatch(form[2], -1) {
			fields = append(fields, unescape(hidden[1]), unescape(hidden[2]))
		}
		return v.post(unescape(form[1]), fields...)
	}
	v.t.Fatalf("there is no form in %s", page.text())
	return answer{}
}

var entities = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&#43;", "+", "&amp;", "&")

func unescape(text string) string { return entities.Replace(text) }

var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// text is the page without its tags.
func (a answer) text() string {
	_, main, _ := strings.Cut(a.body, "<main")
	return strings.Join(strings.Fields(unescape(tags.ReplaceAllString(main, " "))), " ")
}

var (
	// saidPattern is what the console says about what was done or is wrong.
	saidPattern  = regexp.MustCompile(`(?s)<(p|ul|div) [^>]*class="(?:error|problems|notices?|flash|note|help)\b[^>]*>.*?</(?:p|ul|div)>`)
	fieldPattern = regexp.MustCompile(`\b[a-z]+[A-Z][a-z]\w*`)
)

// fieldNames are the names of fields, as programs know them, in what a page says
// to people.
func (a answer) fieldNames() (names []string) {
	for _, said := range saidPattern.FindAllString(a.body, -1) {
		if strings.Contains(said, `id="q-help"`) || strings.Contains(said, `id="filter-problem"`) || strings.Contains(said, "Request id: ") { // filters have such names, and ids may look so
			continue
		}
		names = append(names, fieldPattern.FindAllString(unescape(tags.ReplaceAllString(said, " ")), -1)...)
	}
	return names
}

// wants fails the test unless the page has that status and texts.
func (v *visitor) wants(a answer, status int, texts ...string) answer {
	v.t.Helper()
	if a.status != status {
		v.t.Fatalf("%s answers %d, want %d: %s", a.path, a.status, status, a.text())
	}
	for _, text := range texts {
		if !strings.Contains(a.text(), text) && !strings.Contains(a.body, text) {
			v.t.Errorf("%s does not say %q: %s", a.path, text, a.text())
		}
	}
	return a
}
