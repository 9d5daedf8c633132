package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

func listAudit(c *call) error {
	data := ui.List{
		Title: "Audit log", Path: "/audit", About: "Every change made by people and programs is listed here.",
		Hint: `a customer's name, actor:"user ann@example.com", subjectType:Account subjectId:12, at:>=2026-01-01`,
	}
	data.Instead = otherActions(c.value("q"))
	if err := tellCrowd(c, &data); err != nil {
		return err
	}
	read := within(&data, mostEntries, "entries", store.ListAudit)
	return showRows(c, data, read, func(e *billing.AuditEntry) billing.AuditID { return e.ID },
		[]string{"When", "Who", "What", "Of", "Changes"}, auditCells, nil)
}

// tellCrowd says that a search names more customers than are looked at.
func tellCrowd(c *call, data *ui.List) error {
	filter, err := billing.ParseFilter(c.value("q"))
	if err != nil || len(filter.Words) == 0 {
		return nil // the list says what is wrong
	}
	crowd, err := store.AuditCrowd(c.ctx(), c.q(), filter)
	if crowd {
		data.Hidden = "More than " + ui.Grouped(store.MostCustomers) + " customers match these words by name, code or address, so changes to them are not searched. Add a more specific word."
	}
	return err
}

func auditCells(c *call, rows []billing.AuditEntry) ([][]ui.Cell, error) {
	customers, err := auditCustomers(c, rows)
	if err != nil {
		return nil, err
	}
	actors, err := auditActors(c, rows)
	return ui.RowsOf(rows, func(e *billing.AuditEntry) []ui.Cell {
		return []ui.Cell{ui.Moment(e.At), actors[e.Actor], ui.Linked(actionWords(e.Action), "/audit/"+ui.IDText(e.ID)), subject(e).WithSub(customers[e.ID]), ui.OrDash(changesInShort(e))}
	}), err
}

// changesInShort names the first fields that an entry says changed, quantities
// before others and with their numbers.
func changesInShort(e *billing.AuditEntry) string {
	const most = 4
	var quantities, others []string
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		if change := e.Detail[name]; strings.HasPrefix(name, quantityPrefix) {
			quantities = append(quantities, fieldWords(name)+" "+cmp.Or(jsonWords(change.From), "none")+" → "+cmp.Or(jsonWords(change.To), "none"))
		} else {
			others = append(others, fieldWords(withoutID(name)))
		}
	}
	all := append(quantities, others...)
	text := strings.Join(all[:min(len(all), most)], ", ")
	if len(all) > most {
		text += ", …"
	}
	return text
}

// quantityPrefix begins the name of a quantity; see subscription.Changes.
const quantityPrefix = "quantity."

// fieldWords is the name of a field of an entry for people.
func fieldWords(name string) string {
	if code, is := strings.CutPrefix(name, quantityPrefix); is {
		if dot := strings.LastIndexByte(code, '.'); dot > 0 {
			if day, err := billing.ParseDate(code[dot+1:]); err == nil {
				return "quantity of " + code[:dot] + " from " + ui.DayText(day)
			}
		}
		return "quantity of " + code
	}
	if words := auditFieldNames[name]; words != "" {
		return words
	}
	var words strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

// subject links to what an entry is about, if it has a page.
func subject(e *billing.AuditEntry) ui.Cell {
	id := ui.IDText(billing.AuditID(e.SubjectID))
	text := subjectWord(e.SubjectType) + " " + id
	if strings.HasSuffix(e.Action, "Delete") {
		return ui.Plain(text)
	}
	if e.SubjectType == "Subscription" {
		return ui.Linked(text, "/subscriptions/"+id)
	}
	for field, pages := range references() {
		if strings.EqualFold(field, e.SubjectType+"Id") {
			return ui.Linked(text, pages.listLink().Href+"/"+id)
		}
	}
	return ui.Plain(text)
}

func showAudit(c *call) error {
	id, err := c.pathID("id")
	if err != nil {
		return err
	}
	e, err := store.AuditEntries.Get(c.ctx(), c.q(), billing.AuditID(id))
	if err != nil {
		return err
	}
	if e == nil {
		return missing("audit entry", ui.Link{Text: "Audit log", Href: "/audit"})
	}
	data := ui.Details{Name: actionWords(e.Action), Kind: "audit entry", Crumbs: []ui.Link{{Text: "Audit log", Href: "/audit"}}}
	data.Fact("When", ui.Moment(e.At))
	actors, err := auditActors(c, []billing.AuditEntry{*e})
	if err != nil {
		return err
	}
	data.Fact("Who", actors[e.Actor])
	customers, err := auditCustomers(c, []billing.AuditEntry{*e})
	if err != nil {
		return err
	}
	data.Fact("Of", subject(e).WithSub(customers[e.ID]))
	data.Fact("Operation", ui.Code(e.Action))
	b := ui.Block{Title: "Changes", Table: ui.Table{Columns: []string{"Field", "Before", "After"}}, Empty: "No field changed."}
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		if name == tenantsField {
			continue // which has a block of its own
		}
		from, err := auditWords(c, name, e.Detail[name].From)
		if err != nil {
			return err
		}
		to, err := auditWords(c, name, e.Detail[name].To)
		if err != nil {
			return err
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Plain(auditField(name)), ui.Sentence(from), ui.Sentence(to)})
	}
	data.Blocks = []ui.Block{b}
	tenants, err := tenantsBlock(c, tenantsOf(e))
	if err != nil {
		return err
	}
	switch {
	case len(tenants.Table.Rows) > 0 && len(b.Table.Rows) == 0:
		data.Blocks = []ui.Block{tenants}
	case len(tenants.Table.Rows) > 0:
		data.Blocks = append(data.Blocks, tenants)
	}
	data.Blocks[0].More = &ui.Link{Text: "All entries of this kind", Href: "/audit?" + url.Values{"q": {"action:" + e.Action}}.Encode()}
	return showPage.show(c, data.Name, data)
}

// tenantsBlock links to the tenants that an entry names.
func tenantsBlock(c *call, all []billing.TenantID) (ui.Block, error) {
	const most = 100
	b := ui.Block{Title: "Tenants", Table: ui.Table{Columns: []string{"Tenant", "Code"}}}
	if len(all) > most {
		b.Note = "The first " + ui.Grouped(most) + " of " + ui.Grouped(len(all)) + "."
		all = all[:most]
	}
	known, err := byID(c, store.Tenants, tenantPages.id, all)
	for _, id := range all {
		row := []ui.Cell{ui.Muted("one that was deleted"), ui.Code("")}
		if t := known[id]; t != nil {
			row = []ui.Cell{ui.Linked(t.Name, tenantPages.href(id)), ui.Code(t.Code)}
		}
		b.Table.Rows = append(b.Table.Rows, row)
	}
	return b, err
}

// jsonWords is a value in an entry for people.
func jsonWords(value json.RawMessage) string { return inWords(readJSON(string(value))) }
