package console

import (
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var (
	collectionList = ui.Link{Text: "Collections", Href: "/collections"}
	findCollection = findIn(store.Collections, "collection", collectionList)
)

func collectionHref(id billing.PaymentCollectionID) string {
	return collectionList.Href + "/" + ui.IDText(id)
}

func collectionID(r *collect.Collection) billing.PaymentCollectionID { return r.ID }

func collectionName(r *collect.Collection) string { return "Collection " + ui.IDText(r.ID) }

var collectionStates = []collect.State{collect.Pending, collect.Succeeded, collect.Failed, collect.Reversed}

// collectionWord is a state for people.
func collectionWord(s collect.State) string {
	return map[collect.State]string{collect.Pending: "Under way", collect.Succeeded: "Paid", collect.Failed: "Failed", collect.Reversed: "Taken back"}[s]
}

// collectionCell says what has become of a collection, and whether it waits for a person.
func collectionCell(r *collect.Collection) ui.Cell {
	switch {
	case r.NeedsPerson():
		return ui.Badge("to be settled", "bad")
	case r.Outcome == collect.OutUnknown:
		return ui.Badge("unknown", "warn")
	}
	switch r.State {
	case collect.Succeeded:
		return ui.Badge("paid", "good")
	case collect.Failed:
		return ui.Badge("failed", "bad")
	case collect.Reversed:
		return ui.Badge("taken back", "bad")
	}
	return ui.Badge("under way", "info")
}

func listCollections(c *call) error {
	data := ui.List{
		Title: collectionList.Text, Path: collectionList.Href, Hint: "account:acme, INV-2026-000017",
		About: "A collection asks the payment method of a customer for what an invoice asks for. Collections begin by themselves, by the steps of a dunning policy, or on the page of an invoice.",
	}
	_, always := stateTabs(c, &data, collectionStates, collectionWord)
	return showList(c, data, store.Collections, collectionID, []string{"Collection", "Customer", "For", "Begun", "State", "Why", "Amount"}, collectionCells, always)
}

func collectionCells(c *call, rows []collect.Collection) ([][]ui.Cell, error) {
	begun, err := begunAt(c, rows)
	if err != nil {
		return nil, err
	}
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(r *collect.Collection) billing.AccountID { return r.AccountID }))
	return ui.RowsOf(rows, func(r *collect.Collection) []ui.Cell {
		return []ui.Cell{
			ui.Named(collectionName(r), collectionHref(r.ID)), accountCell(accounts, r.AccountID), collectedFor(r), ui.Moment(begun[r.ID]), collectionCell(r),
			ui.OrDash(r.Message), amount(r.Amount, r.Currency),
		}
	}), err
}

// collectedFor names the invoices that a collection is for.
func collectedFor(r *collect.Collection) ui.Cell {
	if strings.Contains(r.LineText, " ") { // several of them
		return ui.Plain(r.LineText)
	}
	return ui.Cell{Text: r.LineText, Kind: ui.CellName}
}

// begunAt is when collections began: when their first attempt did, by the test clock of
// the account if it has one.
func begunAt(c *call, rows []collect.Collection) (map[billing.PaymentCollectionID]time.Time, error) {
	attempts, err := store.AttemptsOf(c.ctx(), c.q(), ids(rows, collectionID))
	begun := make(map[billing.PaymentCollectionID]time.Time, len(rows))
	for n := range attempts {
		if a := &attempts[n]; a.Number == 1 {
			begun[a.CollectionID] = a.StartedAt
		}
	}
	return begun, err
}
