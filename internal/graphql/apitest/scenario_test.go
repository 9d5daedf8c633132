package apitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the server answers into the scenarios, to be read before it is believed")

func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, script := range readScripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(script.path), ".txt"), func(t *testing.T) {
			if *update {
				script.update(t, start(t, "sqlite"))
				return
			}
			each(t, script.run)
		})
	}
}

// run plays the steps one after another. Those after a failed one would only
// fail because of it.
func (sc *script) run(t *testing.T, s *server) {
	k := known{map[string]string{}, s.clock.Now}
	for _, step := range sc.steps {
		got := step.play(t, s, k)
		want, err := parseTree([]byte(step.answer))
		if err != nil {
			t.Fatalf("%s: the answer in %s is not JSON: %v", step.title, sc.path, err)
		}
		differences := differ("answer", want, got, k.same)
		if len(differences) > 0 {
			t.Fatalf("%s:\n%s\nthe whole answer:\n%s", step.title, strings.Join(differences, "\n"), got)
		}
	}
}

// play sends the request of a step and returns the answer, which must have the
// right status.
func (st *step) play(t *testing.T, s *server, k known) tree {
	t.Helper()
	if st.clock != 0 {
		s.advance(st.clock)
	}
	r, err := st.request(k)
	if err != nil {
		t.Fatalf("%s: %v", st.title, err)
	}
	a := s.send(t, r)
	if a.status != st.status {
		t.Fatalf("%s: status %d, want %d: %s", st.title, a.status, st.status, a.body)
	}
	got, err := parseTree(a.body)
	if err != nil {
		t.Fatalf("%s: the answer is not JSON: %v\n%s", st.title, err, a.body)
	}
	return got
}

// update writes the answers of a server into the script. Ids that are new get
// a name. Steps behind one that cannot be sent stay as they are.
func (sc *script) update(t *testing.T, s *server) {
	k := known{map[string]string{}, s.clock.Now}
	names := namer{k, map[string]string{}, map[string]int{}}
	defer func() {
		if err := os.WriteFile(sc.path, []byte(sc.text()), 0o644); err != nil {
			t.Error(err)
		}
	}()
	for _, step := range sc.steps {
		got := step.play(t, s, k)
		if want, err := parseTree([]byte(step.answer)); err != nil || len(differ("", want, got, k.same)) > 0 {
			names.name("", "", &got)
			step.answer = got.String()
		} else {
			names.learn("", "", want)
			step.answer = want.String()
		}
	}
}

func (sc *script) text() string {
	var text strings.Builder
	text.WriteString(sc.about + "\n")
	for _, step := range sc.steps {
		fmt.Fprintf(&text, "\n### %s\n", strings.TrimSpace(step.source))
		if step.answer != "" {
			fmt.Fprintf(&text, "--- answer %d\n%s\n", step.status, step.answer)
		}
	}
	return text.String()
}
