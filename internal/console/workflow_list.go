package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// listWorkflows is how the webhooks of each platform are sent. Every platform
// has one workflow, so it is a list of platforms.
func listWorkflows(c *call) error {
	data := listData{
		Title: "Tenant Provisioning", Path: "/workflows", Hint: "app, provisioningEnabled:true",
		About: "A workflow sends the webhooks of a platform. Every platform has one.",
	}
	if c.may(billing.StandardWrite) {
		data.New = &link{"New platform", "/platforms/new"}
	}
	return showList(c, data, store.Platforms, platformPages.id, []string{"Workflow", "Platform", "Endpoint", "URL", "Order", "Payload"}, workflowCells, nil)
}

func workflowCells(c *call, rows []billing.Platform) ([][]cell, error) {
	routes, err := routesOf(c, ids(rows, platformPages.id))
	if err != nil {
		return nil, err
	}
	var table [][]cell
	for i := range rows {
		r := routes[rows[i].ID]
		if r == nil {
			continue // deleted just now
		}
		here := platformPages.href(r.Platform.ID)
		name := to(r.Workflow.Name, here+"/workflow")
		if !c.may(billing.PlatformWrite) {
			name.Href = here // where it is shown
		}
		state := endpointState(r.State())
		if !r.Platform.ProvisioningEnabled {
			state = mark("provisioning off", "")
		}
		payload := plain("standard")
		if r.Workflow.PayloadProgram != nil {
			payload = plain("by a program")
		}
		table = append(table, []cell{name, to(r.Platform.Name, here), state, orDash(deref(r.Platform.WebhookURL)), plain(enumWord(r.Workflow.Order)), payload})
	}
	return table, nil
}
