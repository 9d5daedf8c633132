package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// auditActors are who made the changes of entries. API clients are called by their names;
// below is what the filter calls them.
func auditActors(c *call, rows []billing.AuditEntry) (map[string]ui.Cell, error) {
	actors := map[string]ui.Cell{}
	for i := range rows {
		actor := rows[i].Actor
		if _, known := actors[actor]; known {
			continue
		}
		actors[actor] = ui.Plain(actor)
		id, is := strings.CutPrefix(actor, "client ")
		if !is {
			continue
		}
		client, err := store.ClientByClientID(c.ctx(), c.q(), id)
		switch {
		case err != nil:
			return nil, err
		case client == nil: // deleted long ago
		case c.may(billing.AdminRead) && !client.Deleted:
			actors[actor] = ui.Linked(client.Name, clientPages.href(client.ID)).WithSub(actor)
		default:
			actors[actor] = ui.Plain(client.Name).WithSub(actor)
		}
	}
	return actors, nil
}
