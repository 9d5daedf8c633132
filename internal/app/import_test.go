package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tenantry/tenantry/internal/app"
)

const exampleFile = "../../docs/example.jsonl"

// newData makes an empty database and returns the flags that name it.
func newData(t *testing.T) []string {
	t.Helper()
	flags := []string{"--data-dir", filepath.Join(t.TempDir(), "data")}
	mustCommand(t, nil, append([]string{"migrate"}, flags...)...)
	return flags
}

func with(flags []string, args ...string) []string {
	return append(append([]string{}, args...), flags...)
}

func TestImportAndExport(t *testing.T) {
	t.Parallel()
	data := newData(t)
	if said := mustCommand(t, nil, with(data, "import", "--check", exampleFile)...); !strings.Contains(said, "2 to create") || !strings.Contains(said, "nothing was written") {
		t.Errorf("a check prints %q", said)
	}
	if said := mustCommand(t, nil, with(data, "export")...); said != "" {
		t.Errorf("after a check there is %q", said)
	}
	done := command(t, nil, with(data, "import", exampleFile)...)
	if done.code != 0 || !strings.Contains(done.stdout, "subscription         2 created        0 changed        0 as they were") || !strings.Contains(done.stderr, "19 lines in ") {
		t.Errorf("an import exits with %d, prints %q and says %q", done.code, done.stdout, done.stderr)
	}
	file := filepath.Join(t.TempDir(), "all.jsonl")
	done = command(t, nil, with(data, "export", file)...)
	if done.code != 0 || !strings.Contains(done.stderr, "wrote 19 lines; secrets") {
		t.Errorf("an export exits with %d and says %q", done.code, done.stderr)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if said := mustCommand(t, nil, with(data, "export")...); said != string(written) {
		t.Errorf("standard output has %q, the file %q", said, written)
	}
	if bytes.Contains(written, []byte("whsec_")) || bytes.Contains(written, []byte("ealed")) {
		t.Error("an export has secrets")
	}
	other := newData(t)
	var stdout, stderr output
	code := app.Run(t.Context(), app.Process{Args: with(other, "import", "-"), Env: env(nil).lookup, Stdin: bytes.NewReader(written), Stdout: &stdout, Stderr: &stderr})
	if code != 0 {
		t.Fatalf("an import of standard input exits with %d: %s", code, stderr.String())
	}
	if said := mustCommand(t, nil, with(other, "export")...); said != string(written) {
		t.Errorf("there and back it is %q", said)
	}
}

func TestImportOfAnInvalidFile(t *testing.T) {
	t.Parallel()
	data := newData(t)
	file := filepath.Join(t.TempDir(), "bad.jsonl")
	lines := `{"type":"account","code":"a","name":"A"}` + "\n" + strings.Repeat("{\"type\":\"account\"}\n", 60)
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	done := command(t, nil, with(data, "import", file)...)
	if done.code != 1 || !strings.Contains(done.stderr, file+":2: code: Give code") || !strings.Contains(done.stderr, "the file has 60 errors; nothing was written") ||
		!strings.Contains(done.stderr, "and 10 more") || strings.Count(done.stderr, file+":") != 50 {
		t.Errorf("exits with %d and says %s", done.code, done.stderr)
	}
	if said := mustCommand(t, nil, with(data, "export")...); said != "" {
		t.Errorf("it wrote %q", said)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"import"}, 2, "takes FILE"},
		{[]string{"import", "--webhooks", "maybe", exampleFile}, 2, "--webhooks must be on or off"},
		{[]string{"import", "--max-errors", "0", exampleFile}, 2, "--max-errors must be from 1 to 1000"},
		{[]string{"import", "none.jsonl"}, 1, "cannot read the file"},
		{[]string{"import", "."}, 1, "is a directory"},
		{[]string{"export", filepath.Join("no", "where")}, 1, "cannot write the file"},
	} {
		if done := command(t, nil, with(data, c.args...)...); done.code != c.code || !strings.Contains(done.stderr, c.want) {
			t.Errorf("%q exits with %d and says %q, want %d and %q", c.args, done.code, done.stderr, c.code, c.want)
		}
	}
}

// crowd is a file of so many customers.
func crowd(t *testing.T, n int) string {
	t.Helper()
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBuffer(text)
	for i := range n {
		fmt.Fprintf(out, `{"type":"account","code":"A-%d","name":"Company %d","billingDay":%d}`+"\n", i, i, 1+i%28)
		fmt.Fprintf(out, `{"type":"tenant","platform":"cloud","code":"t-%d","account":"A-%d"}`+"\n", i, i)
		fmt.Fprintf(out, `{"type":"subscription","code":"S-%d","account":"A-%d","tenant":"t-%d","priceList":"pro-monthly","startDate":"2025-01-%02d"}`+"\n", i, i, i, 1+i%28)
	}
	file := filepath.Join(t.TempDir(), "crowd.jsonl")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestImportSurvivesAKill kills imports beside a server that goes on working,
// and runs them again.
func TestImportSurvivesAKill(t *testing.T) {
	t.Parallel()
	needSignals(t)
	file := crowd(t, 3000)
	data := newData(t)
	mustCommand(t, nil, with(data, "import", file)...)
	want := mustCommand(t, nil, with(data, "export")...)
	onEachEngine(t, func(t *testing.T, e env) {
		s := child(t, known.with(e))
		token := s.firstToken(t)
		db := openDB(t, e)
		for round, enough := range []int{1, 1000, 2500} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			importing := childCommand(ctx, t, e, "import", file)
			var stderr output
			importing.Stderr = &stderr
			if err := importing.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, patience, "something is imported", func() bool {
				var n int
				err := db.QueryRow("SELECT count(*) FROM account WHERE code LIKE 'A-%'").Scan(&n)
				return err == nil && n >= enough
			})
			mustCreateAccount(t, s.url, token, fmt.Sprint("beside-", round))
			_ = importing.Process.Signal(syscall.SIGKILL) // it may be done
			_ = importing.Wait()
		}
		if done := run(t, e, "import", file); done.code != 0 {
			t.Fatalf("the last import exits with %d: %s", done.code, done.stderr)
		}
		done := run(t, e, "export")
		if done.code != 0 {
			t.Fatalf("the export exits with %d: %s", done.code, done.stderr)
		}
		var have strings.Builder
		for line := range strings.Lines(done.stdout) {
			if !strings.Contains(line, "beside-") {
				have.WriteString(line)
			}
		}
		if have.String() != want {
			t.Errorf("what was killed and run again is not what an import in one go makes: %d bytes, want %d", have.Len(), len(want))
		}
	})
}

// TestWhatWasImportedIsServed finds an imported subscription by its code.
func TestWhatWasImportedIsServed(t *testing.T) {
	t.Parallel()
	data := newData(t)
	mustCommand(t, nil, with(data, "import", exampleFile)...)
	s := inside(t, known, data...)
	found := ask(t, s.url, s.firstToken(t), `{ subscriptions(filter: "code:SUB-1001") { code state tenant { code provisioning { inSync } } } }`, nil)
	if got := fmt.Sprint(found.value(t, "data", "subscriptions")); got != "[map[code:SUB-1001 state:ACTIVE tenant:map[code:acme-prod provisioning:map[inSync:true]]]]" {
		t.Errorf("the API has %s", got)
	}
}
