package app_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func packagingFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settings are the variables that the program knows.
func settings(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{"TENANTRY_SECRET_KEY": true} // it is no flag, so that nobody sees it in a list of processes
	for _, name := range regexp.MustCompile(`\[(TENANTRY_[A-Z_]+)\]`).FindAllStringSubmatch(mustCommand(t, nil, "serve", "--help"), -1) {
		known[name[1]] = true
	}
	return known
}

// TestPackagingNamesWhatThereIs holds the files for containers and services to
// the program: every variable is one, and so is every command.
func TestPackagingNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	known := settings(t)
	help := mustCommand(t, nil, "help")
	for _, name := range []string{"Dockerfile", "compose.yaml", "packaging/tenantry.service", "packaging/tenantry.env", "docs/install.md"} {
		text := packagingFile(t, name)
		found := regexp.MustCompile(`TENANTRY_[A-Z_]+`).FindAllString(text, -1)
		if len(found) == 0 {
			t.Errorf("%s sets nothing", name)
		}
		for _, variable := range found {
			if !known[variable] {
				t.Errorf("%s names %s, which the program does not know", name, variable)
			}
		}
	}
	for name, pattern := range map[string]string{
		"Dockerfile":                 `(?m)^CMD \["(\w+)"\]|CMD \["/usr/local/bin/tenantry", "(\w+)"\]`,
		"packaging/tenantry.service": `ExecStart=/usr/local/bin/tenantry (\w+)`,
		"docs/install.md":            `(?m)^(?:sudo |docker compose exec tenantry-1 /usr/local/bin/)?tenantry (\w+)`,
	} {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(packagingFile(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s runs nothing", name)
		}
		for _, match := range found {
			command := strings.Join(match[1:], "")
			if !regexp.MustCompile(`(?m)^  ` + command + ` `).MatchString(help) {
				t.Errorf("%s runs %q, which is no command", name, command)
			}
		}
	}
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := packagingFile(t, "Dockerfile")
	for _, match := range regexp.MustCompile(`(?m)^COPY (?:--\S+ )*(.+)$`).FindAllStringSubmatch(text, -1) {
		paths := strings.Fields(match[1])
		if strings.HasPrefix(paths[0], "/out/") {
			continue // from the first stage
		}
		for _, path := range paths[:len(paths)-1] {
			if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
				t.Errorf("the Dockerfile copies %s: %v", path, err)
			}
			if !strings.Contains(packagingFile(t, ".dockerignore"), "\n!"+path+"\n") {
				t.Errorf(".dockerignore leaves out %s, which the Dockerfile copies", path)
			}
		}
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "./cmd/tenantry")
	list.Dir = "../.."
	packages, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^github.com/tenantry/tenantry/([^/\n]+)`).FindAllStringSubmatch(string(packages), -1) {
		if !strings.Contains(text, "\nCOPY "+match[1]+" ") {
			t.Fatalf("the Dockerfile does not copy %s, which the program is made of", match[1])
		}
	}
	listen := regexp.MustCompile(`TENANTRY_LISTEN=(\S+)`).FindStringSubmatch(text)
	exposed := regexp.MustCompile(`(?m)^EXPOSE (\d+)$`).FindStringSubmatch(text)
	if listen == nil || exposed == nil {
		t.Fatal("the Dockerfile does not say where the server listens")
	}
	host, port, err := net.SplitHostPort(listen[1])
	if err != nil || host != "0.0.0.0" || port != exposed[1] {
		t.Errorf("the server listens on %s, and %s is exposed", listen[1], exposed[1])
	}
	for _, want := range []string{"distroless/static", "USER 65532", "HEALTHCHECK", `VOLUME ["/data"]`, "TENANTRY_DATA_DIR=/data", "CGO_ENABLED=0"} {
		if !strings.Contains(text, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(packagingFile(t, "go.mod"))
	if !strings.Contains(text, "golang:"+module[1]+"-") {
		t.Errorf("the Dockerfile does not build with Go %s, as go.mod says", module[1])
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	text, proxy := packagingFile(t, "compose.yaml"), packagingFile(t, "packaging/haproxy.cfg")
	port := regexp.MustCompile(`(?m)^EXPOSE (\d+)$`).FindStringSubmatch(packagingFile(t, "Dockerfile"))[1]
	replicas := regexp.MustCompile(`(?m)^  (tenantry-\d): \*tenantry$`).FindAllStringSubmatch(text, -1)
	if len(replicas) != 2 {
		t.Fatalf("there are %d replicas", len(replicas))
	}
	for _, replica := range replicas {
		if !strings.Contains(proxy, "server "+replica[1]+" "+replica[1]+":"+port+" check") {
			t.Errorf("the proxy does not know %s on port %s", replica[1], port)
		}
	}
	published := regexp.MustCompile(`"127\.0\.0\.1:(\d+):(\d+)"`).FindStringSubmatch(text)
	if published == nil || !strings.Contains(proxy, "bind :"+published[2]+"\n") || !strings.Contains(text, "http://127.0.0.1:"+published[1]+"}") {
		t.Errorf("the ports of the proxy do not agree: %q", published)
	}
	if !strings.Contains(proxy, "GET /readyz") {
		t.Error("the proxy does not ask whether a replica is ready")
	}
	for _, path := range regexp.MustCompile(`(?m)^      - (\./\S+?):`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("../..", path[1])); err != nil {
			t.Errorf("compose.yaml mounts %s: %v", path[1], err)
		}
	}
	for _, want := range []string{"${TENANTRY_SECRET_KEY:?", "restart: unless-stopped", "condition: service_healthy", "stop_grace_period: 30s"} {
		if !strings.Contains(text, want) {
			t.Errorf("compose.yaml has no %s", want)
		}
	}
	if strings.Contains(text, "\t") {
		t.Error("compose.yaml has tabs, which YAML does not allow")
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	text := packagingFile(t, "packaging/tenantry.service")
	for _, want := range []string{
		"DynamicUser=yes", "StateDirectory=tenantry", "ProtectSystem=strict", "NoNewPrivileges=yes", "Restart=on-failure", "TimeoutStopSec=30",
		"TENANTRY_DATA_DIR=/var/lib/tenantry", "EnvironmentFile=-/etc/tenantry/tenantry.env",
	} {
		if !strings.Contains(text, "\n"+want+"\n") && !strings.Contains(text, "Environment="+want+"\n") {
			t.Errorf("the unit has no %s", want)
		}
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("there is no systemd-analyze to verify the unit with")
		return
	}
	unit := filepath.Join(t.TempDir(), "tenantry.service")
	// The program is where it is built, and not where it will be installed.
	text = strings.Replace(text, "ExecStart=/usr/local/bin/tenantry", "ExecStart="+binary(t), 1)
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), verify, "verify", unit).CombinedOutput()
	if strings.Contains(string(said), "tenantry.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, said)
	}
}
