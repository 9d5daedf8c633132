package console

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

func listAudit(c *call) error {
	data := listData{
		Title: "Audit log", Path: "/audit", About: "Everything that people and programs change is listed here.",
		Hint: `subscriptionCancel, actor:"user ann@example.com", subjectType:Account subjectId:12, at:>=2026-01-01`,
	}
	read := within(&data, mostEntries, "entries", store.ListAudit)
	return showRows(c, data, read, func(e *billing.AuditEntry) billing.AuditID { return e.ID },
		[]string{"When", "Who", "What", "Of", "Changes"}, auditCells, nil)
}

func auditCells(_ *call, rows []billing.AuditEntry) ([][]cell, error) {
	table := make([][]cell, len(rows))
	for i := range rows {
		e := &rows[i]
		names := slices.Sorted(maps.Keys(e.Detail))
		changes := strings.Join(names[:min(len(names), 4)], ", ")
		if len(names) > 4 {
			changes += ", …"
		}
		table[i] = []cell{moment(e.At), plain(e.Actor), to(e.Action, "/audit/"+idText(e.ID)), subject(e), orDash(changes)}
	}
	return table, nil
}

// subject links to what an entry is about, if it has a page.
func subject(e *billing.AuditEntry) cell {
	paths := map[string]string{
		"Account": "accounts", "Contact": "contacts", "Platform": "platforms", "Product": "products", "Feature": "features", "Plan": "plans",
		"PriceList": "price-lists", "PriceListCharge": "charges", "Subscription": "subscriptions", "Tenant": "tenants", "ApiClient": "api-clients",
		"TestClock": "test-clocks", "User": "users",
	}
	text := e.SubjectType + " " + idText(billing.AuditID(e.SubjectID))
	if path := paths[e.SubjectType]; path != "" && !strings.HasSuffix(e.Action, "Delete") {
		return to(text, "/"+path+"/"+idText(billing.AuditID(e.SubjectID)))
	}
	return plain(text)
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
		return missing("audit entry", link{"Audit log", "/audit"})
	}
	data := showData{Name: e.Action, Kind: "audit entry", Crumbs: []link{{"Audit log", "/audit"}}}
	data.fact("When", moment(e.At))
	data.fact("Who", plain(e.Actor))
	data.fact("Of", subject(e))
	b := block{Title: "Changes", Table: tableView{Columns: []string{"Field", "Before", "After"}}, Empty: "No field changed."}
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		b.Table.Rows = append(b.Table.Rows, []cell{plain(name), jsonCell(e.Detail[name].From), jsonCell(e.Detail[name].To)})
	}
	data.Blocks = []block{b}
	return showPage.show(c, data.Name, data)
}

func jsonCell(value json.RawMessage) cell {
	text := strings.Trim(string(value), `"`)
	if text == "null" {
		text = ""
	}
	return sentence(text)
}
