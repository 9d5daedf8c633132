package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// stateTabs adds the links that narrow a list to one of its states. It returns
// the chosen one, and what it means.
func stateTabs[S ~string](c *call, data *ui.List, states []S, word func(S) string) (chosen S, always []billing.Term) {
	chosen = S(strings.ToUpper(c.value("state")))
	tab := func(text, state string, current bool) {
		query := url.Values{}
		for name, value := range map[string]string{"q": c.value("q"), "state": state} {
			if value != "" {
				query.Set(name, value)
			}
		}
		link := url.URL{Path: data.Path, RawQuery: query.Encode()}
		data.Tabs = append(data.Tabs, ui.NavItem{Text: text, Href: link.String(), Current: current})
	}
	tab("All", "", !slices.Contains(states, chosen))
	for _, s := range states {
		value := strings.ToLower(string(s))
		tab(word(s), value, s == chosen)
		if s == chosen {
			always = []billing.Term{{Field: "state", Op: billing.Equal, Value: value}}
			data.Keep = []ui.Pair{{Name: "state", Value: value}}
		}
	}
	return chosen, always
}
