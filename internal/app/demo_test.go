package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// demo is a running demo, with what it printed.
type demo struct {
	*server
	sample string
	temp   string // where its data is
	// commands are those to try, as printed.
	commands []string
}

var printedSample = regexp.MustCompile(`(?m)^  sample    (http://\S+)`)

// startDemo starts the real program and waits until it has told what to try.
func startDemo(t *testing.T, args ...string) *demo {
	t.Helper()
	d := &demo{temp: t.TempDir()}
	d.server = start(t, env{"TMPDIR": d.temp}, slices.Concat([]string{"demo", "--listen", "127.0.0.1:0", "--sample-listen", "127.0.0.1:0"}, args)...)
	d.awaitListening(t)
	eventually(t, patience, "the last line of the welcome", func() bool { return d.stdout.has("Time stands still") })
	d.sample = printedSample.FindStringSubmatch(d.stdout.String())[1]
	for line := range strings.Lines(d.stdout.String()) {
		if strings.HasPrefix(line, "  TOKEN=") || strings.HasPrefix(line, "  curl ") {
			d.commands = append(d.commands, strings.TrimSpace(line))
		}
	}
	if len(d.commands) != 5 {
		t.Fatalf("there are %d commands to try:\n%s", len(d.commands), d.stdout)
	}
	return d
}

// paste runs commands in one shell, as somebody does who pastes them.
func paste(t *testing.T, commands ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu")
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n"))
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, said.String(), commands)
	}
	return string(text)
}

// sampleTenant is a tenant as the sample shows it.
type sampleTenant struct {
	ID             int
	Platform, Code string
	Hand           *struct {
		Stage, Problem string
		Steps          []struct {
			Text  string
			Event int
		}
	}
	Features []struct {
		Code   string
		Bought bool
		Limit  *int
		Used   *int
	}
	Subscriptions []struct{ State string }
}

func (d *demo) get(t *testing.T, url string, into any) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return // not told of yet
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}

// limit is how many users the sample lets the example have.
func (d *demo) limit(t *testing.T) int {
	t.Helper()
	var tenant sampleTenant
	d.get(t, d.sample+"/tenants/harbour/nordlicht", &tenant)
	for _, f := range tenant.Features {
		if f.Code == "users" && f.Limit != nil {
			return *f.Limit
		}
	}
	return 0
}

// inSync asks the API whether the sample is up to date about the example.
func (d *demo) inSync(t *testing.T, token string) (is bool, problem string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/graphql",
		strings.NewReader(`{"query":"{ tenants(filter: \"platform:harbour code:nordlicht\") { provisioning { inSync lastError } } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Data struct {
			Tenants []struct {
				Provisioning struct {
					InSync    bool
					LastError *string
				}
			}
		}
	}
	text, _ := io.ReadAll(response.Body)
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Data.Tenants) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	p := answer.Data.Tenants[0].Provisioning
	if p.LastError != nil {
		problem = *p.LastError
	}
	return p.InSync, problem
}

func TestTheDemoDoesWhatItSays(t *testing.T) {
	t.Parallel()
	needSignals(t)
	needPrograms(t, "sh", "curl", "sed")
	d := startDemo(t)
	eventually(t, patience, "all history at the sample", func() bool { return d.limit(t) == 25 })

	token := strings.TrimSpace(paste(t, d.commands[0]))
	if strings.Count(token, ".") != 2 {
		t.Fatalf("the token is %q", token)
	}
	if said := paste(t, d.commands[0]+" >/dev/null", d.commands[1]); said != `{"data":{"subscriptionQuantityUpdate":{"subscription":{"state":"ACTIVE"},"errors":null}}}` {
		t.Errorf("the change says %s", said)
	}
	eventually(t, patience, "40 users at the sample", func() bool { return d.limit(t) == 40 })

	paste(t, d.commands[0], d.commands[2], d.commands[3])
	eventually(t, patience, "the tenant to be out of sync", func() bool {
		is, problem := d.inSync(t, token)
		return !is && strings.Contains(problem, "503")
	})
	if n := d.limit(t); n != 40 {
		t.Errorf("the sample was stopped and has %d users", n)
	}
	paste(t, d.commands[4])
	eventually(t, patience, "the tenant to be in sync again", func() bool {
		is, _ := d.inSync(t, token)
		return is && d.limit(t) == 60
	})

	d.paysTheDebt(t)

	d.signal(t, syscall.SIGINT)
	if code := d.await(t, patience); code != 0 {
		t.Errorf("it ends with %d:\n%s", code, d.stderr)
	}
	left, err := os.ReadDir(d.temp)
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	for line := range strings.Lines(d.stderr.String()) {
		if strings.Contains(line, `"level"`) && !strings.Contains(line, `"status":503`) { // that was asked for
			t.Errorf("it complains: %s", line)
		}
	}
}

// paysTheDebt records what the customer owes who has stopped paying, whose tenant comes back
// to the sample.
func (d *demo) paysTheDebt(t *testing.T) {
	t.Helper()
	tenant := func() (state string, bought int) {
		var tenant sampleTenant
		d.get(t, d.sample+"/tenants/harbour/galloway", &tenant)
		for _, f := range tenant.Features {
			if f.Bought {
				bought++
			}
		}
		return tenant.Subscriptions[0].State, bought
	}
	if state, bought := tenant(); state != "suspended" || bought != 0 {
		t.Errorf("who does not pay is %s and has %d features", state, bought)
	}
	token := strings.TrimSpace(paste(t, strings.Replace(d.commands[0], "standard:read standard:write", "standard:read billing:read billing:write", 1)))
	var owed struct {
		Data struct {
			Invoices []struct {
				AmountDue string
				Account   struct{ ID string }
			}
		}
	}
	answer := ask(t, d.url, token, `{ invoices(filter: "account:galloway state:due") { amountDue account { id } } }`, nil)
	if err := json.Unmarshal([]byte(answer.body), &owed); err != nil || len(owed.Data.Invoices) == 0 {
		t.Fatalf("%v: %s", err, answer.body)
	}
	for _, i := range owed.Data.Invoices {
		paid := ask(t, d.url, token, `mutation { paymentCreate(attributes: {accountId: `+i.Account.ID+`, amount: "`+i.AmountDue+`", currencyId: "EUR"}) { errors } }`, nil)
		if !strings.Contains(paid.body, `"errors":null`) {
			t.Fatalf("the payment: %s", paid.body)
		}
	}
	eventually(t, patience, "the tenant to come back", func() bool {
		state, bought := tenant()
		return state == "active" && bought > 0
	})
	eventually(t, patience, "the books to be told", func() bool {
		var told struct {
			Events []struct{ Type, Customer, About string }
		}
		d.get(t, d.sample+"/books", &told)
		// Which of the payments is enough depends on what else became overdue today.
		for n := 1; n < len(told.Events); n++ {
			if e := told.Events[n]; e.Type == "StandingChanged" && e.Customer == "Galloway Whisky Co." && told.Events[n-1].Type == "InvoicePaid" {
				return true
			}
		}
		return false
	})
}

func TestTheSampleOfTheDemoAllowsWhatWasBought(t *testing.T) {
	t.Parallel()
	d := startDemo(t)
	var all struct{ Tenants []sampleTenant }
	eventually(t, patience, "every state at the sample", func() bool {
		d.get(t, d.sample+"/tenants", &all)
		states := map[string]bool{}
		for _, tenant := range all.Tenants {
			for _, s := range tenant.Subscriptions {
				states[s.State] = true
			}
		}
		return slices.Equal(slices.Sorted(maps.Keys(states)), []string{"active", "canceled", "expired", "pending", "suspended", "trial", "trial_expired"}) && d.limit(t) == 25
	})
	for path, want := range map[string]int{
		"/tenants/harbour/nordlicht/use/sso":      http.StatusOK,        // Team has it
		"/tenants/harbour/nordlicht/use/audit":    http.StatusForbidden, // but not this
		"/tenants/harbour/maple-street/use/sso":   http.StatusForbidden, // Starter has not
		"/tenants/harbour/cafe-central/use/users": http.StatusForbidden, // canceled
		"/tenants/harbour/nobody/use/users":       http.StatusNotFound,
	} {
		if got := d.post(t, path); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
	used := 0
	for d.post(t, "/tenants/harbour/nordlicht/use/users") == http.StatusOK {
		if used++; used > 25 {
			t.Fatal("there is no limit")
		}
	}
	if used == 0 {
		t.Error("no user could be added")
	}
}

func (d *demo) post(t *testing.T, path string) int {
	t.Helper()
	response, err := http.Post(d.sample+path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestAKeptDemoIsServed(t *testing.T) {
	t.Parallel()
	needSignals(t)
	dir := filepath.Join(t.TempDir(), "kept")
	d := startDemo(t, "--keep", dir)
	d.signal(t, syscall.SIGTERM)
	if code := d.await(t, patience); code != 0 {
		t.Fatalf("it ends with %d:\n%s", code, d.stderr)
	}
	if listed := mustCommand(t, nil, "events", "list", "--data-dir", dir, "--limit", "1000"); strings.Count(listed, "\n") < 300 {
		t.Errorf("the log of a year has %d lines", strings.Count(listed, "\n"))
	}
	if s := inside(t, nil, "--data-dir", dir); s.stdout.String() != "" {
		t.Errorf("a kept demo is served as a new installation: %s", s.stdout)
	}
	again := command(t, nil, "demo", "--listen", "127.0.0.1:0", "--sample-listen", "127.0.0.1:0", "--keep", dir)
	if again.code != 2 || !strings.Contains(again.stderr, "--keep: "+dir+" is not empty") {
		t.Errorf("again exits with %d and says %q", again.code, again.stderr)
	}
}

func TestADemoOnATakenAddress(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for flag, args := range map[string][]string{
		"--listen":        {"--listen", taken.Addr().String(), "--sample-listen", "127.0.0.1:0"},
		"--sample-listen": {"--listen", "127.0.0.1:0", "--sample-listen", taken.Addr().String()},
	} {
		temp := t.TempDir()
		done := run(t, env{"TMPDIR": temp}, append([]string{"demo"}, args...)...)
		if done.code != 1 || !strings.Contains(done.stderr, "cannot listen on "+taken.Addr().String()) || !strings.Contains(done.stderr, "with "+flag) {
			t.Errorf("%v: exits with %d and says %q", args, done.code, done.stderr)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v: leaves %v, %v", args, left, err)
		}
	}
}

func TestADemoIsStoppedWhileItBegins(t *testing.T) {
	t.Parallel()
	needSignals(t)
	temp := t.TempDir()
	for _, args := range [][]string{nil, {"--keep", filepath.Join(temp, "kept")}} {
		s := start(t, env{"TMPDIR": temp}, slices.Concat([]string{"demo", "--listen", "127.0.0.1:0", "--sample-listen", "127.0.0.1:0"}, args)...)
		eventually(t, patience, "the history to be begun", func() bool { return s.stderr.has("making a year of history") })
		s.signal(t, syscall.SIGINT)
		if code := s.await(t, patience); code != 0 || s.stdout.has("try") {
			t.Errorf("%v: it ends with %d:\n%s%s", args, code, s.stdout, s.stderr)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v: it leaves %v, %v", args, left, err)
		}
	}
}
