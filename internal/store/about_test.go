package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFoundByInvoice finds payments and e-mail by the number of the invoice that they
// are for, also those that are for several.
func TestFoundByInvoice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var second billing.InvoiceID
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			one, two := m.account("One").ID, m.account("Two").ID
			called := func(number string) func(*document.Invoice) {
				return func(i *document.Invoice) { i.Number = number }
			}
			first, next := m.invoice(one, called("INV-1")), m.invoice(one, called("INV-2"))
			second = next.ID
			m.invoice(two, called("INV-3"))
			m.invoice(two, draft)
			m.creditNote(two, func(c *document.CreditNote) { c.Number = "CN-1" })
			pay := func(account billing.AccountID, label string, of ...*document.Invoice) billing.PaymentID {
				p := m.payment(account, func(p *document.Payment) { p.Reference = "Transfer " + label })
				for _, i := range of {
					must(store.Applications.Insert(ctx, tx, &document.Application{InvoiceID: i.ID, PaymentID: &p.ID, Amount: 1, AppliedOn: date("2026-01-03")}))
				}
				return p.ID
			}
			pay(one, "first", first)
			both := pay(one, "both", first, next)
			pay(two, "none")
			about := func(label string, edit func(*email.Email)) *email.Email {
				e := m.email(one, first.EntityID, label)
				edit(e)
				return e
			}
			note := m.creditNote(one, func(c *document.CreditNote) { c.Number = "CN-2" }).ID
			must(store.InsertEmails(ctx, tx, []*email.Email{
				about("invoice", func(e *email.Email) { e.InvoiceID = &first.ID }),
				about("receipt", func(e *email.Email) { e.InvoiceID, e.PaymentID = &first.ID, &both }),
				about("next", func(e *email.Email) { e.InvoiceID = &next.ID }),
				about("note", func(e *email.Email) { e.CreditNoteID = &note }),
			}))
		})
		for text, want := range map[string]string{
			"INV-1": "first both", "inv-2": "both", "INV-3": "", "INV": "",
			"invoice:INV-1": "first both", "invoice:inv-2": "both", "invoice:INV-3": "", "invoice:INV-4": "",
			"one INV-1": "first both", "two INV-1": "", "INV-1 INV-2": "both", "INV-2 state:ready": "both", "INV-2 state:applied": "", "INV-1 amount:<0.01": "",
			"invoice:INV-1 invoice:INV-2": "both", "invoice:INV-1 received:2026-01-03": "first both", "invoice:" + fmt.Sprint(second): "both",
		} {
			var labels []string
			f := filter(t, text)
			for _, p := range listed(t, s, store.Payments, f) {
				labels = append(labels, strings.TrimPrefix(p.Reference, "Transfer "))
			}
			same(t, "payments, "+text, strings.Join(labels, " "), want)
			same(t, "the count of payments, "+text, got[int](t)(store.Payments.Count(t.Context(), s.Queries(), f)), len(labels))
		}
		for text, want := range map[string]string{
			"INV-1": "invoice receipt", "INV-2": "receipt next", "INV-3": "", "cn-2": "note", "invoice:inv-2": "next", "invoice:" + fmt.Sprint(second): "next", "invoice:x": "",
		} {
			var labels []string
			f := filter(t, text)
			for _, e := range listed(t, s, store.Emails, f) {
				labels = append(labels, e.Subject)
			}
			same(t, "e-mail, "+text, strings.Join(labels, " "), want)
			same(t, "the count of e-mail, "+text, got[int](t)(store.Emails.Count(t.Context(), s.Queries(), f)), len(labels))
		}
	})
}
