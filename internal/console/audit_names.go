package console

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// auditCustomers are the names of the customers that entries are about.
func auditCustomers(c *call, rows []billing.AuditEntry) (map[billing.AuditID]string, error) {
	subscriptions, err := byID(c, store.Subscriptions, func(s *subscription.Subscription) billing.SubscriptionID { return s.ID }, subjectsOf[billing.SubscriptionID](rows, "Subscription"))
	if err != nil {
		return nil, err
	}
	tenants, err := byID(c, store.Tenants, tenantPages.id, subjectsOf[billing.TenantID](rows, "Tenant"))
	if err != nil {
		return nil, err
	}
	contacts, err := byID(c, store.Contacts, contactPages.id, subjectsOf[billing.ContactID](rows, "Contact"))
	if err != nil {
		return nil, err
	}
	of := map[billing.AuditID]billing.AccountID{}
	var accounts []billing.AccountID
	for i := range rows {
		var account billing.AccountID
		switch id := rows[i].SubjectID; rows[i].SubjectType {
		case "Account":
			account = billing.AccountID(id)
		case "Subscription":
			if s := subscriptions[billing.SubscriptionID(id)]; s != nil {
				account = s.AccountID
			}
		case "Tenant":
			if t := tenants[billing.TenantID(id)]; t != nil {
				account = t.AccountID
			}
		case "Contact":
			if p := contacts[billing.ContactID(id)]; p != nil {
				account = p.AccountID
			}
		}
		if account != 0 {
			of[rows[i].ID] = account
			accounts = append(accounts, account)
		}
	}
	known, err := byID(c, store.Accounts, accountPages.id, accounts)
	if err != nil {
		return nil, err
	}
	names, err := auditTenants(c, rows)
	for entry, account := range of {
		if a := known[account]; a != nil {
			names[entry] = a.Name
		}
	}
	return names, err
}

// auditTenants are the first tenants that entries about others name.
func auditTenants(c *call, rows []billing.AuditEntry) (map[billing.AuditID]string, error) {
	const most = 3
	var ids []billing.TenantID
	for i := range rows {
		of := tenantsOf(&rows[i])
		ids = append(ids, of[:min(len(of), most)]...)
	}
	known, err := byID(c, store.Tenants, tenantPages.id, ids)
	names := map[billing.AuditID]string{}
	for i := range rows {
		if of := tenantsOf(&rows[i]); len(of) > 0 {
			names[rows[i].ID] = ui.Enumerated(namesOfTenants(of, known, most))
		}
	}
	return names, err
}

// subjectsOf are the ids of the subjects of one type.
func subjectsOf[K ~int64](rows []billing.AuditEntry, kind string) (all []K) {
	for i := range rows {
		if rows[i].SubjectType == kind {
			all = append(all, K(rows[i].SubjectID))
		}
	}
	return all
}

// auditField is the name of a field of an entry for people.
func auditField(name string) string { return ui.Capitalized(fieldWords(withoutID(name))) }

// withoutID is the name of a field without the word id where a name stands in
// its place.
func withoutID(field string) string {
	if referenceOf(field) != nil {
		return strings.TrimSuffix(field, "Id")
	}
	return field
}

// auditWords is a value in an entry for people: names in place of ids, and days
// as pages write them.
func auditWords(c *call, field string, value json.RawMessage) (string, error) {
	switch field {
	case "nextPriceList":
		return nextListWords(c, value)
	case "steps":
		return stepsInWords(value), nil
	}
	id, err := strconv.ParseInt(strings.Trim(string(value), `"`), 10, 64)
	if to := referenceOf(field); err == nil && to != nil {
		known, err := to.names(c, []int64{id})
		if name, found := known[id]; found {
			return name, err
		}
		return "one that was deleted", err
	}
	switch text := jsonWords(value); text {
	case "true":
		return "yes", nil
	case "false":
		return "no", nil
	default:
		return daysInWords(text), nil
	}
}

// tenantsField has the ids of the tenants that an entry is about.
const tenantsField = "tenants"

// tenantsOf are the tenants that an entry names, none if it names no tenants.
func tenantsOf(e *billing.AuditEntry) (ids []billing.TenantID) {
	if json.Unmarshal(e.Detail[tenantsField].To, &ids) != nil {
		return nil
	}
	return ids
}

// namesOfTenants are the first names, and how many others there are.
func namesOfTenants(all []billing.TenantID, known map[billing.TenantID]*billing.Tenant, most int) (names []string) {
	for _, id := range all[:min(len(all), most)] {
		name := "one that was deleted"
		if t := known[id]; t != nil {
			name = t.Name
		}
		names = append(names, name)
	}
	if len(all) > most {
		names = append(names, ui.Plural(len(all)-most, "other", "others"))
	}
	return names
}

// nextListWords says which plan is scheduled, and for when.
func nextListWords(c *call, value json.RawMessage) (string, error) {
	var next *subscription.NextPriceList
	if err := json.Unmarshal(value, &next); err != nil || next == nil {
		return "", nil // there is none
	}
	list := "one that was deleted"
	l, err := store.PriceLists.Get(c.ctx(), c.q(), next.ID)
	if err == nil && l != nil {
		list, err = listName(c, l)
	}
	text := list + " from " + ui.DayText(next.On)
	for _, q := range next.Quantities {
		text += ", " + q.Code + " " + numberWord(q.Quantity)
	}
	return text, err
}

// daysInWords writes days as pages do.
func daysInWords(text string) string {
	return isoDay.ReplaceAllStringFunc(text, func(day string) string {
		if d, err := billing.ParseDate(day); err == nil {
			return ui.DayText(d)
		}
		return day
	})
}
