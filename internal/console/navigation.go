package console

import (
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// menuGroup is a part of the menu.
type menuGroup struct {
	title   string
	admin   bool // only for admins
	entries []menuEntry
}

// menuEntry is a page, or the pages of a resource.
type menuEntry interface{ listLink() ui.Link }

type pageLink ui.Link

func (l pageLink) listLink() ui.Link { return ui.Link(l) }

// menu is the whole menu. The pages of resources in it are served; see allRoutes.
func menu() []menuGroup {
	return []menuGroup{
		{entries: []menuEntry{pageLink{Text: "Home", Href: "/"}}},
		{title: "Customers", entries: []menuEntry{pageLink{Text: "Subscriptions", Href: "/subscriptions"}, accountPages, contactPages, tenantPages}},
		{title: "Billing", entries: []menuEntry{pageLink(invoiceList), pageLink(creditNoteList), pageLink(paymentList), pageLink(collectionList), pageLink(overdueLink), entityPages, taxRatePages, dunningPolicyPages}},
		{title: "Telling customers", entries: []menuEntry{pageLink(emailList), pageLink(messageList), emailTemplatePages}},
		{title: "Catalog", entries: []menuEntry{platformPages, productPages, featurePages, planPages, priceListPages, chargePages}},
		{title: "Workflow", entries: []menuEntry{pageLink{Text: "Tenant Provisioning", Href: "/workflows"}, eventEndpointPages}},
		{title: "Operation", entries: []menuEntry{
			pageLink{Text: "Webhook log", Href: "/events"}, pageLink{Text: "Jobs", Href: "/jobs"}, clockPages,
			pageLink{Text: "GraphiQL", Href: "/graphiql"}, pageLink{Text: "Documentation", Href: "/docs"},
		}},
		{title: "Administration", admin: true, entries: []menuEntry{clientPages, userPages, pageLink{Text: "Audit log", Href: "/audit"}}},
	}
}

// navigation is the menu of a user on a page.
func navigation(role billing.Role, path string) []ui.NavGroup {
	var groups []ui.NavGroup
	for _, group := range menu() {
		if group.admin && !role.Allows(billing.AdminRead) {
			continue
		}
		shown := ui.NavGroup{Title: group.title}
		for _, entry := range group.entries {
			link := entry.listLink()
			shown.Items = append(shown.Items, ui.NavItem{Text: link.Text, Href: link.Href})
		}
		groups = append(groups, shown)
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
