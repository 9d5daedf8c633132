package servicetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const (
	// roleEnv makes this test binary another process; urlEnv is the database
	// it opens.
	roleEnv = "TENANTRY_TEST_ROLE"
	urlEnv  = "TENANTRY_TEST_URL"
)

// The roles of processes: to work on jobs, and to bill accounts.
const (
	worker  = "jobs"
	Biller  = "billing"
	nothing = "nothing to do"
)

// play is the life of a process that does something in small batches, and says so
// after each. It ends with its input.
func play(role string) int {
	clock := storetest.NewClock()
	s, err := store.Open(context.Background(), store.Options{URL: os.Getenv(urlEnv), Now: clock.Now})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	svc := service.New(s, box, nil)
	SetBatches(svc, 1)
	svc.Invoicing.Batch = 16
	work := svc.Jobs.Run
	if role == Biller {
		work = func(ctx context.Context) (bool, error) { return billSome(ctx, svc, clock.Now()) }
	}
	go func() {
		for {
			ran, err := work(context.Background())
			if err != nil {
				fmt.Println("error:", err)
			}
			if !ran {
				fmt.Println(nothing)
				return
			}
			fmt.Println("ran")
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// billSome bills a batch of accounts, and waits for those that others have.
func billSome(ctx context.Context, svc *service.Service, now time.Time) (bool, error) {
	for {
		looked, next, err := svc.Invoicing.RunDue(ctx, now)
		if busy := err == nil && looked == 0 && !next.IsZero() && next.Sub(now) < time.Second; !busy {
			return looked > 0, err
		}
	}
}

// RunUntilKilled starts a process that works on jobs and kills it when it has done
// that many batches, in the middle of whatever it does then.
func RunUntilKilled(t *testing.T, url string, batches int) {
	t.Helper()
	p := Start(t, worker, url)
	defer p.Kill()
	p.Await(batches)
}

// Process is a process of its own on a database.
type Process struct {
	t     *testing.T
	cmd   *exec.Cmd
	input io.Closer
	lines *bufio.Reader
}

// Start starts a process. It must be killed.
func Start(t *testing.T, role, url string) *Process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), roleEnv+"="+role, urlEnv+"="+url)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &Process{t, cmd, input, bufio.NewReader(output)}
}

// Await returns when the process has done that many batches.
func (p *Process) Await(batches int) {
	p.t.Helper()
	for range batches {
		if line := p.line(); line != "ran" {
			p.t.Fatalf("the other process says %q", line)
		}
	}
}

// AwaitAll returns how many batches the process did when there is nothing left to
// do.
func (p *Process) AwaitAll() (batches int) {
	for {
		switch line := p.line(); line {
		case "ran":
			batches++
		case nothing:
			return batches
		default:
			p.t.Errorf("the other process says %q", line)
			return batches
		}
	}
}

func (p *Process) line() string {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}

// Kill ends the process at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed: the error is no news
	_ = p.input.Close()
}

// Main runs the tests of a package. It also plays the process that some tests
// kill: the test binary starts itself with a role in its environment.
func Main(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	storetest.Main(m)
}
