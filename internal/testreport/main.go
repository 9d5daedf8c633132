// Command testreport runs go test with the given arguments and ends with the
// tests that were skipped and why, which go test itself keeps to itself. It
// owns no test: what passes and fails is go test's decision.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run returns the exit code of go test, or 1 if a test that needs PostgreSQL
// was skipped although TENANTRY_TEST_REQUIRE_POSTGRES is 1.
func run(args []string) (int, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	r := newReport(os.Stdout)
	readErr := r.read(events)
	err = cmd.Wait()
	if readErr != nil {
		return 1, readErr
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 1, err
	}
	r.summarize()
	code := cmd.ProcessState.ExitCode()
	if os.Getenv("TENANTRY_TEST_REQUIRE_POSTGRES") == "1" && r.skippedFor("PostgreSQL") {
		return max(code, 1), errors.New("tests that need PostgreSQL were skipped, and TENANTRY_TEST_REQUIRE_POSTGRES=1 requires them")
	}
	return code, nil
}
