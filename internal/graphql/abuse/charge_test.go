package abuse

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
)

var charged = regexp.MustCompile(`(?m)^tenantry_client_cpu_seconds_total\{client="` + clientID + `"\} (\S+)$`)

// charged is the CPU time that the client has used up so far, in seconds.
func (s *server) charged(t *testing.T) float64 {
	t.Helper()
	response, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	match := charged.FindSubmatch(text)
	if match == nil {
		t.Fatalf("no CPU time of %s in %s", clientID, text)
	}
	seconds, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

// TestProgramsAreCharged: whoever has the server run an expensive program pays for
// it, be it previewed or checked before it is saved.
func TestProgramsAreCharged(t *testing.T) {
	s := start(t)
	s.sell(t)
	for name, document := range map[string]string{
		"a preview": fmt.Sprintf(`{ workflowPreview(workflowId: 1, payloadProgram: %q) }`, expensive),
		"a check":   fmt.Sprintf(`mutation { workflowUpdate(id: 1, attributes: {recipe: {payloadProgram: %q}}) { errors } }`, expensive),
	} {
		before := s.charged(t)
		var a answer
		used := measure(t, func() { a = s.ask(t, document, nil) })
		if paid := s.charged(t) - before; paid < used.cpu.Seconds()/2 {
			t.Errorf("%s takes %v and is charged %.3f s: %s", name, used.cpu, paid, a.start())
		}
	}
}
