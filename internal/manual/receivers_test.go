package manual_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receivers are the programs of docs/receiving.md: how one of a language is
// started, given a directory for it.
var receivers = map[string]func(t *testing.T, dir, source string) *exec.Cmd{
	"go": func(t *testing.T, dir, source string) *exec.Cmd {
		return exec.Command(goApplication(t, dir, source))
	},
	"js": func(t *testing.T, dir, source string) *exec.Cmd {
		needed(t, "npm")
		packed(t, dir)
		return exec.Command(needed(t, "node"), written(t, dir, "receiver.mjs", source))
	},
	"python": func(t *testing.T, dir, source string) *exec.Cmd {
		return exec.Command(needed(t, "python3"), written(t, dir, "receiver.py", source))
	},
}

// TestReceivers starts each receiver of the documentation and sends it real
// webhooks: it must apply them, refuse what is forged, and ignore what is late.
func TestReceivers(t *testing.T) {
	t.Parallel()
	found := 0
	for _, b := range blocksOf(t, "receiving") {
		start := receivers[b.language]
		if start == nil {
			continue
		}
		found++
		t.Run(b.language, func(t *testing.T) {
			t.Parallel()
			port := freePorts(t, 1)[0]
			shop := openShop(t)
			cmd := start(t, t.TempDir(), b.text)
			cmd.Env = append(os.Environ(), "PORT="+port, "WEBHOOK_SECRET="+shop.secret)
			r := &receiver{url: "http://127.0.0.1:" + port, secret: shop.secret, output: watch(t, cmd)}
			r.output.await(t, "listening on")
			shop.api(t, `mutation ($u: String) { platformUpdate(id: 1, attributes: {webhookUrl: $u}) { errors } }`, map[string]any{"u": r.url})
			shop.subscribe(t, 5)
			r.output.await(t, "acme.*users.*5")
			shop.setUsers(t, 8)
			r.output.await(t, "acme.*users.*8")
			r.judge(t, shop)
		})
	}
	if found != len(receivers) {
		t.Errorf("docs/receiving.md has %d of %d receivers", found, len(receivers))
	}
}

// receiver is a running sample.
type receiver struct {
	url, secret string
	output      *output
}

// judge sends what a receiver must not believe, or must not act on.
func (r *receiver) judge(t *testing.T, shop *shop) {
	t.Helper()
	body := shop.body(t, 1)
	printed := len(r.output.String())
	now := time.Now()
	for _, request := range headless {
		if status := r.raw(t, request); status != http.StatusBadRequest {
			t.Errorf("%q is answered with %d, not 400", request, status)
		}
	}
	if status := r.post(t, body, 1, now, "whsec_"+strings.Repeat("A", 32)); status < 400 || status > 499 {
		t.Errorf("a forged signature is answered with %d", status)
	}
	if status := r.post(t, body, 9, now.Add(-time.Hour), r.secret); status < 400 || status > 499 {
		t.Errorf("an old timestamp is answered with %d", status)
	}
	if status := r.post(t, body, 1, now, r.secret); status < 200 || status > 299 {
		t.Errorf("a late event is answered with %d", status)
	}
	shop.api(t, `mutation { platformWebhookTest(id: 1) { errors } }`, nil)
	shop.setUsers(t, 9) // what follows shows that nothing else was printed before
	r.output.await(t, "acme.*users.*9")
	if text := r.output.String()[printed:]; regexp.MustCompile("users.*5|provisioning-test").MatchString(text) {
		t.Errorf("what is forged, late or only a test was applied:\n%s", text)
	}
}

// headless are requests that lack headers, or have them with anything in them.
var headless = []string{
	"POST / HTTP/1.0\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
	"POST / HTTP/1.0\r\nContent-Length: 2\r\nwebhook-id: 1\r\nwebhook-timestamp: 1\r\n\r\n{}",
	"POST / HTTP/1.0\r\nContent-Length: 2\r\nwebhook-id: 1\r\nwebhook-timestamp: soon\r\nwebhook-signature: v1,\xfc\r\n\r\n{}",
}

// raw sends a request byte by byte and returns the status of the answer, 0 if
// there is none.
func (r *receiver) raw(t *testing.T, request string) int {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func (r *receiver) post(t *testing.T, body []byte, sequence int, at time.Time, secret string) int {
	t.Helper()
	judge, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := judge.Sign("evt_1", at, body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"webhook-id": "evt_1", "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": signature,
		"webhook-sequence": strconv.Itoa(sequence), "content-type": "application/json",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// shop is a real server with something to sell.
type shop struct{ url, token, secret string }

// The first API client of every shop.
const (
	shopID     = "first-client"
	shopSecret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
)

func openShop(t *testing.T) *shop {
	t.Helper()
	cmd := exec.Command(binary(t), "serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"TENANTRY_CLIENT_ID=first-client", "TENANTRY_CLIENT_SECRET=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
	}
	s := &shop{url: watch(t, cmd).await(t, `listening on (http://\S+)`)}
	var token struct {
		AccessToken string `json:"access_token"`
	}
	form := "grant_type=client_credentials&client_id=first-client&client_secret=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" +
		"&scope=standard:read+standard:write+billing:read+billing:write+platform:write+admin:read+admin:write"
	s.post(t, "/oauth/token", "application/x-www-form-urlencoded", form, &token)
	s.token = token.AccessToken
	s.api(t, `mutation { platformCreate(attributes: {code: "cloud", name: "Cloud", provisioningEnabled: true}) { errors } }`, nil)
	s.api(t, `mutation { productCreate(attributes: {code: "crm", name: "CRM", platformCode: "cloud"}) { errors } }`, nil)
	s.api(t, `mutation { featureCreate(productId: 1, attributes: {code: "users", name: "Users", kind: QUANTITY}) { errors } }`, nil)
	s.api(t, `mutation { planCreate(attributes: {productId: 1, code: "team", name: "Team"}) { errors } }`, nil)
	s.api(t, `mutation { priceListCreate(attributes: {planId: 1, code: "team-monthly", name: "Monthly", currencyId: "EUR", charges: [
		{code: "users", name: "Users", featureCode: "users", chargeType: RECURRING, billingPeriod: MONTHLY, pricingModel: FLAT, price: "12.50"}]}) { errors } }`, nil)
	var found struct {
		Platform struct{ WebhookSigningSecret string }
	}
	if err := json.Unmarshal(s.api(t, `{ platform(id: 1) { webhookSigningSecret } }`, nil), &found); err != nil || found.Platform.WebhookSigningSecret == "" {
		t.Fatal(found, err)
	}
	s.secret = found.Platform.WebhookSigningSecret
	return s
}

func (s *shop) subscribe(t *testing.T, users int) {
	t.Helper()
	s.api(t, `mutation ($n: Int!) { subscriptionCreate(attributes: {account: {name: "Acme Inc"}, priceListCode: "team-monthly", tenantCode: "acme",
		quantities: [{code: "users", quantity: $n}]}) { errors } }`, map[string]any{"n": users})
}

func (s *shop) setUsers(t *testing.T, users int) {
	t.Helper()
	s.api(t, `mutation ($n: Int!) { subscriptionQuantityUpdate(subscriptionId: 1, quantities: [{code: "users", quantity: $n}]) { errors } }`, map[string]any{"n": users})
}

// body is what the event says.
func (s *shop) body(t *testing.T, event int) []byte {
	t.Helper()
	var found struct{ WebhookEvent struct{ Payload string } }
	if err := json.Unmarshal(s.api(t, `query ($id: ID!) { webhookEvent(id: $id) { payload } }`, map[string]any{"id": event}), &found); err != nil || found.WebhookEvent.Payload == "" {
		t.Fatal(found, err)
	}
	return []byte(found.WebhookEvent.Payload)
}

// api asks for something that must not be refused.
func (s *shop) api(t *testing.T, document string, variables map[string]any) json.RawMessage {
	t.Helper()
	request, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Data, Errors json.RawMessage }
	s.post(t, "/graphql", "application/json", string(request), &answer)
	if answer.Errors != nil || bytes.Contains(answer.Data, []byte(`"errors":[`)) {
		t.Fatalf("%s\nis refused: %s %s", document, answer.Data, answer.Errors)
	}
	return answer.Data
}

func (s *shop) post(t *testing.T, path, kind, body string, answer any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+s.token)
	if s.token == "" {
		request.Header.Del("Authorization")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v\n%s", path, response.StatusCode, err, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatal(err)
	}
}

// output is what a program has printed so far.
type output struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
	ended   chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// watch starts a program and ends it with the test.
func watch(t *testing.T, cmd *exec.Cmd) *output {
	t.Helper()
	o := &output{changed: make(chan struct{}), ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = o, o
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(o.ended)
		_ = cmd.Wait() // it is killed at the end
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-o.ended
	})
	return o
}

// await waits until a line matches and returns its first group, or all of it.
func (o *output) await(t *testing.T, pattern string) string {
	t.Helper()
	line := regexp.MustCompile(pattern)
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	for {
		o.mu.Lock()
		match, changed := line.FindStringSubmatch(o.text.String()), o.changed
		o.mu.Unlock()
		if match != nil {
			return match[len(match)-1]
		}
		select {
		case <-changed:
		case <-o.ended:
			t.Fatalf("it ended, without %q:\n%s", pattern, o)
		case <-deadline.C:
			t.Fatalf("it did not print %q:\n%s", pattern, o)
		}
	}
}

func needed(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed: skipped", program)
	}
	return path
}

func written(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// packed installs the TypeScript library in a directory as a package, as its
// users do.
func packed(t *testing.T, dir string) {
	t.Helper()
	packOnce.Do(func() { pack(t) })
	if archive == "" {
		t.Skip("the package could not be made: skipped") // the test that tried has said why
	}
	written(t, dir, "package.json", `{"private": true}`)
	npm(t, dir, "install", "--offline", archive)
}

var (
	packOnce sync.Once
	archive  string // the package, beside the test binary, where go test removes it
)

func pack(t *testing.T) {
	t.Helper()
	const sdk = "../../sdk/typescript"
	from := t.TempDir()
	if err := os.CopyFS(filepath.Join(from, "src"), os.DirFS(sdk+"/src")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(from, "webhook"), os.DirFS(sdk+"/webhook")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE"} {
		text, err := os.ReadFile(filepath.Join(sdk, name))
		if err != nil {
			t.Fatal(err)
		}
		written(t, from, name, string(text))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	npm(t, from, "ci", "--ignore-scripts", "--prefer-offline")
	npm(t, from, "pack", "--pack-destination", filepath.Dir(self))
	archives, err := filepath.Glob(filepath.Join(filepath.Dir(self), "*.tgz"))
	if err != nil || len(archives) != 1 {
		t.Fatal(archives, err)
	}
	archive = archives[0]
}

func npm(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "npm", append(args, "--no-audit", "--no-fund", "--loglevel=error")...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("npm %s fails: skipped (%v)\n%s", args[0], err, text)
		}
		t.Fatalf("npm %q: %v\n%s", args, err, text)
	}
}
