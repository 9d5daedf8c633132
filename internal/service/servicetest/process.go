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

// play is the life of a process that works on jobs, in the smallest batches
// there are, and says so after each. It ends with its input.
func play(string) int {
	s, err := store.Open(context.Background(), store.Options{URL: os.Getenv(urlEnv), Now: storetest.NewClock().Now})
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
	go func() {
		for {
			ran, err := svc.Jobs.Run(context.Background())
			if err != nil {
				fmt.Println("error:", err)
			}
			if !ran {
				fmt.Println("nothing to do")
				return
			}
			fmt.Println("ran")
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// RunUntilKilled starts such a process and kills it when it has done that many batches,
// in the middle of whatever it does then.
func RunUntilKilled(t *testing.T, url string, batches int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), roleEnv+"=jobs", urlEnv+"="+url)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // it was killed: the error is no news
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewReader(output)
	for range batches {
		line, err := lines.ReadString('\n')
		if err != nil || strings.TrimSpace(line) != "ran" {
			t.Fatalf("the other process says %q (%v)", line, err)
		}
	}
}

// Main runs the tests of a package. It also plays the process that some tests
// kill: the test binary starts itself with a role in its environment.
func Main(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	storetest.Main(m)
}
