package manual_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goApplication builds a program outside of the repository as docs/client-go.md
// says, without a network and with this version of Go, and returns its path.
func goApplication(t *testing.T, dir, source string) string {
	t.Helper()
	library, err := filepath.Abs("../../client")
	if err != nil {
		t.Fatal(err)
	}
	written(t, dir, "main.go", source)
	commands := []string{"go mod init example.com/app"}
	for _, b := range blocksOf(t, "client-go") {
		if b.language == "sh" && strings.Contains(b.text, "-replace") {
			_, afterClone, _ := strings.Cut(b.text, "\n")
			commands = append(commands, strings.Split(strings.TrimSpace(afterClone), "\n")...)
		}
	}
	for _, command := range append(commands, "go build -o application .") {
		words := strings.Fields(strings.Replace(command, "../tenantry/client", library, 1))
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, text)
		}
	}
	if sums, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil && len(sums) > 0 {
		t.Errorf("the application depends on more than the library:\n%s", sums)
	}
	return filepath.Join(dir, "application")
}

// TestFirstCalls runs the first example of each library's page, as an
// application of its own, against one server that knows the customers of the
// README and the quick start: whoever reads on has them, too.
func TestFirstCalls(t *testing.T) {
	t.Parallel()
	shop := openShop(t)
	for _, customer := range []string{"globex", "acme"} {
		shop.api(t, `mutation ($code: String) { accountCreate(attributes: {name: "As in an earlier page", code: $code}) { account { id } errors } }`, map[string]any{"code": customer})
	}
	for _, page := range []struct {
		name  string
		start func(t *testing.T, dir, source string) *exec.Cmd
		says  string
	}{
		{"client-go", func(t *testing.T, dir, source string) *exec.Cmd {
			return exec.Command(goApplication(t, dir, source))
		}, "subscription 1 is ACTIVE\ntenant initech\n"},
		{"client-typescript", func(t *testing.T, dir, source string) *exec.Cmd {
			needed(t, "npm")
			packed(t, dir)
			return exec.Command(needed(t, "node"), written(t, dir, "first.mjs", source))
		}, "subscription 2 is ACTIVE\ntenant initech\ntenant hooli\n"},
	} {
		t.Run(page.name, func(t *testing.T) {
			blocks := blocksOf(t, page.name)
			first := blocks[slices.IndexFunc(blocks, func(b block) bool { return b.language == "go" || b.language == "ts" })]
			cmd := page.start(t, t.TempDir(), strings.Replace(first.text, "http://127.0.0.1:8080", shop.url, 1))
			cmd.Env = append(os.Environ(), "CLIENT_ID="+shopID, "CLIENT_SECRET="+shopSecret)
			output, err := cmd.CombinedOutput()
			if err != nil || string(output) != page.says {
				t.Fatalf("%v\n%s", err, output)
			}
			number, _, _ := strings.Cut(strings.TrimPrefix(page.says, "subscription "), " ")
			sold := string(shop.api(t, `query ($id: ID!) { subscription(id: $id) { charges { quantity } } }`, map[string]any{"id": number}))
			if !strings.Contains(sold, "25") {
				t.Errorf("what was sold is %s", sold)
			}
		})
	}
}
