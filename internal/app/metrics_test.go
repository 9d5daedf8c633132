package app_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	metricComment = regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	metricSample  = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\.)*",?)*)\})? ([-+0-9.eE]+|NaN|[-+]Inf)$`)
	metricSuffix  = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// parseMetrics reads the text format of Prometheus and returns the samples of
// each metric, without the suffixes of histograms.
func parseMetrics(t testing.TB, text string) map[string][]string {
	t.Helper()
	kinds, samples := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if comment := metricComment.FindStringSubmatch(line); comment != nil {
			if comment[1] == "TYPE" {
				kinds[comment[2]] = comment[3]
			}
			continue
		}
		sample := metricSample.FindStringSubmatch(line)
		if sample == nil {
			t.Fatalf("not a line of metrics: %q", line)
		}
		name := sample[1]
		if short := metricSuffix.ReplaceAllString(name, ""); kinds[short] == "histogram" || kinds[short] == "summary" {
			name = short
		}
		if kinds[name] == "" {
			t.Errorf("%s comes before its type", name)
		}
		samples[name] = append(samples[name], line)
	}
	return samples
}

// documented finds the metrics in docs/operation.md: a name, perhaps with
// labels.
var documented = regexp.MustCompile("`(tenantry_[a-z_]+)(?:\\{([a-z,]+)\\})?`")

func TestMetricsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	s := child(t, known, "--data-dir", t.TempDir())
	token := s.firstToken(t)
	ask(t, s.url, token, `mutation { platformCreate(attributes: {code: "cloud", name: "Cloud"}) { errors } }`, nil)
	ask(t, s.url, "nonsense", "{ accounts { id } }", nil)
	get(t, s.url+"/nowhere/1")
	get(t, s.url+"/nowhere/2")
	a := get(t, s.url+"/metrics")
	if a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("answered %d as %s", a.status, a.header.Get("Content-Type"))
	}
	samples := parseMetrics(t, a.body)
	doc, err := os.ReadFile("../../docs/operation.md")
	if err != nil {
		t.Fatal(err)
	}
	found := documented.FindAllStringSubmatch(string(doc), -1)
	if len(found) < 6 {
		t.Fatalf("only %d metrics in the document", len(found))
	}
	for _, metric := range found {
		lines := samples[metric[1]]
		if len(lines) == 0 {
			t.Errorf("there is no %s", metric[1])
			continue
		}
		for label := range strings.SplitSeq(metric[2], ",") {
			if label != "" && !strings.Contains(lines[0], label+`="`) {
				t.Errorf("%s has no label %s: %s", metric[1], label, lines[0])
			}
		}
		delete(samples, metric[1])
	}
	for name := range samples {
		if strings.HasPrefix(name, "tenantry_") {
			t.Errorf("%s is not in the document", name)
		}
	}
	for _, want := range []string{
		`tenantry_http_requests_total{route="/graphql",status="200"} 1`,
		`tenantry_http_requests_total{route="/graphql",status="401"} 1`,
		`tenantry_http_requests_total{route="none",status="404"} 2`,
		`tenantry_http_request_seconds_count{route="/oauth/token"} 1`,
		`tenantry_oauth_tokens_total{outcome="issued"} 1`,
		`tenantry_oauth_verifications_total{outcome="invalid"} 1`,
		`tenantry_build_info{version="` + testVersion + `"} 1`,
		`go_goroutines `, `process_resident_memory_bytes `,
	} {
		if !strings.Contains(a.body, "\n"+want) {
			t.Errorf("%s is missing", want)
		}
	}
}

var metricsAddress = regexp.MustCompile(`(?m)^metrics on (http://\S+)/metrics$`)

func TestMetricsHaveTheirOwnAddressIfAsked(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir(), "--metrics-listen", "127.0.0.1:0")
	match := metricsAddress.FindStringSubmatch(s.stderr.String())
	if match == nil {
		t.Fatalf("it does not say where:\n%s", s.stderr)
	}
	if a := get(t, s.url+"/metrics"); a.status != 404 {
		t.Errorf("the main address answers %d", a.status)
	}
	a := get(t, match[1]+"/metrics")
	if samples := parseMetrics(t, a.body); a.status != 200 || len(samples["tenantry_http_requests_total"]) == 0 {
		t.Errorf("answered %d %s", a.status, a.body)
	}
	for _, path := range []string{"/", "/graphql", "/healthz"} {
		if a := get(t, match[1]+path); a.status != 404 {
			t.Errorf("%s on the address of metrics answers %d", path, a.status)
		}
	}
	if s.stop(t) != 0 {
		t.Errorf("exits with %d", s.code)
	}
}
