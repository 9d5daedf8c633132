package console

import (
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// syncView is how far an application is up to date about a tenant.
type syncView struct {
	billing.ProvisioningStatus
	State cell
	// Why says what keeps it from being up to date.
	Why string
	// Job says that a job has yet to reach the tenant.
	Job bool
}

func syncOf(c *call, t *billing.Tenant) (*syncView, error) {
	all, err := c.service.Provisioning(c.ctx(), []billing.Tenant{*t})
	if err != nil {
		return nil, err
	}
	v := &syncView{ProvisioningStatus: all[t.ID]}
	switch {
	case v.InSync && v.DesiredSequence == 0:
		v.State = mark("nothing to tell", "")
		return v, nil
	case v.InSync:
		v.State = mark("in sync", "good")
		return v, nil
	}
	v.State, v.Job = mark("out of sync", "bad"), v.DesiredSequence == v.DeliveredSequence
	v.Why, err = whyOutOfSync(c, t, v)
	return v, err
}

// whyOutOfSync says what a tenant that is not up to date waits for.
func whyOutOfSync(c *call, t *billing.Tenant, v *syncView) (string, error) {
	if v.Job {
		return "The application has all events, but a job that is under way has yet to reach this tenant.", nil
	}
	routes, err := routesOf(c, []billing.PlatformID{t.PlatformID})
	if err != nil {
		return "", err
	}
	lanes, err := store.LanesOf(c.ctx(), c.q(), []billing.TenantID{t.ID})
	if err != nil {
		return "", err
	}
	lane, route := lanes[t.ID], routes[t.PlatformID]
	switch {
	case route != nil && route.State() != billing.EndpointReady:
		return "Events wait: " + endpointWhy(route), nil
	case lane == nil || lane.Waiting() == 0:
		return "Nothing waits any more: the newest event was given up, or an older one was sent after it. Send the current state to bring the application up to date.", nil
	case lane.AttemptID != nil:
		return "A request is under way.", nil
	case lane.Attempts > 0 && lane.DueAt != nil:
		return "The last attempt failed; the next is due at " + utc(*lane.DueAt) + ".", nil
	}
	return plural(int(lane.Waiting()), "event waits", "events wait") + " to be sent.", nil
}

// syncFacts adds what is known about the tenant's application.
func (d *showData) syncFacts(v *syncView) {
	d.Badges = append(d.Badges, v.State)
	if v.DesiredSequence == 0 {
		return
	}
	d.fact("Newest event", plain("number "+grouped(v.DesiredSequence)))
	delivered := muted("none yet")
	if v.DeliveredSequence == 0 && v.LastDeliveredAt != nil {
		delivered = muted("not known: an older event was sent after it, and not answered")
	}
	if v.DeliveredSequence > 0 {
		delivered = plain("number " + grouped(v.DeliveredSequence))
	}
	d.fact("Delivered last", delivered)
	d.fact("Delivered at", maybeMoment(v.LastDeliveredAt, "never"))
	d.known("Last error", v.LastError)
	if v.Job {
		d.fact("Still to come", to("Jobs under way", "/jobs"))
	}
}

func askSync(c *call) error {
	t, err := tenantPages.find(c)
	if err != nil {
		return err
	}
	return confirmPage.show(c, "Send current state", confirmData{
		Title: "Send the current state of “" + t.Name + "”?", Action: tenantPages.href(t.ID) + "/sync", Submit: "Send current state",
		Text:   "A new event with all features that must be enabled now is recorded and sent, behind what waits, whether anything changed or not.",
		Cancel: link{"Back", tenantPages.href(t.ID)}, Safe: true,
	})
}

func syncTenant(c *call) error {
	t, err := tenantPages.find(c)
	if err != nil {
		return err
	}
	sent, err := c.service.TenantSync(c.ctx(), t.ID)
	if err != nil {
		return err
	}
	if sent.EventID == 0 {
		return &pageError{status: http.StatusConflict, title: "Provisioning is off",
			text: "The tenant's platform has provisioning switched off, so nothing is recorded or sent. Switch it on under the platform.",
			back: &link{"The platform", platformPages.href(t.PlatformID)}}
	}
	return c.goTo(eventHref(sent.EventID), "The current state is on its way.")
}
