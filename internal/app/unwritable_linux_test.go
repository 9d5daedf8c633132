package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user who may not write what belongs to the one who runs tests.
const nobody = 65534

// asNobody runs the program as an ordinary user, because nothing is unwritable
// for root.
func asNobody(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	program := filepath.Join(dir, "tenantry")
	if _, err := os.Stat(program); err != nil {
		if err := os.Link(binary(t), program); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = []string{}, &stdout, &stderr
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	_ = cmd.Run() // the exit code tells
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestAnUnwritableDirectoryIsExplained(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "tenantry-unwritable-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = os.Chmod(dir, 0o755)
		_ = os.Chmod(filepath.Join(dir, "data"), 0o755)
		_ = os.Chmod(filepath.Join(dir, "closed"), 0o755)
		os.RemoveAll(dir)
	})
	data := filepath.Join(dir, "data")
	mustCommand(t, nil, "migrate", "--data-dir", data)
	closed := filepath.Join(dir, "closed")
	mustCommand(t, nil, "migrate", "--data-dir", closed)
	asNobody(t, dir, "version") // the program is there
	for path, mode := range map[string]os.FileMode{filepath.Join(data, "tenantry.db"): 0o444, data: 0o555, closed: 0, dir: 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"serve", "--listen", "127.0.0.1:0", "--data-dir", data}, []string{"cannot write to the database " + data, "give the directory " + data, "--data-dir"}},
		{[]string{"client", "list", "--data-dir", data}, []string{"cannot write to the database " + data, "permission denied", "--data-dir"}},
		{[]string{"client", "list", "--data-dir", closed}, []string{"the database cannot be looked at", "permission denied", "run this as the user that the server runs as"}},
		{[]string{"serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "new")}, []string{"cannot make the data directory", "permission denied", "--data-dir"}},
	} {
		done := asNobody(t, dir, c.args...)
		if done.code != 1 || done.stdout != "" || strings.Count(done.stderr, "\n") != 1 {
			t.Errorf("%q exits with %d, prints %q and says %q", c.args, done.code, done.stdout, done.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(done.stderr, want) {
				t.Errorf("%q says %q, want %q in it", c.args, done.stderr, want)
			}
		}
	}
}
