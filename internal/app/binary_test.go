package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// testVersion is what the binary under test is told to be.
const testVersion = "v9.8.7-test"

// binary returns the path of the real program. It is built once, beside the
// test binary, where go test removes it.
func binary(t testing.TB) string {
	t.Helper()
	path, err := buildBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var buildBinary = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), "tenantry-under-test")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path,
		"-ldflags", "-X github.com/tenantry/tenantry/internal/app.version="+testVersion, "../../cmd/tenantry")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return path, nil
})

// childCommand prepares the real program with only those variables of
// Tenantry.
func childCommand(ctx context.Context, t testing.TB, e env, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, binary(t), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	for name, value := range e {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// run runs the real program to its end.
func run(t testing.TB, e env, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr output
	cmd := childCommand(ctx, t, e, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
		t.Fatalf("tenantry %q: %v\n%s", args, errors.Join(err, ctx.Err()), stderr.String())
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// child starts a server as another process, and kills it when t ends if it
// still runs.
func child(t testing.TB, e env, args ...string) *server {
	t.Helper()
	s := launch(t, e, args...)
	s.awaitListening(t)
	return s
}

// launch is child without waiting for the server to listen.
func launch(t testing.TB, e env, args ...string) *server {
	t.Helper()
	return start(t, e, serveArgs(args)...)
}

// start is launch for any command that goes on until it is stopped.
func start(t testing.TB, e env, args ...string) *server {
	t.Helper()
	s := &server{stdout: &output{}, stderr: &output{}, done: make(chan struct{})}
	cmd := childCommand(context.Background(), t, e, args...)
	cmd.Stdout, cmd.Stderr = s.stdout, s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = cmd.Process.Pid
	s.end = func() { _ = cmd.Process.Signal(syscall.SIGTERM) } // it may have ended
	go func() {
		defer close(s.done)
		_ = cmd.Wait() // the exit code tells
		s.code = cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-s.done
	})
	return s
}

// signal sends a signal to a server in another process.
func (s *server) signal(t testing.TB, what syscall.Signal) {
	t.Helper()
	process, err := os.FindProcess(s.pid)
	if err == nil {
		err = process.Signal(what)
	}
	if err != nil {
		t.Fatalf("%v: %v", what, err)
	}
}

// needSignals skips where a process cannot be sent signals.
func needSignals(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals: skipped")
	}
}
