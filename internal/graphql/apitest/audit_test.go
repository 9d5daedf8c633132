package apitest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

var actionInAnswer = regexp.MustCompile(`"action": "(\w+)"`)

// auditedElsewhere are mutations that need an endpoint which answers or fails, or change nothing:
// package service looks at their entries.
var auditedElsewhere = map[string]bool{"platformEndpointResume": true, "eventEndpointResume": true, "platformWebhookTest": true, "webhookEventResend": true, "paymentMethodSetup": true, "paymentCollectionSettle": true, "paymentRefund": true, "emailSend": true}

// TestEveryMutationIsAudited fails when a mutation is added and no scenario says
// what it writes into the audit log.
func TestEveryMutationIsAudited(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for _, script := range readScripts(t) {
		for _, found := range actionInAnswer.FindAllStringSubmatch(script.text(), -1) {
			written[found[1]] = true
		}
	}
	for _, field := range served(t)[ast.Mutation] {
		if !written[field.Name] && !auditedElsewhere[field.Name] {
			t.Errorf("no scenario has the audit entry of %s", field.Name)
		}
	}
}

// TestAuditHoldsNoSecret: nor does the log of the server.
func TestAuditHoldsNoSecret(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		secrets := []string{"bearer-of-the-platform", "key-of-the-signature", firstSecret}
		made := s.do(t, `mutation {
			platformCreate(attributes: {code: "p", name: "P", webhookAuthToken: "bearer-of-the-platform", plainSignatureHeader: "X-S", plainSignatureKey: "key-of-the-signature"}) { platform { webhookSigningSecret } }
			apiClientCreate(attributes: {name: "R", scopes: ["standard:read"]}) { apiClient { id clientSecret } }
			apiClientSecretRenew(id: 2, overlapHours: 1) { clientSecret }
			apiClientDelete(id: 2) { errors }
			platformUpdate(id: 1, attributes: {webhookAuthToken: "bearer-of-the-platform", name: "Q"}) { errors }
			platformDelete(id: 1) { errors }
		}`)
		for _, path := range []string{"platformCreate.platform.webhookSigningSecret", "apiClientCreate.apiClient.clientSecret", "apiClientSecretRenew.clientSecret"} {
			secret := made.at(path).text()
			if secret == "" {
				t.Fatalf("there is no %s in %s", path, made.text())
			}
			secrets = append(secrets, secret, strings.TrimPrefix(secret, "whsec_"))
		}
		token, err := s.token(first)
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, token)
		for name, text := range map[string]string{
			"the audit log":  s.do(t, `{ auditEntries(limit: 1000) { id at actor action subjectType subjectId detail } }`).text(),
			"the server log": s.log.String(),
		} {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s holds %q:\n%s", name, secret, text)
				}
			}
		}
	})
}

// TestAuditOfRetries: what is done once is written down once.
func TestAuditOfRetries(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		for range 3 {
			s.done(t, s.send(t, keyed("k", `mutation { a: accountCreate(attributes: {name: "A", billingContact: {firstName: "B"}}) { account { id } } d: accountDelete(id: 1) { account { id } } }`, "")))
		}
		var actions []string
		for _, entry := range s.do(t, `{ auditEntries(filter: "actor:\"client apitest\"") { action } }`).at("auditEntries").list() {
			actions = append(actions, entry.at("action").text())
		}
		if got := strings.Join(actions, " "); got != "contactCreate accountCreate contactDelete accountDelete" {
			t.Errorf("the entries are %s", got)
		}
	})
}
