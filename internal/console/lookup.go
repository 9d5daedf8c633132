package console

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// accountLookup is an input for an account, which are too many to choose from
// a list: its code, its name, or its id after a #, with or without its name
// behind it.
// Suggestions come as one types.
func accountLookup[T any](c *call, name, label string, of func(*T) *billing.AccountID) ui.Input[T] {
	return ui.Input[T]{
		Field: ui.Field{Name: name, Label: label, Kind: ui.FieldText, Lookup: "/lookup/accounts?field=" + name, Required: true,
			Help: "Name, code, or # and the id. Start typing to see suggestions."},
		Get: func(row *T) string {
			if *of(row) == 0 {
				return ""
			}
			a, err := store.Accounts.Get(c.ctx(), c.q(), *of(row))
			if err != nil || a == nil {
				return "#" + ui.IDText(*of(row)) // whether there is one is said by the operation
			}
			return accountText(a)
		},
		Set: func(row *T, typed string) *billing.Error {
			id, e := parseAccount(name, typed)
			*of(row) = id
			return e
		},
	}
}

// accountText is how an account stands in a field.
func accountText(a *billing.Account) string { return "#" + ui.IDText(a.ID) + " " + a.Name }

// parseAccount reads # and an id, and passes over the name behind it. Codes and names were
// turned into that by withAccount.
func parseAccount(field, typed string) (billing.AccountID, *billing.Error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return 0, nil // what is missing is said by the operation
	}
	number := strings.TrimPrefix(typed, "#")
	if typed != number {
		number, _, _ = strings.Cut(number, " ")
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 1 {
		return 0, billing.Fail(billing.NotFound, field, "There is no account with the code or name %q. Start typing to see suggestions.", clip(typed, 60))
	}
	return billing.AccountID(id), nil
}

// withAccount turns the code or the name of an account in the form into its id.
func withAccount(c *call, name string) error {
	typed := strings.TrimSpace(c.r.PostForm.Get(name))
	if typed == "" || strings.HasPrefix(typed, "#") {
		return nil
	}
	var a *billing.Account
	var err error
	if billing.IsCode(typed) {
		a, err = store.Accounts.ByCode(c.ctx(), c.q(), typed)
	}
	if a == nil && err == nil {
		a, err = accountByName(c, typed)
	}
	if err != nil {
		return err
	}
	if a != nil {
		c.r.PostForm.Set(name, accountText(a))
		c.r.Form.Set(name, accountText(a))
	}
	return nil
}

// accountByName is the only account of that name, nil if there is none or
// another one.
func accountByName(c *call, name string) (*billing.Account, error) {
	words := strings.Fields(name)
	if len(words) > 10 {
		return nil, nil
	}
	rows, err := store.Accounts.List(c.ctx(), c.q(), store.Page{Filter: billing.Filter{Words: words}, Limit: 50})
	if _, known := billing.AsProblems(err); known {
		return nil, nil // words that nobody can be searched by
	}
	if err != nil {
		return nil, err
	}
	var found *billing.Account
	for i := range rows {
		if !strings.EqualFold(rows[i].Name, name) {
			continue
		}
		if found != nil {
			return nil, nil // which of them is meant is for the suggestions to ask
		}
		found = &rows[i]
	}
	return found, nil
}

// lookupAccounts suggests accounts for what was typed so far.
func lookupAccounts(c *call) error {
	return lookupWords(c, store.Accounts, nil, func(a *billing.Account) ui.Option {
		o := ui.Option{Value: accountText(a), Text: a.Name}
		if a.Code != nil {
			o.Text += " (" + *a.Code + ")"
		}
		return o
	})
}

// lookupWords suggests rows of a table that have the words of a field.
func lookupWords[T any, K ~int64](c *call, table *store.Table[T, K], narrow []billing.Term, describe func(*T) ui.Option) error {
	words := strings.Fields(c.value(c.value("field")))
	if len(words) == 0 || strings.HasPrefix(words[0], "#") || len(words) > 10 {
		return c.lookup(nil)
	}
	rows, err := table.List(c.ctx(), c.q(), store.Page{Filter: billing.Filter{Words: words, Terms: narrow}, Limit: 10})
	if _, known := billing.AsProblems(err); known {
		return c.lookup(nil)
	}
	if err != nil {
		return err
	}
	options := make([]ui.Option, len(rows))
	for i := range rows {
		options[i] = describe(&rows[i])
	}
	return c.lookup(options)
}

// lookup answers with suggestions for a field.
func (c *call) lookup(options []ui.Option) error { return c.sendPart("options", options) }
