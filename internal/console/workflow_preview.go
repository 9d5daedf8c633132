package console

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// preview is the body that a payload program makes.
type preview struct {
	Body, Problem string
}

// previewTenant is the field for the tenant to try a program on. It begins with
// the platform's newest.
func previewTenant(c *call, r *outbox.Route) (ui.Field, error) {
	f := ui.Field{
		Name: "previewTenant", Label: "Preview for tenant", Kind: ui.FieldText, Value: c.value("previewTenant"), Placeholder: "Sample data",
		Lookup: "/lookup/tenants?field=previewTenant&platform=" + ui.IDText(r.Platform.ID),
		Help:   "Code, or # and the id. Start typing to see suggestions. If empty, the preview uses sample data.",
	}
	if c.r.PostForm.Has(f.Name) || c.r.URL.Query().Has(f.Name) {
		return f, nil
	}
	rows, _, err := few(c, store.Tenants, 1, term("platform", int64(r.Platform.ID)))
	if len(rows) > 0 {
		f.Value = rows[0].Code
	}
	return f, err
}

// previewOf makes the body of a tenant's state with a program.
func previewOf(c *call, r *outbox.Route, tenant, source string) (preview, error) {
	id, err := findTenant(c, r.Platform.ID, tenant)
	if err == nil {
		var body []byte
		if body, err = c.service.Delivery.WorkflowPreview(c.ctx(), r.Workflow.ID, &source, id); err == nil {
			return preview{Body: ui.PrettyJSON(string(body))}, nil
		}
	}
	if problems, known := billing.AsProblems(err); known {
		return preview{Problem: problems.Error()}, nil
	}
	return preview{}, err
}

// findTenant finds the tenant of a platform that was typed: by its code, or by
// its id after a #. It is nil if nothing was typed.
func findTenant(c *call, platform billing.PlatformID, typed string) (*billing.TenantID, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return nil, nil
	}
	var found *billing.Tenant
	var err error
	if billing.IsCode(typed) {
		found, err = store.TenantByCode(c.ctx(), c.q(), platform, typed)
	}
	if digits, is := strings.CutPrefix(typed, "#"); is && found == nil && err == nil {
		if id, wrong := strconv.ParseInt(digits, 10, 64); wrong == nil {
			found, err = store.Tenants.Get(c.ctx(), c.q(), billing.TenantID(id))
		}
	}
	switch {
	case err != nil:
		return nil, err
	case found == nil || found.PlatformID != platform:
		return nil, billing.Fail(billing.NotFound, "previewTenant", "There is no tenant with the code %q on this platform. Write its code, or # and its id.", clip(typed, 60))
	}
	return &found.ID, nil
}

// lookupTenants suggests tenants of a platform for what was typed so far.
func lookupTenants(c *call) error {
	narrow := term("platform", queryID[billing.PlatformID](c, "platform"))
	return lookupWords(c, store.Tenants, narrow, func(t *billing.Tenant) ui.Option { return ui.Option{Value: t.Code, Text: t.Name} })
}
