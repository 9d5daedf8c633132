package console

import (
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// navigation is the menu of a user on a page.
func navigation(role billing.Role, path string) []ui.NavGroup {
	groups := []ui.NavGroup{
		{Title: "", Items: []ui.NavItem{{Text: "Home", Href: "/"}}},
		{Title: "Customers", Items: []ui.NavItem{
			{Text: "Subscriptions", Href: "/subscriptions"}, {Text: "Accounts", Href: "/accounts"},
			{Text: "Contacts", Href: "/contacts"}, {Text: "Tenants", Href: "/tenants"},
		}},
		{Title: "Catalog", Items: []ui.NavItem{
			{Text: "Platforms", Href: "/platforms"}, {Text: "Products", Href: "/products"}, {Text: "Features", Href: "/features"},
			{Text: "Plans", Href: "/plans"}, {Text: "Price lists", Href: "/price-lists"}, {Text: "Charges", Href: "/charges"},
		}},
		{Title: "Workflow", Items: []ui.NavItem{{Text: "Tenant Provisioning", Href: "/workflows"}}},
		{Title: "Operation", Items: []ui.NavItem{{Text: "Webhook log", Href: "/events"}, {Text: "Jobs", Href: "/jobs"}, {Text: "Test clocks", Href: "/test-clocks"}, {Text: "GraphiQL", Href: "/graphiql"}, {Text: "Documentation", Href: "/docs"}}},
	}
	if role.Allows(billing.AdminRead) {
		groups = append(groups, ui.NavGroup{Title: "Administration", Items: []ui.NavItem{
			{Text: "API clients", Href: "/api-clients"}, {Text: "Users", Href: "/users"}, {Text: "Audit log", Href: "/audit"},
		}})
	}
	here := placeInMenu(path)
	for _, group := range groups {
		for i := range group.Items {
			item := &group.Items[i]
			item.Current = item.Href == here
		}
	}
	return groups
}

// placeInMenu is the one item of the menu that a page belongs to, if there is
// one: that of its first part, but for the form of a workflow, which stands
// below a platform.
func placeInMenu(path string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if _, action, _ := strings.Cut(rest, "/"); first == "platforms" && (action == "workflow" || strings.HasPrefix(action, "workflow/")) {
		return "/workflows"
	}
	return "/" + first
}

// showMenu is the menu alone, for the page for trying the API, which has a frame
// of its own. Somebody who is not signed in has none.
func showMenu(c *call) error {
	if c.user == nil {
		c.w.Header().Set("Cache-Control", "no-store")
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.sendPart("sidebar", c.menu("/graphiql"))
}
