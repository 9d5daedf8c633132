package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

const (
	// roleEnv makes this test binary play another process; urlEnv is the
	// database it opens.
	roleEnv = "TENANTRY_TEST_ROLE"
	urlEnv  = "TENANTRY_TEST_URL"
)

// play is the life of such a process. It opens the database and says so:
//
//	open    and closes it again at the end of its input
//	serve   the same, as a server, which is there alone
//	write   and adds accounts, printing the id of each that was answered
//
// The end of its input is also the end of the tests, however they end.
func play(role string) int {
	s, err := store.Open(context.Background(), store.Options{
		URL: os.Getenv(urlEnv), Now: storetest.NewClock().Now, Exclusive: role == "serve",
	})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("open")
	if role == "write" {
		for range 4 {
			go func() {
				for {
					id, err := addAccount(s)
					if err != nil {
						fmt.Println("error:", err)
						os.Exit(1)
					}
					fmt.Println(id) // one write for a whole line
				}
			}()
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// actor is a process that plays a role.
type actor struct {
	t      *testing.T
	cmd    *exec.Cmd
	input  io.Closer
	output *bufio.Reader
}

func start(t *testing.T, role, url string) *actor {
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
	a := &actor{t, cmd, input, bufio.NewReader(output)}
	t.Cleanup(func() { a.kill() })
	return a
}

// line returns the next whole line of what the process says, "" at its end. A
// last line without an end was cut off, and is none.
func (a *actor) line() string {
	line, err := a.output.ReadString('\n')
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(line, "\n")
}

// expect fails the test unless the process says that next.
func (a *actor) expect(want string) {
	a.t.Helper()
	if line := a.line(); line != want {
		a.t.Fatalf("the other process says %q, want %q", line, want)
	}
}

// finish ends the input of the process and waits for it to end well.
func (a *actor) finish() {
	a.t.Helper()
	a.input.Close()
	if err := a.cmd.Wait(); err != nil {
		a.t.Errorf("the other process: %v", err)
	}
}

// kill ends the process in the middle of what it does (SIGKILL). What it said
// before can still be read.
func (a *actor) kill() { _ = a.cmd.Process.Kill() } // it may have ended already
