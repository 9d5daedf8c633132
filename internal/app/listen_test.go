package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// receiving is an application that takes every webhook.
type receiving struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func newReceiving(t *testing.T) *receiving {
	r := &receiving{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiving) got() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// workbench is a server whose platform "app" sends to an application, and a listener
// beside it.
type workbench struct {
	*server
	t           *testing.T
	env         env
	application *receiving
}

func newWorkbench(t *testing.T, e env) *workbench {
	t.Helper()
	w := &workbench{t: t, env: e, application: newReceiving(t)}
	w.server = inside(t, known.with(e))
	subscribeWith(t, w.server, w.application.URL)
	w.do(`mutation { workflowUpdate(id: "1", attributes: {recipe: {timeoutSeconds: 10, retryDelays: [1, 1, 1, 1, 1, 1, 1, 1]}}) { errors } }`)
	eventually(t, patience, "the first webhook at the application", func() bool { return w.application.got() == 1 })
	return w
}

func (w *workbench) do(document string) answer {
	w.t.Helper()
	a := ask(w.t, w.url, w.firstToken(w.t), document, nil)
	if a.status != 200 || strings.Contains(a.body, `"errors":[`) {
		w.t.Fatalf("%s: %d %s", document, a.status, a.body)
	}
	return a
}

// rename gives the tenant another name, which makes a webhook.
func (w *workbench) rename(name string) {
	w.t.Helper()
	w.do(`mutation { tenantUpdate(id: "1", attributes: {name: "` + name + `"}) { errors } }`)
}

// address is where the platform sends its webhooks.
func (w *workbench) address() string {
	w.t.Helper()
	return w.do(`{ platforms { webhookUrl } }`).body
}

// listen starts the real program beside the server.
func (w *workbench) listen(args ...string) *server {
	w.t.Helper()
	l := start(w.t, w.env, slices.Concat([]string{"listen", "--at", "127.0.0.1:0", "--platform", "app"}, args)...)
	l.awaitListening(w.t)
	eventually(w.t, patience, "the listener to be registered", func() bool { return l.stderr.has("the platform app sends its webhooks here") })
	return l
}

func (w *workbench) printed(l *server, what string) {
	w.t.Helper()
	eventually(w.t, patience, "the listener to print "+what, func() bool { return l.stdout.has(what) })
}

var nextAttempt = regexp.MustCompile(`(?m)^what failed is tried again at \d\d:\d\d:\d\d$`)

var clockTime = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d`)

func TestListenOnAPlatform(t *testing.T) {
	t.Parallel()
	needSignals(t)
	needPrograms(t, "sh")
	onEachEngine(t, func(t *testing.T, e env) {
		w := newWorkbench(t, e)
		l := w.listen()
		if !l.stderr.has("before, it sent them to " + w.application.URL + "\n") {
			t.Errorf("it says %s", l.stderr)
		}
		w.do(`mutation { tenantSync(id: "1") { errors } }`)
		w.printed(l, "app/acme  #2  verified")
		w.rename("Acme Inc")
		w.printed(l, "app/acme  #3  verified")
		want := regexp.MustCompile(`^TIME  app/acme  #2  verified  answered 200 OK
          the first of acme
          active: CRM Pro \(pro\), \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d
TIME  app/acme  #3  verified  answered 200 OK
          payload.tenant.name: "acme" -> "Acme Inc"
$`)
		if got := clockTime.ReplaceAllString(l.stdout.String(), "TIME"); !want.MatchString(got) {
			t.Errorf("it prints\n%s", got)
		}
		second := run(t, e, "listen", "--at", "127.0.0.1:0", "--platform", "app")
		if second.code != 1 || !strings.Contains(second.stderr, "the platform app is taken: a listener at "+l.url) {
			t.Errorf("a second one exits with %d and says %s", second.code, second.stderr)
		}
		l.signal(t, syscall.SIGTERM)
		if code := l.await(t, patience); code != 0 {
			t.Errorf("it ends with %d: %s", code, l.stderr)
		}
		if !l.stderr.has("the platform app sends its webhooks to " + w.application.URL + " again\n") {
			t.Errorf("it says %s", l.stderr)
		}
		if got := w.address(); !strings.Contains(got, w.application.URL) {
			t.Errorf("the address is %s", got)
		}
		// What it has accepted is told to the application by the command it prints.
		_, resend, found := strings.Cut(l.stderr.String(), "\n  tenantry ")
		if !found || w.application.got() != 1 {
			t.Fatalf("the application got %d, and it says %s", w.application.got(), l.stderr)
		}
		args := strings.Fields(strings.ReplaceAll(resend, `"`, ""))
		if said := run(t, e, append(args[:3:3], strings.Join(args[3:], " "))...); said.code != 0 || !strings.Contains(said.stdout, "1 event matches") {
			t.Errorf("%q says %s%s", resend, said.stdout, said.stderr)
		}
		eventually(t, patience, "the application to be told", func() bool { return w.application.got() == 2 })
	})
}

func TestListenFails(t *testing.T) {
	t.Parallel()
	needSignals(t)
	w := newWorkbench(t, env{"TENANTRY_DATA_DIR": t.TempDir()})
	l := w.listen("--status", "500")
	w.rename("Acme Inc")
	w.printed(l, "app/acme  #2  verified  answered 500 Internal Server Error")
	w.printed(l, "app/acme  #2  attempt 2  verified  answered 500")
	l.signal(t, syscall.SIGINT)
	if code := l.await(t, patience); code != 0 || l.stderr.has("resend") {
		t.Errorf("it ends with %d: %s", code, l.stderr)
	}
	eventually(t, patience, "what was refused at the application", func() bool { return w.application.got() == 2 })
	slow := w.listen("--fail-rate", "1", "--delay", "1ms")
	w.rename("Acme AG")
	w.printed(slow, "answered 500 Internal Server Error, after 1ms, as every now and then")
	// While nothing comes, it says until when.
	w.do(`mutation { workflowUpdate(id: "1", attributes: {recipe: {timeoutSeconds: 10, retryDelays: [300, 300]}}) { errors } }`)
	w.rename("Acme SE")
	eventually(t, patience, "the listener to say when the next attempt is", func() bool { return nextAttempt.MatchString(slow.stderr.String()) })
}

func TestListenForwards(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t, env{"TENANTRY_DATA_DIR": t.TempDir()})
	l := w.listen("--forward", w.application.URL+"/hooks")
	w.rename("Acme Inc")
	w.printed(l, "app/acme  #2  verified  answered 200 OK, by "+w.application.URL+"/hooks")
	if n := w.application.got(); n != 2 {
		t.Errorf("the application got %d", n)
	}
	l.stop(t)
	if l.stderr.has("resend") {
		t.Errorf("it says %s", l.stderr)
	}
}

// A listener that is killed cannot put anything back; the next one does.
func TestAKilledListenerLeavesNothingForGood(t *testing.T) {
	t.Parallel()
	needSignals(t)
	e := env{"TENANTRY_DATA_DIR": t.TempDir()}
	w := newWorkbench(t, e)
	kill := func(l *server) {
		l.signal(t, syscall.SIGKILL)
		l.await(t, patience)
		if got := w.address(); !strings.Contains(got, l.url) {
			t.Fatalf("the address is %s", got)
		}
	}
	kill(w.listen())
	second := w.listen()
	if !second.stderr.has("did not put back") || !second.stderr.has("it sent them to "+w.application.URL+"\n") {
		t.Errorf("the next says %s", second.stderr)
	}
	second.stop(t)
	if got := w.address(); !strings.Contains(got, w.application.URL) {
		t.Errorf("the address is %s", got)
	}
	kill(w.listen())
	restored := command(t, e, "listen", "--platform", "app", "--restore")
	if restored.code != 0 || !strings.Contains(restored.stderr, w.application.URL+" again") {
		t.Errorf("it exits with %d and says %s", restored.code, restored.stderr)
	}
	if got := w.address(); !strings.Contains(got, w.application.URL) {
		t.Errorf("the address is %s", got)
	}
	if again := command(t, e, "listen", "--platform", "app", "--restore"); again.code != 0 || !strings.Contains(again.stderr, "nothing to put back") {
		t.Errorf("it exits with %d and says %s", again.code, again.stderr)
	}
}

func TestAnAddressThatWasChangedMeanwhileStays(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t, env{"TENANTRY_DATA_DIR": t.TempDir()})
	l := w.listen()
	w.do(`mutation { platformUpdate(id: "1", attributes: {webhookUrl: "http://127.0.0.1:1/new"}) { errors } }`)
	l.stop(t)
	if got := w.address(); !strings.Contains(got, "127.0.0.1:1/new") || !l.stderr.has("left as it is") {
		t.Errorf("the address is %s: %s", got, l.stderr)
	}
}

func TestListenWithoutAPlatform(t *testing.T) {
	t.Parallel()
	l := start(t, nil, "listen", "--at", "127.0.0.1:0", "--data-dir", "/nowhere")
	l.awaitListening(t)
	mustSend(t, "POST", l.url, strings.NewReader(`{"any":"thing"}`), nil)
	for _, part := range []string{"not verified: no secret was given  answered 200 OK\n", `"any": "thing"`} {
		eventually(t, patience, part, func() bool { return l.stdout.has(part) })
	}
	if code := l.stop(t); code != 0 {
		t.Errorf("it ends with %d: %s", code, l.stderr)
	}
	signed := start(t, nil, "listen", "--at", "127.0.0.1:0", "--secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	signed.awaitListening(t)
	mustSend(t, "POST", signed.url, strings.NewReader(`{"any":"thing"}`), nil)
	const verdict = "NOT verified: the header webhook-signature is missing  answered 400 Bad Request, as it is no webhook\n"
	eventually(t, patience, verdict, func() bool { return signed.stdout.has(verdict) })
}

func TestListenOnNoPlatform(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside(t, known, "--data-dir", dir).stop(t)
	for _, code := range []string{"nobody", "no code"} {
		done := command(t, nil, "listen", "--data-dir", dir, "--at", "127.0.0.1:0", "--platform", code)
		if done.code != 1 || !strings.Contains(done.stderr, `there is no platform with the code "`+code+`"`) {
			t.Errorf("%s: exits with %d and says %s", code, done.code, done.stderr)
		}
	}
	done := command(t, nil, "listen", "--data-dir", dir+"/none", "--at", "127.0.0.1:0", "--platform", "app")
	if done.code != 1 || !strings.Contains(done.stderr, "there is no database to work on") {
		t.Errorf("exits with %d and says %s", done.code, done.stderr)
	}
}

// TestAListenerFindsAFreePort starts two where the documents start one: the one
// of the page before may still run.
func TestAListenerFindsAFreePort(t *testing.T) {
	t.Parallel()
	first, second := start(t, nil, "listen"), start(t, nil, "listen")
	first.awaitListening(t)
	second.awaitListening(t)
	if first.address == second.address {
		t.Errorf("both listen on %s", first.address)
	}
	if !strings.Contains(first.stderr.String()+second.stderr.String(), "127.0.0.1:8090 cannot be used") {
		t.Errorf("nobody says that the port was taken:\n%s\n%s", first.stderr, second.stderr)
	}
}
