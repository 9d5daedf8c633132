package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// mostNoticed is how many collections or e-mails are counted, and mostAsked is among
	// how many it is looked for those whose outcome is unknown.
	mostNoticed = 20
	mostAsked   = 1000
)

// fillCollections says how many collections wait for a person or for an answer.
func fillCollections(c *call, data *homeData) error {
	if !c.may(billing.BillingRead) {
		return nil
	}
	forPerson, err := store.CollectionsForPerson(c.ctx(), c.q(), mostNoticed+1)
	if err != nil {
		return err
	}
	link := ui.Link{Text: "Look at them", Href: collectionList.Href + "?state=pending"}
	if n := len(forPerson); n > 0 {
		text := noticed(n, "collection waits", "collections wait") + " for a person: the payment provider has not told what became of the money."
		data.Attention = append(data.Attention, notice{"bad", text, link})
	}
	unanswered, err := store.CountUnanswered(c.ctx(), c.q(), mostAsked)
	if unanswered > 0 {
		text := noticed(unanswered, "collection waits", "collections wait") + " for an answer: the outcome is unknown, and the payment provider is asked."
		data.Attention = append(data.Attention, notice{"warn", text, link})
	}
	return err
}

// fillEmail says how much e-mail is not sent because there is no mail server. Whoever is
// at the first steps has no need of one.
func fillEmail(c *call, data *homeData) error {
	if !c.may(billing.BillingRead) || data.Steps != nil {
		return nil
	}
	mode, err := store.EmailMode(c.ctx(), c.q())
	if err != nil || mode == email.Send {
		return err
	}
	for _, s := range []email.State{email.Waiting, email.NotSent} {
		rows, _, err := few(c, store.Emails, mostNoticed+1, []billing.Term{{Field: "state", Op: billing.Equal, Value: string(s)}})
		if err != nil {
			return err
		}
		n := 0
		for k := range rows {
			if s == email.Waiting || rows[k].Reason == email.OnlyShown {
				n++
			}
		}
		if n > 0 {
			text := noticed(n, "e-mail was", "e-mails were") + " not sent: no mail server is set up."
			if s == email.Waiting {
				text = noticed(n, "e-mail waits", "e-mails wait") + ": no mail server is set up."
			}
			data.Attention = append(data.Attention, notice{"warn", text, ui.Link{Text: "Look at them", Href: emailList.Href + "?state=" + strings.ToLower(string(s))}})
		}
	}
	return nil
}

// noticed is how many there are, as far as they were counted.
func noticed(n int, one, many string) string {
	if n > mostNoticed {
		return "More than " + ui.Grouped(mostNoticed) + " " + many
	}
	return ui.Plural(n, one, many)
}
