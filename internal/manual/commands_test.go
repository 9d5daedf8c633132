package manual_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// block is a piece of code on a page: what it is written in, the words behind
// that, and the code.
type block struct{ language, kind, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([a-z]+))?\n(.*?)^```$")

func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return blocksIn(string(text))
}

func blocksIn(text string) (all []block) {
	for _, match := range fence.FindAllStringSubmatch(text, -1) {
		all = append(all, block{match[1], match[2], match[3]})
	}
	return all
}

// elsewhere are the programs that cannot be run by a test: they change the
// machine, or need what is not on it. Blocks of them are marked "sh elsewhere".
var elsewhere = []string{"docker", "sudo", "curl", "tar", "sha256sum", "systemctl", "install", "git", "npm", "go", "cd", "make"}

// TestCommands runs every shell command of every page as it is written, page by
// page, each behind those of the quick start. A page may rely on the server,
// the token and the subscription that those leave.
//
// A block of "sh background" goes on in a terminal of its own. Of one of "sh
// interrupted" each line does so after all that runs was ended with Ctrl-C, and
// is then ended itself.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "curl", "sed", "openssl"} {
		needed(t, program)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	run := 0
	for _, file := range pages {
		page := strings.TrimSuffix(filepath.Base(file), ".md")
		if !slices.ContainsFunc(blocksOf(t, page), func(b block) bool { return b.language == "sh" }) {
			continue
		}
		run++
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, page)
			if !slices.Contains(alone, page) {
				s.add(blocksOf(t, home))
			}
			s.add(blocksOf(t, page))
			s.run()
		})
	}
	if run < 5 {
		t.Errorf("only %d pages have commands", run)
	}
}

const home = "quickstart"

// alone are the pages that do not go on where the quick start ends.
var alone = []string{home, "demo"}

// session is a terminal in which the commands of a page are typed.
type session struct {
	t       *testing.T
	page    string
	script  strings.Builder
	replace *strings.Replacer
	env     []string

	terminals int
}

func newSession(t *testing.T, page string) *session {
	t.Helper()
	ports := freePorts(t, 4)
	s := &session{t: t, page: page}
	database := "postgres://tenantry@db.example.com/tenantry"
	if slices.ContainsFunc(blocksOf(t, page), func(b block) bool { return strings.Contains(b.text, database) }) {
		database = storetest.Postgres(t)
	}
	s.replace = strings.NewReplacer(
		"127.0.0.1:8080", "127.0.0.1:"+ports[0], "0.0.0.0:8080", "127.0.0.1:"+ports[1], "127.0.0.1:8090", "127.0.0.1:"+ports[2],
		"127.0.0.1:8081", "127.0.0.1:"+ports[3], "tenantry demo", "tenantry demo --sample-listen 127.0.0.1:"+ports[3],
		"postgres://tenantry@db.example.com/tenantry", "'"+database+"'",
		"make run", "tenantry serve", "tenantry listen", "tenantry listen --at 127.0.0.1:"+ports[2],
		"CLIENT_ID=…", "CLIENT_ID=first-client", "CLIENT_SECRET=…", "CLIENT_SECRET=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
	)
	s.env = []string{
		"PATH=" + filepath.Dir(binary(t)) + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NO_COLOR=1",
		"TENANTRY_LISTEN=127.0.0.1:" + ports[0],
		"TENANTRY_CLIENT_ID=first-client", "TENANTRY_CLIENT_SECRET=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
	}
	s.script.WriteString(prelude)
	return s
}

// prelude starts what runs in terminals of its own, and ends it with the page.
const prelude = `
terminals=
trap 'for pid in $terminals; do kill $pid 2>/dev/null || true; done; wait' EXIT
trap 'exit 1' INT TERM
started() {
	until grep -q 'listening on' "$2" 2>/dev/null; do
		if ! kill -0 $1 2>/dev/null; then echo "it did not start:" >&2; cat "$2" >&2; exit 1; fi
		sleep 0.1
	done
}
`

// interrupt ends what runs.
const interrupt = "for pid in $terminals; do kill $pid; wait $pid || true; done\nterminals=\n"

func (s *session) add(blocks []block) {
	for _, b := range blocks {
		switch {
		case b.language != "sh":
		case b.kind == "":
			s.script.WriteString(s.replace.Replace(b.text))
		case b.kind == "background":
			s.start(b.text)
		case b.kind == "interrupted":
			for line := range strings.SplitSeq(strings.TrimSpace(b.text), "\n") {
				s.script.WriteString(interrupt)
				s.start(line)
				s.script.WriteString(interrupt)
			}
		case b.kind == "elsewhere":
			s.checkElsewhere(b.text)
		default:
			s.t.Errorf("%s.md: nobody knows what a block of \"sh %s\" is", s.page, b.kind)
		}
	}
}

// start runs a command in a terminal of its own and waits until it listens.
func (s *session) start(command string) {
	s.terminals++
	fmt.Fprintf(&s.script, "%s >terminal-%d.log 2>&1 &\nterminals=\"$terminals $!\"\nstarted $! terminal-%d.log\n",
		strings.TrimSpace(s.replace.Replace(command)), s.terminals, s.terminals)
}

// checkElsewhere keeps commands that a test can run from hiding.
func (s *session) checkElsewhere(text string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(words[0], "#") && !slices.Contains(elsewhere, words[0]) {
			s.t.Errorf("%s.md: a test can run %q", s.page, line)
		}
	}
}

func (s *session) run() {
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-eu")
	cmd.Dir, cmd.Env = s.t.TempDir(), s.env
	example, err := os.ReadFile("../../docs/example.jsonl")
	if err != nil {
		s.t.Fatal(err)
	}
	written(s.t, cmd.Dir, "example.jsonl", string(example))
	cmd.WaitDelay = 10 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin = strings.NewReader(s.script.String())
	output, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s\nprinted\n%s", err, s.script.String(), output)
	}
	// What the API refuses is printed, and curl ends well.
	for _, sign := range []string{`"errors":[`, `"data":null`, `"error":`} {
		if strings.Contains(string(output), sign) {
			s.t.Errorf("something was refused:\n%s", output)
		}
	}
}
