package abuse

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// harmless is a document as long as a document may be, with nothing wrong.
var harmless = "{" + repeat(2_000, " a%d: currentClient { name }") + " }"

// How many times what the harmless document takes any other document may take
// until it is answered.
const (
	documentCPU    = 40
	documentMemory = 40
)

// TestDocuments: no document takes much more to be answered than a harmless
// one of the largest size, whichever rule of validation it is aimed at.
func TestDocuments(t *testing.T) {
	s := start(t)
	base := harmlessUsage(t, func() {
		if a := s.ask(t, harmless, nil); len(a.codes(t)) > 0 {
			t.Fatalf("the harmless document was refused: %s", a.start())
		}
	})
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		t.Run(name, func(t *testing.T) {
			var a answer
			atMost(t, base, documentCPU, documentMemory, func() { a = s.ask(t, hostile[name], nil) })
			if a.status != http.StatusOK {
				t.Errorf("status %d: %s", a.status, a.start())
			}
			if codes := a.codes(t); slices.Contains(codes, "INTERNAL") || len(codes) > 60 {
				t.Errorf("%d errors: %s", len(codes), a.start())
			}
			if strings.Contains(string(a.body), "15000 tokens") {
				t.Error("the document is too long to show anything")
			}
		})
	}
}
