package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// mostVerified is how many documents a page verifies: what takes about a second.
	mostVerified = 10_000
	// verifiedDays is how far back it looks if there are more.
	verifiedDays = 31
)

// showVerification verifies the documents of all entities, and what was billed with
// the subscriptions.
func showVerification(c *call) error {
	series, err := store.AllSeries(c.ctx(), c.q(), 0)
	if err != nil {
		return err
	}
	var documents int64
	for n := range series {
		documents += series[n].Documents
	}
	var from *billing.Date
	if documents > mostVerified {
		today, err := c.today(nil)
		if err != nil {
			return err
		}
		first := today.AddDays(-verifiedDays)
		from = &first
	}
	v, err := c.service.Invoicing.DocumentsVerify(c.ctx(), nil, from, nil)
	if err != nil {
		return err
	}
	data := ui.Details{
		Name: "Verify documents", Kind: "verification", Here: invoiceList.Href + "/verify", Crumbs: []ui.Link{invoiceList}, Calm: true,
		Badges: []ui.Cell{ui.Badge("verified", "good")},
		Note: "Every number, hash, total, tax and item was computed again just now, and compared with what was issued. " +
			"What was billed was compared with what subscriptions owe.",
	}
	if from != nil {
		data.Note = "Documents issued since " + ui.DayText(*from) + " were computed again just now, and compared with what was issued. " +
			"There are too many for a page to verify all: run tenantry documents verify on the server."
	}
	data.Fact("Documents", ui.Number(v.Documents))
	data.Fact("Subscriptions", ui.Number(v.Subscriptions))
	data.Fact("Findings", ui.Number(v.Failed))
	found := ui.Block{Title: "Findings", Table: ui.Table{Columns: []string{"What is wrong"}}, Empty: "None: everything is as it was issued."}
	for _, text := range v.Findings {
		found.Table.Rows = append(found.Table.Rows, []ui.Cell{ui.Sentence(text)})
	}
	if v.Failed > 0 {
		data.Badges = []ui.Cell{ui.Badge("not verified", "bad")}
		found.Note = "Somebody or something changed documents in the database. Compare them with copies that were sent, and with a backup."
	}
	data.Blocks = []ui.Block{found}
	return showPage.show(c, data.Name, data)
}
