package console

import (
	"context"
	"io"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var (
	emailList = ui.Link{Text: "E-mail", Href: "/emails"}
	findEmail = findIn(store.Emails, "e-mail", emailList)
)

func emailHref(id billing.EmailID) string { return emailList.Href + "/" + ui.IDText(id) }

func emailID(e *email.Email) billing.EmailID { return e.ID }

var emailStates = []email.State{email.Waiting, email.Sent, email.Failed, email.NotSent}

// emailWord is a state for people.
func emailWord(s email.State) string {
	return map[email.State]string{email.Waiting: "Waiting", email.Sent: "Sent", email.Failed: "Failed", email.NotSent: "Not sent"}[s]
}

func emailCell(e *email.Email) ui.Cell {
	switch e.State {
	case email.Sent:
		return ui.Badge("sent", "good")
	case email.Failed:
		return ui.Badge("failed", "bad")
	case email.NotSent:
		if e.Reason == email.NoAddress {
			return ui.Badge("no address", "warn")
		}
		return ui.Badge("not sent", "")
	}
	if e.Attempts > 0 {
		return ui.Badge("waiting", "warn")
	}
	return ui.Badge("waiting", "info")
}

func listEmails(c *call) error {
	data := ui.List{
		Title: emailList.Text, Path: emailList.Href, Hint: "invoice:INV-2026-000017, account:acme, template:reminder, to:ap@acme.example",
		About: "Customers are told by e-mail of invoices, payments and reminders. Messages are recorded once a mail server is set up, and shown here without one on a developer's machine.",
	}
	_, always := stateTabs(c, &data, emailStates, emailWord)
	return showList(c, data, store.Emails, emailID, []string{"Subject", "Customer", "To", "Recorded", "State"}, emailCells, always)
}

func emailCells(c *call, rows []email.Email) ([][]ui.Cell, error) {
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(e *email.Email) billing.AccountID { return e.AccountID }))
	if err != nil {
		return nil, err
	}
	mode, err := store.EmailMode(c.ctx(), c.q())
	return ui.RowsOf(rows, func(e *email.Email) []ui.Cell {
		state := emailCell(e)
		if e.Reason == email.OnlyShown || e.State == email.Waiting && mode != email.Send {
			state.Sub = "no mail server is set up"
		}
		return []ui.Cell{ui.Linked(e.Subject, emailHref(e.ID)), accountCell(accounts, e.AccountID), ui.OrDash(e.To), ui.Moment(e.At), state}
	}), err
}

// emailKind is what can be done with an e-mail.
var emailKind documentKind[email.Email]

// Set here, because pages refer to each other.
func init() {
	emailKind = documentKind[email.Email]{
		path: emailList.Href, list: emailList, find: findEmail, name: func(e *email.Email) string { return e.Subject }, href: func(e *email.Email) string { return emailHref(e.ID) },
		actions: []documentAction[email.Email]{sendEmail},
	}
}

// sendEmail sends a message again, or one that was not sent.
var sendEmail = documentAction[email.Email]{
	path: "send", title: "Send again", begin: emptyOrder[email.Email],
	allowed: func(e *email.Email) bool { return e.State != email.Waiting && e.TestClockID == nil },
	says: sentences(func(*email.Email, *billingOrder) []string {
		return []string{"The same text is sent to the address that the account has now, as a new message."}
	}),
	do: func(c *call, ctx context.Context, e *email.Email, _ *billingOrder) (*invoicing.Outcome, error) {
		_, err := c.service.Mailing.EmailSend(ctx, e.ID)
		return nil, err
	},
	done: func(e *email.Email, _ *invoicing.Outcome) (string, string) {
		return emailHref(e.ID), "The e-mail waits to be sent."
	},
}

func showEmail(c *call, e *email.Email) error {
	customer, err := accountOf(c, e.AccountID)
	if err != nil {
		return err
	}
	d := ui.Details{
		Name: e.Subject, Kind: "e-mail", Here: emailHref(e.ID), Crumbs: []ui.Link{emailList}, Badges: []ui.Cell{emailCell(e)}, Actions: emailKind.offered(c, e),
		Note: e.Reason, Calm: e.State == email.NotSent && e.Reason != email.NoAddress,
	}
	d.Fact("Customer", customer)
	d.Fact("To", ui.OrDash(e.To))
	d.Fact("Message", ui.Linked(messageWord(e.Template), messageHref(e.Template, e.Locale)))
	if e.InvoiceID != nil {
		i, err := store.Invoices.Get(c.ctx(), c.q(), *e.InvoiceID)
		if err != nil {
			return err
		}
		d.Fact("Invoice", ui.Linked(invoiceName(i), invoiceHref(i.ID)))
	}
	if e.CreditNoteID != nil {
		d.Fact("Credit note", ui.Linked("Credit note "+ui.IDText(*e.CreditNoteID), creditNoteHref(*e.CreditNoteID)))
	}
	if e.PaymentID != nil {
		d.Fact("Payment", ui.Linked("Payment "+ui.IDText(*e.PaymentID), paymentHref(*e.PaymentID)))
	}
	d.Fact("Recorded", ui.Moment(e.At))
	if e.SentAt != nil {
		d.Fact("Sent", ui.Moment(*e.SentAt))
	}
	if e.NextAt != nil {
		d.Fact("Next attempt", ui.Moment(*e.NextAt))
	}
	if e.Attempts > 0 {
		d.Fact("Attempts", ui.Plain(ui.IDText(int64(e.Attempts))))
	}
	if e.TestClockID != nil {
		clock, err := clockCell(c, *e.TestClockID)
		if err != nil {
			return err
		}
		d.Fact("Test clock", clock)
	}
	d.Fact("Id", ui.Code(ui.IDText(e.ID)))
	if e.HTML != "" {
		d.Actions = append(d.Actions, ui.Action{Text: "HTML", Href: d.Here + "/html", Quiet: true})
	}
	d.Blocks = []ui.Block{{Title: "Text", Text: e.Text}}
	return showPage.show(c, d.Name, d)
}

// emailPolicy is what the HTML of a message may do: have styles. Links lead out of the page, and nothing
// is loaded.
const emailPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups"

// showEmailHTML answers with a message as clients show it that know HTML.
func showEmailHTML(c *call, e *email.Email) error {
	if e.HTML == "" {
		return missing("HTML of this message", ui.Link{Text: "Back to the message", Href: emailHref(e.ID)})
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", emailPolicy)
	_, err := io.WriteString(c.w, e.HTML)
	return err
}

// emailBlock has the messages about an invoice.
func emailBlock(c *call, i *document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "E-mail", Table: ui.Table{Columns: []string{"Subject", "To", "Recorded", "State"}}, Empty: "Nobody was told of this invoice."}
	rows, err := store.EmailsOfInvoices(c.ctx(), c.q(), []billing.InvoiceID{i.ID})
	b.Table.Rows = ui.RowsOf(rows, func(e *email.Email) []ui.Cell {
		return []ui.Cell{ui.Linked(e.Subject, emailHref(e.ID)), ui.OrDash(e.To), ui.Moment(e.At), emailCell(e)}
	})
	return b, err
}
