package apitest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A script is a file of testdata/scenarios: a line or more about what it
// shows, then steps. A step is
//
//	### what is done
//	a GraphQL document
//	--- variables
//	JSON
//	--- headers
//	Name: value
//	--- scopes standard:read …
//	--- client ID SECRET
//	--- clock 1h
//	--- answer 200
//	JSON
//
// of which all but the document and the answer may be left out. The clock is
// moved before the request is sent. Placeholders may stand anywhere.
type script struct {
	path, about string
	steps       []*step
}

type step struct {
	title, document, variables string
	headers                    map[string]string
	grant                      grant
	clock                      time.Duration
	status                     int
	answer                     string

	source string // all that stands before the answer
}

const scriptFolder = "testdata/scenarios"

func readScripts(t testing.TB) []*script {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(scriptFolder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios in %s: %v", scriptFolder, err)
	}
	var scripts []*script
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseScript(path, string(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		scripts = append(scripts, s)
	}
	return scripts
}

func parseScript(path, text string) (*script, error) {
	parts := strings.Split("\n"+text, "\n### ")
	s := &script{path: path, about: strings.TrimSpace(parts[0])}
	for _, part := range parts[1:] {
		one, err := parseStep(part)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", one.title, err)
		}
		s.steps = append(s.steps, one)
	}
	return s, nil
}

func parseStep(text string) (*step, error) {
	s := &step{grant: first, headers: map[string]string{}, status: 200}
	sections := strings.Split(text, "\n--- ")
	s.title, s.document, _ = strings.Cut(sections[0], "\n")
	s.source, _, _ = strings.Cut(text, "\n--- answer")
	for _, section := range sections[1:] {
		heading, content, _ := strings.Cut(section, "\n")
		name, argument, _ := strings.Cut(heading, " ")
		var err error
		switch name {
		case "variables":
			s.variables = content
		case "headers":
			for line := range strings.Lines(strings.TrimSpace(content)) {
				field, value, _ := strings.Cut(line, ":")
				s.headers[field] = strings.TrimSpace(value)
			}
		case "scopes":
			s.grant.scopes = argument
		case "client":
			s.grant.id, s.grant.secret, _ = strings.Cut(argument, " ")
		case "clock":
			s.clock, err = time.ParseDuration(argument)
		case "answer":
			s.answer = strings.TrimSpace(content)
			_, err = fmt.Sscanf(argument, "%d", &s.status)
		default:
			err = fmt.Errorf("there is no section %q", name)
		}
		if err != nil {
			return s, err
		}
	}
	if strings.TrimSpace(s.document) == "" {
		return s, fmt.Errorf("it has no document")
	}
	return s, nil
}

// request fills the placeholders in.
func (s *step) request(k known) (request, error) {
	var missing []string
	fill := func(text string) string {
		filled, unknown := k.fill(text)
		missing = append(missing, unknown...)
		return filled
	}
	r := post(fill(s.document), fill(s.variables))
	for name, value := range s.headers {
		r = r.with(name, fill(value))
	}
	r.grant = grant{fill(s.grant.id), fill(s.grant.secret), s.grant.scopes}
	if len(missing) > 0 {
		return r, fmt.Errorf("nothing before it says what %s is", strings.Join(missing, ", "))
	}
	return r, nil
}
