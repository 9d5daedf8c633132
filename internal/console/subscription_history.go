package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// historyBlock is what last happened to a subscription.
func historyBlock(c *call, s *subscription.Subscription, _ billing.Date) (ui.Block, error) {
	const most = 100
	entries, err := store.RecentHistory(c.ctx(), c.q(), s.ID, most)
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "History", Table: ui.Table{Columns: []string{"When", "What", "State", "By", "Detail"}}, Empty: "Nothing yet."}
	if len(entries) == most {
		b.Note = fmt.Sprintf("The last %d changes.", most)
	}
	zone, err := c.service.Calendar.TimeZone(c.ctx())
	if err != nil {
		return ui.Block{}, err
	}
	if err := namePriceLists(c, entries); err != nil {
		return ui.Block{}, err
	}
	if err := nameStandings(c, entries); err != nil {
		return ui.Block{}, err
	}
	for i := range entries {
		e := &entries[i]
		words := detailWords(e.Detail)
		if e.Kind == subscription.KindCancelUnscheduled {
			words = strings.Replace(words, detailNames["cancellationDate"], "was to end on", 1)
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{happened(e, zone), ui.Plain(changeWord(e.Kind, e.To)), state(e.To), ui.Plain(e.Actor), ui.Sentence(words)})
	}
	return b, nil
}

// namePriceLists puts names of price lists in the place of their ids, as far as
// they exist.
func namePriceLists(c *call, entries []subscription.HistoryEntry) error {
	id := func(value any) billing.PriceListID {
		n, _ := value.(float64) // as JSON has it
		return billing.PriceListID(n)
	}
	parts := []string{"fromPriceListId", "toPriceListId", "priceListId"}
	seen := map[billing.PriceListID]bool{}
	for i := range entries {
		for _, part := range parts {
			seen[id(entries[i].Detail[part])] = true
		}
	}
	delete(seen, 0)
	lists, err := byID(c, store.PriceLists, priceListPages.id, slices.Collect(maps.Keys(seen)))
	for i := range entries {
		for _, part := range parts {
			if list := lists[id(entries[i].Detail[part])]; list != nil {
				entries[i].Detail[part] = list.Name
			}
		}
	}
	return err
}

// nameStandings says for people which invoice changed the standing, and to what.
func nameStandings(c *call, entries []subscription.HistoryEntry) error {
	of := func(e *subscription.HistoryEntry) billing.InvoiceID {
		n, _ := e.Detail["invoiceId"].(float64) // as JSON has it
		return billing.InvoiceID(n)
	}
	var seen []billing.InvoiceID
	for n := range entries {
		if id := of(&entries[n]); id != 0 {
			seen = append(seen, id)
		}
	}
	invoices, err := byID(c, store.Invoices, func(i *document.Invoice) billing.InvoiceID { return i.ID }, seen)
	for n := range entries {
		e := &entries[n]
		if i := invoices[of(e)]; i != nil {
			e.Detail["invoice"] = i.Number
			delete(e.Detail, "invoiceId")
		}
		if (subscription.Change{Kind: e.Kind}).IsStanding() {
			for _, part := range []string{"from", "to"} {
				if s, is := e.Detail[part].(string); is {
					e.Detail[part] = standingWord(billing.Standing(s))
				}
			}
		}
	}
	return err
}

// detailNames are the parts of a change's detail that have other names for
// people.
var detailNames = map[string]string{
	"evergreen": "renews", "startDate": "from", "effectiveDate": "from", "cancellationDate": "ends on", "trialEndDate": "trial ends on", "endDate": "term ends on",
	"fromTenantId": "from tenant", "tenantId": "to tenant", "fromPriceListId": "from", "toPriceListId": "to", "priceListId": "to",
}

// detailWords writes a change's detail for people.
func detailWords(detail map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(detail)) {
		if inner, is := detail[name].(map[string]any); is { // quantities, by code
			for _, code := range slices.Sorted(maps.Keys(inner)) {
				parts = append(parts, code+" "+detailValue(inner[code]))
			}
			continue
		}
		parts = append(parts, cmp.Or(detailNames[name], fieldWords(name))+" "+detailValue(detail[name]))
	}
	return strings.Join(parts, ", ")
}

func detailValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "none"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case string:
		if d, err := billing.ParseDate(v); err == nil {
			return ui.DayText(d)
		}
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// happened shows when a change counts from: the moment it was made, or the day
// that brought it.
func happened(e *subscription.HistoryEntry, zone *time.Location) ui.Cell {
	if e.EffectiveAt.Equal(e.At) || !billing.DateOf(e.EffectiveAt, zone).Start(zone).Equal(e.EffectiveAt) {
		return ui.Moment(e.EffectiveAt)
	}
	return ui.Days(billing.DateOf(e.EffectiveAt, zone))
}
