package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestEndpointIsTried sends a test to a receiver that listens: the answer is
// shown at once and is in the log.
func TestEndpointIsTried(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		bodies := make(chan string, 1)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			bodies <- string(body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "thanks")
		}))
		t.Cleanup(receiver.Close)
		s.do(t, fmt.Sprintf(`mutation { platformCreate(attributes: {code: "p", name: "P", webhookUrl: %q}) { platform { id } } }`, receiver.URL))
		tried := s.do(t, `mutation { platformWebhookTest(id: 1) { platform { code } attempt { number outcome url status responseBody } errors } }`)
		want := fmt.Sprintf(`{"attempt":{"number":1,"outcome":"delivered","responseBody":"thanks","status":202,"url":%q},"errors":null,"platform":{"code":"p"}}`, receiver.URL)
		if have := tried.at("platformWebhookTest").text(); have != want {
			t.Errorf("the test answers %s, want %s", have, want)
		}
		if body := <-bodies; !strings.Contains(body, `"code":"provisioning-test"`) {
			t.Errorf("it sent %s", body)
		}
		logged := s.do(t, `{ webhookEvents(filter: "platform:p state:delivered") { type state tenant { id } reason responseCode responseBody difference attempts { number } } }`)
		const entry = `[{"attempts":[{"number":1}],"difference":null,"reason":"webhook.test","responseBody":"thanks","responseCode":202,"state":"DELIVERED","tenant":null,"type":"TenantProvisioningChange"}]`
		if have := logged.at("webhookEvents").text(); have != entry {
			t.Errorf("the log has %s, want %s", have, entry)
		}
	})
}
