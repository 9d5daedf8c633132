package app_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// makeCommand prepares a make of this checkout. What it builds is beside the
// test binary, and built once: after that it is up to date.
func makeCommand(ctx context.Context, t *testing.T, e env, args ...string) *exec.Cmd {
	t.Helper()
	needPrograms(t, "make", "git")
	bin, err := makeBuild()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "make", append([]string{"-C", "../..", "BIN=" + bin}, args...)...)
	cmd.Env = os.Environ()
	for name, value := range e {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

var makeBuild = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(filepath.Dir(self), "made", "tenantry")
	if text, err := exec.Command("make", "-C", "../..", "BIN="+bin, "build").CombinedOutput(); err != nil {
		return "", fmt.Errorf("make build: %w\n%s", err, text)
	}
	return bin, nil
})

// TestCtrlCIsQuiet runs the targets as from a terminal, where Ctrl-C reaches
// make and all that it has started.
func TestCtrlCIsQuiet(t *testing.T) {
	t.Parallel()
	for target, ready := range map[string]string{"run": "listening on ", "demo": "three things to try"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			said := &output{}
			cmd := makeCommand(ctx, t, known.with(env{
				"TENANTRY_LISTEN": "127.0.0.1:0", "TENANTRY_SAMPLE_LISTEN": "127.0.0.1:0", "TENANTRY_DATA_DIR": t.TempDir(),
			}), target)
			cmd.Stdout, cmd.Stderr = said, said
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, 2*patience, "make "+target+" says that it is ready", func() bool {
				return strings.Contains(strings.ToLower(said.String()), ready)
			})
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // make ends itself by the signal too
			if ctx.Err() != nil {
				t.Fatalf("it did not end:\n%s", said)
			}
			for _, noise := range []string{"***", "Error", "signal:", "level=ERROR", "canceled"} {
				if said.has(noise) {
					t.Errorf("%q in\n%s", noise, said)
				}
			}
		})
	}
}

func TestMakeInstallPutsTheProgramOnThePath(t *testing.T) {
	t.Parallel()
	home, prefix := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		env  env
		args []string
		dir  string
		hint bool
	}{
		{env{"GOBIN": filepath.Join(home, "gobin")}, nil, filepath.Join(home, "gobin"), true},
		{env{"GOBIN": filepath.Join(home, "there"), "PATH": filepath.Join(home, "there") + ":" + os.Getenv("PATH")}, nil, filepath.Join(home, "there"), false},
		{nil, []string{"PREFIX=" + prefix}, filepath.Join(prefix, "bin"), true},
	} {
		cmd := makeCommand(t.Context(), t, c.env, append(c.args, "install")...)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !strings.Contains(string(text), "installed "+c.dir+"/tenantry\n") {
			t.Errorf("it does not say where it is:\n%s", text)
		}
		if strings.Contains(string(text), "is not on your PATH") != c.hint {
			t.Errorf("with %s on the PATH or not, it says\n%s", c.dir, text)
		}
		version, err := exec.CommandContext(t.Context(), filepath.Join(c.dir, "tenantry"), "version").Output()
		if err != nil || !strings.HasPrefix(string(version), "tenantry ") {
			t.Errorf("what was installed prints %q, %v", version, err)
		}
	}
}

// TestMakeTargetsShareWhatIsCompiled looks for flags that make Go compile every
// package again. Those of the linker do not.
func TestMakeTargetsShareWhatIsCompiled(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"demo", "run", "build", "install"} {
		text, err := makeCommand(t.Context(), t, nil, "--dry-run", target).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		builds := 0
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 1 && words[0] == "go" && words[1] != "env" {
				builds++
				if words[1] != "build" || words[2] != "-ldflags" || words[5] != "-o" {
					t.Errorf("make %s has flags of its own: %s", target, line)
				}
			}
		}
		if builds != 1 {
			t.Errorf("make %s compiles %d times:\n%s", target, builds, text)
		}
	}
}
