package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestHomeTellsOfBilling has a collection that nobody answers, and e-mail without a mail
// server.
func TestHomeTellsOfBilling(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		v := s.as(billing.Viewer)
		s.fill()
		s.emailMode(email.Send)
		s.bill()
		if text := v.get("/").text(); strings.Contains(text, "collection") || strings.Contains(text, "mail server") {
			t.Errorf("all is well, and it says %s", text)
		}
		_, id := s.unanswered(s.accounts[1].ID)
		v.wants(v.get("/"), 200, "Needs attention", "1 collection waits for an answer: the outcome is unknown", `href="/collections?state=pending"`)
		if db.Engine == "sqlite" {
			s.change(fmt.Sprintf(`UPDATE payment_collection SET next_at = NULL WHERE id = %d`, id))
			s.clock.Advance(time.Minute)
			if home := v.wants(v.get("/"), 200, "1 collection waits for a person"); strings.Contains(home.text(), "for an answer") {
				t.Error("a collection waits for both")
			}
		}

		mail := s.tell(s.accounts[0].ID)
		if text := v.get("/").text(); strings.Contains(text, "mail server") {
			t.Errorf("a mail server is set up, and it says %s", text)
		}
		s.emailMode(email.Mailbox)
		v.wants(v.get("/"), 200, "not sent: no mail server is set up.", `href="/emails?state=not_sent"`)
		v.wants(v.get("/emails?state=not_sent"), 200, "not sent no mail server is set up")
		s.emailMode(email.Send)
		e := s.as(billing.Editor)
		e.wants(e.submit(e.get(fmt.Sprintf("/emails/%d/send", mail))), 200, "The e-mail waits to be sent.")
		s.emailMode(email.Mailbox)
		v.wants(v.get("/"), 200, "e-mails wait: no mail server is set up.", `href="/emails?state=waiting"`)
		v.wants(v.get("/emails?state=waiting"), 200, "waiting no mail server is set up")
	})
}
