package console

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/ui"
)

// confirmedField is in forms whose consequences were shown and accepted.
const confirmedField = "confirmed"

// foretell finds out what an operation would do to tenants, subscriptions and amounts,
// and does nothing.
func foretell(c *call, do func(context.Context) error) (*impact.Impact, error) {
	return c.service.Impact.Foretell(c.asking(), do)
}

// foretold is what an operation would do, in sentences and as data. It is empty if that is
// nothing.
func foretold(i *impact.Impact) ui.Foretold {
	if i == nil || i.IsNothing() {
		return ui.Foretold{}
	}
	data, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		panic("console: an impact must be JSON: " + err.Error())
	}
	return ui.Foretold{Says: i.Sentences(), Data: string(data)}
}

// asksFirst is a page that says what the form would do to tenants, subscriptions and
// amounts, and asks whether to go on; nil if it does nothing to them, or if that was asked
// already. What cannot be done is not asked about.
func asksFirst(c *call, ask ui.Confirmation, do func(context.Context) error) (*ui.Confirmation, error) {
	if c.value(confirmedField) != "" {
		return nil, nil
	}
	found, err := foretell(c, do)
	if err != nil || found.IsNothing() {
		return nil, err
	}
	ask.Foretold, ask.Safe = foretold(found), true
	for _, name := range slices.Sorted(maps.Keys(c.r.PostForm)) {
		for _, value := range c.r.PostForm[name] {
			if name != ui.TokenField {
				ask.Fields = append(ask.Fields, ui.Pair{Name: name, Value: value})
			}
		}
	}
	ask.Fields = append(ask.Fields, ui.Pair{Name: confirmedField, Value: "yes"})
	return &ask, nil
}
