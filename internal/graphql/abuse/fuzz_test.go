package abuse

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// FuzzDocument: any document within the limits is answered within the bounds
// that the known ones are held to.
func FuzzDocument(f *testing.F) {
	box, err := secret.NewBox(strings.Repeat("k", secret.MinKey))
	if err != nil {
		f.Fatal(err)
	}
	handler := graphql.NewHandler(service.New(storetest.New(f, "sqlite").Open(f), box, nil), graphql.MaxAnswer, slog.New(slog.DiscardHandler))
	ask := func(t testing.TB, document string) {
		body, err := json.Marshal(map[string]string{"query": document})
		if err != nil {
			t.Fatal(err)
		}
		caller := oauth.Principal{ClientID: clientID, Name: "Fuzz", Scopes: billing.Scopes}
		r := httptest.NewRequestWithContext(oauth.WithPrincipal(t.Context(), caller), http.MethodPost, "/graphql", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	base := harmlessUsage(f, func() { ask(f, harmless) })
	for _, document := range hostile {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document string) {
		atMost(t, base, documentCPU, documentMemory, func() { ask(t, document) })
	})
}
