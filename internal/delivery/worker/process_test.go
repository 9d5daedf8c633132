package worker_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/lifecycle"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// roleEnv makes this test binary another process.
	roleEnv = "TENANTRY_TEST_ROLE"

	// roleServer sends webhooks and works on jobs, roleDriver makes changes
	// besides.
	roleServer = "server"
	roleDriver = "driver"
	// roleChanges changes the quantity of one subscription again and again.
	roleChanges = "changes"
)

// setting is what a process is told by its environment.
type setting struct {
	url   string
	name  string
	clock shared
	slack time.Duration
	seed  uint64
	pace  time.Duration
	// alone has the process open the database as the only server.
	alone bool
	// grace is how soon it takes over from others.
	grace time.Duration
	// skew is how far the machine's clock is off, in a process that goes by the
	// database's.
	skew     time.Duration
	database bool
	// patient gives requests as long as they may take in real time.
	patient bool
}

const settingEnv = "TENANTRY_TEST_SETTING"

func (s setting) environment(role string) []string {
	text := fmt.Sprintf("%s\n%d\n%g\n%d\n%d\n%d\n%t\n%d\n%d\n%t\n%t\n%s", s.name, s.clock.begin.UnixNano(), s.clock.speed, s.slack, s.seed, s.pace,
		s.alone, s.grace, s.skew, s.database, s.patient, s.url)
	return append(os.Environ(), roleEnv+"="+role, settingEnv+"="+text)
}

func readSetting() (s setting, err error) {
	lines := strings.SplitN(os.Getenv(settingEnv), "\n", 12)
	if len(lines) != 12 {
		return s, fmt.Errorf("%s has %d lines", settingEnv, len(lines))
	}
	number := func(i int) int64 {
		n, failed := strconv.ParseInt(lines[i], 10, 64)
		if failed != nil {
			err = failed
		}
		return n
	}
	s = setting{name: lines[0], url: lines[11], slack: time.Duration(number(3)), seed: uint64(number(4)), pace: time.Duration(number(5))}
	s.alone, s.grace, s.skew, s.database = lines[6] == "true", time.Duration(number(7)), time.Duration(number(8)), lines[9] == "true"
	s.patient = lines[10] == "true"
	s.clock.begin = time.Unix(0, number(1))
	if s.clock.speed, err = strconv.ParseFloat(lines[2], 64); err != nil {
		return s, err
	}
	return s, err
}

// shared is a clock that goes fast, and the same in every process.
type shared struct {
	begin time.Time
	speed float64
}

// Now begins a little after midnight, so that no day ends in a short test.
func (c shared) Now() time.Time {
	passed := time.Since(c.begin.Round(0))
	return time.Date(2026, 1, 15, 0, 5, 0, 0, time.UTC).Add(time.Duration(float64(passed) * c.speed)).Truncate(time.Millisecond)
}

// secretKey is the same in every process.
const secretKey = "a key for tests, long enough for them"

// play is the life of another process. It ends with its input, or when it is
// told to.
func play(role string) int {
	if err := playRole(role); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

func playRole(role string) error {
	s, err := readSetting()
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	options := store.Options{URL: s.url, Now: s.clock.Now, Exclusive: s.alone}
	if s.database {
		options.Now, options.Wall = nil, func() time.Time { return time.Now().Add(s.skew) }
	}
	st, err := store.Open(stop, options)
	if err != nil {
		return err
	}
	defer st.Close()
	box, err := secret.NewBox(secretKey)
	if err != nil {
		return err
	}
	svc := service.New(st, box, nil)
	if role == roleChanges {
		return playChanges(svc)
	}
	return s.serve(stop, role, st, svc)
}

// serve is a server without its doors.
func (s setting) serve(stop context.Context, role string, st *store.Store, svc *service.Service) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	speed := s.clock.speed
	if s.patient {
		speed = 1
	}
	engine := worker.New(worker.Options{
		Store: st, Sender: send.New(target.New(true, nil), send.Options{Now: st.Now}), Secrets: svc.Delivery.RouteSecrets,
		Log: log, Now: st.Now, Speed: speed, Slack: s.slack, Leap: time.Millisecond, Grace: s.grace, UserAgent: s.name,
	})
	jobs := lifecycle.New(svc.Subscriptions, svc.Invoicing, svc.Mailing, svc.Drifts, svc.Jobs, st.Now, log)
	engine.Start()
	jobs.Start()
	quiet, beQuiet := context.WithCancel(stop)
	driven := make(chan struct{})
	go func() {
		defer close(driven)
		if role == roleDriver {
			newDriver(s, st, svc).run(quiet)
		}
	}()
	fmt.Println("ready")
	input := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() { // whatever it says
			beQuiet()
			<-driven
			fmt.Println("quiet")
		}
		close(input)
	}()
	select {
	case <-input:
	case <-stop.Done():
	}
	beQuiet()
	<-driven
	jobs.Stop()
	grace, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	engine.Stop(grace)
	return nil
}

// playChanges changes a quantity, and says which after each.
func playChanges(svc *service.Service) error {
	ctx := operation.As(context.Background(), operation.Caller{Actor: "test"})
	go func() {
		for n := 1; ; n++ {
			quantity := n%400 + 1
			_, err := svc.Subscriptions.SubscriptionQuantityUpdate(ctx, 1, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: "seats", Quantity: &quantity}}})
			if err != nil {
				fmt.Println("error:", err)
				return
			}
			fmt.Println("did", quantity)
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// process is another one of this binary.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	input io.WriteCloser
	said  chan string
	ended chan struct{}
	// For whoever hears it say so.
	ready, quiet chan struct{}

	mu     sync.Mutex
	errors bytes.Buffer
}

func (s setting) launch(t testing.TB, role string) *process {
	t.Helper()
	p := &process{t: t, said: make(chan string, 10_000), ended: make(chan struct{}), ready: make(chan struct{}), quiet: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0], "-test.run=^$")
	p.cmd.Env = s.environment(role)
	p.cmd.Stderr = p
	var err error
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			p.said <- lines.Text()
		}
		_ = p.cmd.Wait() // how it ended is in its state
	}()
	return p
}

// Write keeps what the process writes to its standard error.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.errors.Len() < 1<<20 {
		p.errors.Write(b)
	}
	return len(b), nil
}

func (p *process) complaints() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.errors.String()
}

// await waits for a line that begins with a text and returns the rest of it.
func (p *process) await(text string) string {
	p.t.Helper()
	end := time.After(2 * time.Minute)
	for {
		select {
		case line := <-p.said:
			if rest, found := strings.CutPrefix(line, text); found {
				return strings.TrimSpace(rest)
			}
			p.t.Fatalf("the other process says %q, want %q\n%s", line, text, p.complaints())
		case <-p.ended:
			if len(p.said) == 0 {
				p.t.Fatalf("the other process ended: %v\n%s", p.cmd.ProcessState, p.complaints())
			}
		case <-end:
			p.t.Fatalf("the other process says nothing, want %q\n%s", text, p.complaints())
		}
	}
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone
	<-p.ended
}

// finish ends the process in order, and fails the test if that does not work.
func (p *process) finish(how func()) {
	p.t.Helper()
	how()
	select {
	case <-p.ended:
	case <-time.After(2 * time.Minute):
		p.t.Fatalf("the other process does not end\n%s", p.complaints())
	}
	if !p.cmd.ProcessState.Success() {
		p.t.Fatalf("the other process ended with %v\n%s", p.cmd.ProcessState, p.complaints())
	}
}

func (p *process) terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

func (p *process) endInput() { _ = p.input.Close() }
