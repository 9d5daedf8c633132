package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// confirmedField is in forms whose consequences were shown and accepted.
	confirmedField = "confirmed"
	// backField is in forms whose consequences were shown, and which are to be edited.
	backField = "back"
)

// forecast is what an operation would do.
type forecast struct {
	*impact.Impact // nil if finding out took too long
}

// foretell finds out what an operation would do to tenants, subscriptions and amounts,
// and does nothing.
func foretell(c *call, do func(context.Context) error) (forecast, error) {
	found, err := c.service.Impact.Foretell(c.asking(), do)
	if errors.Is(err, impact.ErrTooLong) {
		return forecast{}, nil
	}
	return forecast{found}, err
}

// isNothing says that it is known to do nothing.
func (f forecast) isNothing() bool { return f.Impact != nil && f.IsNothing() }

// shown is what an operation would do, in sentences and as data. It is empty if that is
// nothing.
func (f forecast) shown(c *call) (ui.Foretold, error) {
	if f.Impact == nil {
		return ui.Foretold{Says: []ui.Said{{Text: fmt.Sprintf("The effect could not be computed within %d seconds. It may reach very many tenants.", int(impact.Longest.Seconds()))}}}, nil
	}
	if f.IsNothing() {
		return ui.Foretold{}, nil
	}
	data, err := json.MarshalIndent(f.Impact, "", "  ")
	if err != nil {
		panic("console: an impact must be JSON: " + err.Error())
	}
	says, err := saidBy(c, f.Sentences())
	return ui.Foretold{Says: says, Data: string(data)}, err
}

// reach says what an operation would do to tenants, if it does anything to them.
func (f forecast) reach(c *call) ([]ui.Said, error) {
	if f.Impact == nil || f.Tenants == 0 {
		return nil, nil
	}
	return saidBy(c, f.Reach())
}

// saidBy are sentences whose tenants can be looked at. Those that are suspended are in the
// list of subscriptions.
func saidBy(c *call, sentences []impact.Sentence) (said []ui.Said, err error) {
	links := map[string]ui.Link{} // by code: sentences are mostly about the same
	for _, s := range sentences {
		one := ui.Said{Text: s.Text, Others: s.Others}
		for n, code := range s.Tenants {
			if _, known := links[code]; !known && n < mostOpened {
				if links[code], err = tenantNamed(c, code); err != nil {
					return nil, err
				}
			}
			link, known := links[code]
			if !known {
				link = tenantsCoded(code)
			}
			one.Names = append(one.Names, link)
		}
		if len(s.Accounts) > 0 {
			if err := nameAccounts(c, &one, s.Accounts); err != nil {
				return nil, err
			}
		}
		if s.Suspended {
			one.Names = []ui.Link{{Text: "Subscriptions that are suspended", Href: "/subscriptions?" + url.Values{"q": {"standing:suspended"}}.Encode()}}
		}
		said = append(said, one)
	}
	return said, nil
}

// nameAccounts names the customers of a sentence, those that exist, in it if they are few.
func nameAccounts(c *call, said *ui.Said, ids []billing.AccountID) error {
	accounts, err := byID(c, store.Accounts, accountPages.id, ids)
	var names []string
	for _, id := range ids {
		if a := accounts[id]; a != nil {
			names = append(names, a.Name)
			said.Names = append(said.Names, ui.Link{Text: a.Name, Href: accountPages.href(id)})
		}
	}
	const few = 3
	if said.Others == 0 && len(names) == len(ids) && len(names) <= few {
		said.Text = ui.Ended(strings.TrimSuffix(said.Text, ".") + ": " + strings.Join(names, ", "))
	}
	return err
}

// tenantNamed leads to the tenant with a code, or to the list of those that have it if it
// is one on several platforms.
func tenantNamed(c *call, code string) (ui.Link, error) {
	found, err := store.TenantsByBareCode(c.ctx(), c.q(), code)
	if err == nil && len(found) == 1 {
		return ui.Link{Text: code, Href: tenantPages.href(found[0].ID)}, nil
	}
	return tenantsCoded(code), err
}

// tenantsCoded leads to the list of tenants with a code.
func tenantsCoded(code string) ui.Link {
	filter := billing.Filter{Terms: []billing.Term{{Field: "code", Op: billing.Equal, Value: code}}}
	return ui.Link{Text: code, Href: "/tenants?" + url.Values{"q": {filter.String()}}.Encode()}
}

// mostOpened is how many tenants of a sentence are looked up, to lead to their own pages.
const mostOpened = 10

// goesBack says that the form is to be edited after its consequences were shown.
func (c *call) goesBack() bool {
	if c.value(backField) == "" {
		return false
	}
	c.r.PostForm.Del(backField)
	c.r.PostForm.Del(confirmedField)
	return true
}

// asksFirst is a page that says what the form would do to tenants, subscriptions and
// amounts, and asks whether to go on; nil if it does nothing to them, or if that was asked
// already. What cannot be done is not asked about.
func asksFirst(c *call, ask ui.Confirmation, do func(context.Context) error) (*ui.Confirmation, error) {
	if c.value(confirmedField) != "" {
		return nil, nil
	}
	found, err := foretell(c, do)
	if err != nil || found.isNothing() {
		return nil, err
	}
	if ask.Foretold, err = found.shown(c); err != nil {
		return nil, err
	}
	ask.Safe, ask.Back = true, backField
	for _, name := range slices.Sorted(maps.Keys(c.r.PostForm)) {
		for _, value := range c.r.PostForm[name] {
			if name != ui.TokenField && name != backField {
				ask.Fields = append(ask.Fields, ui.Pair{Name: name, Value: value})
			}
		}
	}
	ask.Fields = append(ask.Fields, ui.Pair{Name: confirmedField, Value: "yes"})
	return &ask, nil
}
