package listen

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/sign"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// desk is a receiver with what it prints.
type desk struct {
	*Receiver
	t   *testing.T
	key []byte
	out *bytes.Buffer
}

func open(t *testing.T, change ...func(*Options)) *desk {
	t.Helper()
	key, err := sign.Parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, key: key, out: &bytes.Buffer{}}
	o := Options{
		Out: d.out, Now: func() time.Time { return noon }, Status: 200, Token: "me",
		Keys: func(context.Context) ([][]byte, error) { return [][]byte{key}, nil },
	}
	for _, c := range change {
		c(&o)
	}
	d.Receiver = New(o)
	return d
}

// body is a real webhook about a sample, with a text in it exchanged.
func body(code, from, to string) string {
	for _, s := range webhook.SampleStates() {
		if s.Tenant.Code == code {
			return strings.ReplaceAll(string(s.Body()), from, to)
		}
	}
	panic("there is no sample " + code)
}

// send sends a webhook as Tenantry does, and returns the answer.
func (d *desk) send(sequence, attempt int, body string, change ...func(*http.Request)) *http.Response {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	id := strconv.Itoa(100 + sequence)
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(noon.Unix(), 10))
	r.Header.Set("Webhook-Sequence", strconv.Itoa(sequence))
	r.Header.Set("Webhook-Attempt", strconv.Itoa(attempt))
	r.Header.Set("Webhook-Signature", sign.Header(id, noon, []byte(body), d.key))
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result()
}

// golden compares what was printed with a file; TENANTRY_UPDATE writes it anew.
func (d *desk) golden(name string) {
	d.t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("TENANTRY_UPDATE") != "" {
		if err := os.WriteFile(path, d.out.Bytes(), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if d.out.String() != string(want) {
		d.t.Errorf("it prints\n%s\nwant %s:\n%s", d.out, path, want)
	}
}

// all sends one of everything.
func (d *desk) all() {
	first := body("sample-active", "", "")
	d.send(1, 1, first)
	d.send(2, 1, strings.Replace(first, `"quantity":`, `"quantity":1`, 2))
	d.send(2, 2, strings.Replace(first, `"quantity":`, `"quantity":1`, 2))
	d.send(1, 1, first, func(r *http.Request) { r.Header.Set("Webhook-Forced", "true") })
	d.send(3, 1, body("sample-canceled", "sample-canceled", "sample-active"), func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1,bad") })
	d.send(1, 1, `{"made":"by a program","list":[1,2]}`)
	d.send(1, 1, "no JSON\x1b[2J at all")
	d.send(1, 1, body("sample-texts", "", ""))
}

func TestWhatIsPrinted(t *testing.T) {
	d := open(t)
	d.all()
	d.golden("plain.txt")
	if strings.Contains(d.out.String(), "\x1b") {
		t.Error("a webhook can act on the terminal")
	}
}

func TestWhatIsPrintedInColour(t *testing.T) {
	d := open(t, func(o *Options) { o.Colour = true })
	d.all()
	d.golden("colour.txt")
}

func TestBodiesArePrinted(t *testing.T) {
	d := open(t, func(o *Options) { o.Bodies = true })
	d.send(1, 1, body("sample-active", "", ""))
	d.golden("bodies.txt")
}

func TestWithoutASecretNothingIsVerified(t *testing.T) {
	d := open(t, func(o *Options) { o.Keys = nil })
	d.send(1, 1, body("sample-active", "", ""))
	if !strings.Contains(d.out.String(), "not verified: no secret was given") {
		t.Errorf("it prints %s", d.out)
	}
}

func TestItAnswersWhatItIsTold(t *testing.T) {
	d := open(t, func(o *Options) { o.Status = 418 })
	if got := d.send(1, 1, body("sample-active", "", "")).StatusCode; got != 418 || !strings.Contains(d.out.String(), "answered 418") {
		t.Errorf("it answers %d and prints %s", got, d.out)
	}
	if n, _ := d.Kept(); n != 0 {
		t.Errorf("it has refused everything and kept %d", n)
	}
}

func TestARequestWithoutHeadersIsRefused(t *testing.T) {
	d := open(t)
	bare := func(r *http.Request) { r.Header = http.Header{} }
	if got := d.send(1, 1, "", bare).StatusCode; got != 400 || !strings.Contains(d.out.String(), "answered 400 Bad Request, as it is no webhook") {
		t.Errorf("it answers %d and prints %s", got, d.out)
	}
	if n, _ := d.Kept(); n != 0 {
		t.Errorf("it kept %d", n)
	}
	unverified := open(t, func(o *Options) { o.Keys = nil })
	if got := unverified.send(1, 1, "anything", bare).StatusCode; got != 200 {
		t.Errorf("without a secret it answers %d", got)
	}
}

func TestAShareFails(t *testing.T) {
	for random, want := range map[float64]int{0: 500, 0.29: 500, 0.3: 200, 0.99: 200} {
		d := open(t, func(o *Options) { o.FailRate, o.Random = 0.3, func() float64 { return random } })
		if got := d.send(1, 1, body("sample-active", "", "")).StatusCode; got != want {
			t.Errorf("%v: %d, want %d", random, got, want)
		}
	}
}

func TestItWaitsAsLongAsTheSender(t *testing.T) {
	d := open(t, func(o *Options) { o.Delay = time.Hour })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.send(1, 1, body("sample-active", "", ""), func(r *http.Request) { *r = *r.WithContext(ctx) })
	if !strings.Contains(d.out.String(), "which nobody waited for") {
		t.Errorf("it prints %s", d.out)
	}
	d = open(t, func(o *Options) { o.Delay = time.Millisecond })
	d.send(1, 1, body("sample-active", "", ""))
	if !strings.Contains(d.out.String(), "answered 200 OK, after 1ms") {
		t.Errorf("it prints %s", d.out)
	}
}

func TestItForwards(t *testing.T) {
	var came http.Header
	var text string
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read, _ := io.ReadAll(r.Body)
		came, text = r.Header, string(read)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "not\x07 now")
	}))
	defer there.Close()
	d := open(t, func(o *Options) { o.Forward = there.URL + "/hooks" })
	sent := body("sample-active", "", "")
	got := d.send(3, 2, sent, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x"); r.Header.Set("Connection", "close") })
	answered, _ := io.ReadAll(got.Body)
	if got.StatusCode != http.StatusTeapot || string(answered) != "not\x07 now" || got.Header.Get("Retry-After") != "7" {
		t.Errorf("it answers %d %q %v", got.StatusCode, answered, got.Header)
	}
	if text != sent || came.Get("Webhook-Sequence") != "3" || came.Get("Authorization") != "Bearer x" ||
		sign.Verify(came.Get("Webhook-Id"), came.Get("Webhook-Timestamp"), came.Get("Webhook-Signature"), []byte(text), noon, d.key) != nil {
		t.Errorf("what is forwarded is %v %s", came, text)
	}
	if !strings.Contains(d.out.String(), "answered 418 I'm a teapot, by "+there.URL+"/hooks\n") || !strings.Contains(d.out.String(), "the answer: not  now\n") {
		t.Errorf("it prints %s", d.out)
	}
	there.Close()
	if got := d.send(4, 1, sent).StatusCode; got != http.StatusBadGateway || !strings.Contains(d.out.String(), "cannot be reached: ") {
		t.Errorf("it answers %d and prints %s", got, d.out)
	}
	if n, _ := d.Kept(); n != 0 {
		t.Errorf("it has forwarded everything and kept %d", n)
	}
}

func TestWhatItKeeps(t *testing.T) {
	d := open(t)
	d.send(9, 1, body("sample-active", "", ""))
	d.send(5, 1, body("sample-trial", "", ""))
	d.send(6, 1, body("sample-trial", "", ""))
	d.send(1, 1, body("sample-trial", "sample-trial", "provisioning-test"), func(r *http.Request) { r.Header.Set("Webhook-Id", "test_x") })
	if n, earliest := d.Kept(); n != 2 || earliest != 105 {
		t.Errorf("it keeps %d, the earliest of which is %d", n, earliest)
	}
}

func TestOtherRequests(t *testing.T) {
	d := open(t)
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "PUT": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		if w.Code != want || w.Header().Get(TokenHeader) != "me" {
			t.Errorf("%s answers %d, %v", method, w.Code, w.Header())
		}
	}
	if d.out.Len() > 0 {
		t.Errorf("it prints %s", d.out)
	}
}
