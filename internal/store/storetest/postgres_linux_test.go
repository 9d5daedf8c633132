package storetest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// orphan is the process that TestKilledTestsLeaveNothing kills: it starts a
// server, says which, and waits for its end.
func orphan() {
	server, err := newServer()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("server", server.running.cmd.Process.Pid, server.dir)
	select {}
}

func TestKilledTestsLeaveNothing(t *testing.T) {
	PostgresServer(t) // skips where PostgreSQL is not installed
	// Tests that run beside this one remove what is abandoned where they keep
	// their own clusters, and may be halfway when this one looks.
	parent, err := os.MkdirTemp(quickDir(), "tenantry-orphan-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	if err := os.Chmod(parent, 0o755); err != nil { // the user of the server comes through
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), orphanEnv+"=1", "TMPDIR="+parent)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var dir string
	lines := bufio.NewScanner(output)
	for pid == 0 && lines.Scan() {
		fmt.Sscanf(lines.Text(), "server %d %s", &pid, &dir)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait() // it was killed: the error is no news
	if pid == 0 {
		t.Fatal("the child started no server")
	}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := awaitState(ctx, pid, "ZX"); err != nil {
		t.Errorf("the server outlived its tests: %v", err)
	}
	if filepath.Dir(dir) != parent {
		t.Errorf("the server keeps its data in %s, want it in %s", dir, parent)
	}
	removeAbandoned(parent)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

func TestRemoveAbandonedKeepsWhatIsInUse(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, dirPrefix+"1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	claim, err := claimDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	removeAbandoned(parent)
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("a claimed directory was removed: %v", err)
	}
	claim.Close()
	removeAbandoned(parent)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("an abandoned directory is left: %v", err)
	}
}

func TestWhoeverSetsTMPDIRHasDecided(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if got := quickDir(); got != dir {
		t.Errorf("databases are kept in %s, want %s", got, dir)
	}
}
