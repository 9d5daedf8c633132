package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const sdk = "../../../sdk/typescript"

// TestTypeScriptLibrary builds the TypeScript library and runs its own tests,
// against a server of this checkout.
func TestTypeScriptLibrary(t *testing.T) {
	t.Parallel()
	folder := installSDK(t)
	binary := filepath.Join(t.TempDir(), "tenantry")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../../cmd/tenantry").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	command := exec.CommandContext(t.Context(), "npm", "test")
	command.Dir = folder
	command.Env = append(os.Environ(), "TENANTRY_BINARY="+binary, "NODE_OPTIONS=",
		"TENANTRY_TEST_DATABASE="+storetest.Postgres(t), "TENANTRY_TEST_PSQL="+findPsql(t))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if !regexp.MustCompile(`(?m)^\S pass [0-9]{2,}$`).Match(output) {
		t.Errorf("it is not seen how many tests passed:\n%s", output)
	}
	if !regexp.MustCompile(`(?m)^\S skipped 0$`).Match(output) {
		t.Errorf("some were skipped:\n%s", output)
	}
}

// findPsql finds the client of PostgreSQL, which Debian keeps beside the server
// and in PATH.
func findPsql(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if path, missing := exec.LookPath("psql"); missing == nil {
		return path
	}
	if err != nil || len(found) == 0 {
		unavailable(t, "psql is not installed")
	}
	return found[len(found)-1]
}

// installSDK returns a copy of the library outside of the checkout with the
// compiler it needs. Where that cannot be had the test is skipped, but not in
// CI.
func installSDK(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			unavailable(t, program+" is not installed")
		}
	}
	folder := t.TempDir()
	copyFiles(t, sdk, folder)
	command := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Logf("%v\n%s", err, output)
		unavailable(t, "the TypeScript compiler cannot be installed")
	}
	return folder
}

func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why + ": skipped")
}

// copyFiles copies what is written by hand or generated, not what was built.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == "dist") {
			return filepath.SkipDir
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLicenseIsTheSame: the package carries its own copy.
func TestLicenseIsTheSame(t *testing.T) {
	t.Parallel()
	ours, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(sdk, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if string(ours) != string(theirs) {
		t.Error("LICENSE and sdk/typescript/LICENSE differ")
	}
}
