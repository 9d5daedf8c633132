package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// listWorkflows is how the webhooks of each platform are sent. Every platform
// has one workflow, so it is a list of platforms.
func listWorkflows(c *call) error {
	data := ui.List{
		Title: "Tenant Provisioning", Path: "/workflows", Hint: "app, provisioningEnabled:true",
		About: "A workflow sends the webhooks of a platform. Every platform has one.",
	}
	if c.may(billing.StandardWrite) {
		data.New = &ui.Link{Text: "New platform", Href: "/platforms/new"}
	}
	return showList(c, data, store.Platforms, platformPages.id, []string{"Workflow", "Platform", "Endpoint", "URL", "Order", "Payload"}, workflowCells, nil)
}

func workflowCells(c *call, rows []webhook.Platform) ([][]ui.Cell, error) {
	routes, err := routesOf(c, ids(rows, platformPages.id))
	if err != nil {
		return nil, err
	}
	var table [][]ui.Cell
	for i := range rows {
		r := routes[rows[i].ID]
		if r == nil {
			continue // deleted just now
		}
		here := platformPages.href(r.Platform.ID)
		name := ui.Linked(r.Workflow.Name, here+"/workflow")
		if !c.may(billing.PlatformWrite) {
			name.Href = here // where it is shown
		}
		state := endpointState(r.State())
		if !r.Platform.ProvisioningEnabled {
			state = ui.Badge("provisioning off", "")
		}
		payload := ui.Plain("standard")
		if r.Workflow.PayloadProgram != nil {
			payload = ui.Plain("by a program")
		}
		table = append(table, []ui.Cell{name, ui.Linked(r.Platform.Name, here), state, ui.OrDash(ui.Deref(r.Platform.WebhookURL)), ui.Plain(ui.EnumText(r.Workflow.Order)), payload})
	}
	return table, nil
}
