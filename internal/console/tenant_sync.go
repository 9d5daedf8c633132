package console

import (
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// syncView is how far an application is up to date about a tenant.
type syncView struct {
	webhook.ProvisioningStatus
	State ui.Cell
	// Why says what keeps it from being up to date.
	Why string
	// Drift is what the application reported of the tenant, nil if it never did.
	Drift *drift.Tenant
	// Jobs have yet to reach the tenant.
	Jobs []billing.Job
	// Poll is how soon the page asks again, in seconds: not at all if 0.
	Poll int
}

func syncOf(c *call, t *billing.Tenant) (*syncView, error) {
	// Jobs first: one that ends meanwhile has told what it had to tell.
	coming, err := c.service.Provisioning.JobsToReach(c.ctx(), []billing.Tenant{*t})
	if err != nil {
		return nil, err
	}
	all, err := c.service.Provisioning.Status(c.ctx(), []billing.Tenant{*t})
	if err != nil {
		return nil, err
	}
	reported, err := store.DriftOf(c.ctx(), c.q(), []billing.TenantID{t.ID})
	if err != nil {
		return nil, err
	}
	v := &syncView{ProvisioningStatus: all[t.ID], Jobs: coming[t.ID], Drift: reported[t.ID]}
	if v.InSync {
		v.Jobs = nil
	}
	switch {
	case v.InSync && v.DesiredSequence == 0:
		v.State = ui.Badge("nothing to tell", "")
		return v, nil
	case v.InSync:
		v.delivered()
		return v, nil
	}
	v.Why, err = whyOutOfSync(c, t, v)
	return v, err
}

// delivered is the state of a tenant whose application has accepted everything. Only the
// application knows whether it also has what it was told.
func (v *syncView) delivered() {
	switch d := v.Drift; {
	case d == nil || d.Outcome == drift.InSync && d.Sequence < v.DesiredSequence:
		v.State = ui.Badge("delivered", "good")
	case d.Outcome == drift.InSync:
		v.State = ui.Badge(d.Outcome.Words(), "good")
	default:
		v.State = ui.Badge("delivered", "")
	}
}

// differs says whether the application reported something else than it was told.
func (v *syncView) differs() bool { return v.Drift != nil && v.Drift.Outcome != drift.InSync }

// The states of a tenant that is not up to date: it is being told, nobody lets
// it be told, or telling it has failed.
func (v *syncView) sending() { v.State, v.Poll = ui.Badge("sending…", "info"), 1 }
func (v *syncView) held()    { v.State = ui.Badge("held", "warn") }
func (v *syncView) failed()  { v.State, v.Poll = ui.Badge("out of sync", "bad"), 5 }

// worst is the state where only one is shown: what the application has, if it has something
// else than it was told.
func (v *syncView) worst() ui.Cell {
	if v.InSync && v.differs() {
		return driftBadge(v.Drift.Outcome)
	}
	return v.State
}

// whyOutOfSync says what a tenant that is not up to date waits for.
func whyOutOfSync(c *call, t *billing.Tenant, v *syncView) (string, error) {
	if v.DesiredSequence == v.DeliveredSequence {
		v.sending()
		return "The application has all events, but " + namesOfJobs(v.Jobs) + " yet to reach this tenant.", nil
	}
	routes, err := routesOf(c, []billing.PlatformID{t.PlatformID})
	if err != nil {
		return "", err
	}
	streams, err := outbox.StreamsOf(c.ctx(), c.q(), []billing.TenantID{t.ID})
	if err != nil {
		return "", err
	}
	stream, route := streams[t.ID], routes[t.PlatformID]
	v.failed()
	switch {
	case route != nil && route.State() != webhook.EndpointReady:
		if s := route.State(); s == webhook.EndpointWorkflowDisabled || s == webhook.EndpointNoURL || s == webhook.EndpointSecretsNeeded {
			v.held()
		}
		return "Events are waiting: " + endpointWhy(route), nil
	case stream == nil || stream.Waiting() == 0:
		return "Nothing is waiting: the newest event was given up, or an older one was sent after it. Send the current state to bring the application up to date.", nil
	case stream.AttemptID != nil && stream.Attempts > 0:
		return "The last attempt failed; another request is under way.", nil
	case stream.Attempts > 0 && stream.DueAt != nil:
		return "The last attempt failed; the next is due at " + ui.MomentText(*stream.DueAt) + ".", nil
	}
	v.sending()
	if stream.AttemptID != nil {
		return "A request is under way.", nil
	}
	return ui.Plural(int(stream.Waiting()), "event waits", "events wait") + " to be sent.", nil
}

// namesOfJobs names jobs in a sentence.
func namesOfJobs(jobs []billing.Job) string {
	switch len(jobs) {
	case 0:
		return "a job that was under way just now has" // it has ended since
	case 1:
		return "job " + ui.IDText(jobs[0].ID) + " has"
	}
	names := make([]string, len(jobs))
	for i := range jobs {
		names[i] = ui.IDText(jobs[i].ID)
	}
	last := len(names) - 1
	return "jobs " + strings.Join(names[:last], ", ") + " and " + names[last] + " have"
}

// jobsBlock shows the jobs that have yet to reach a tenant.
func (v *syncView) jobsBlock() ui.Block {
	return ui.Block{Title: "Jobs still to reach it", Note: "Each records one more event when it reaches this tenant.", Table: ui.Table{Columns: jobColumns, Rows: ui.RowsOf(v.Jobs, jobCells)}}
}

// addFacts adds what is known about the tenant's application.
func (v *syncView) addFacts(d *ui.Details) {
	d.Badges = append(d.Badges, v.State)
	if v.DesiredSequence == 0 {
		return
	}
	d.Fact("Newest event", ui.Plain("number "+ui.Grouped(v.DesiredSequence)))
	delivered := ui.Muted("none yet")
	if v.DeliveredSequence == 0 && v.LastDeliveredAt != nil {
		delivered = ui.Muted("unknown: an older event was sent after it, and not answered")
	}
	if v.DeliveredSequence > 0 {
		delivered = ui.Plain("number " + ui.Grouped(v.DeliveredSequence))
	}
	d.Fact("Delivered last", delivered)
	d.Fact("Delivered at", ui.OptionalMoment(v.LastDeliveredAt, "never"))
	d.OptionalFact("Last error", v.LastError)
}

func askSync(c *call, t *billing.Tenant) error {
	return confirmPage.show(c, "Send current state", ui.Confirmation{
		Title: "Send the current state of “" + t.Name + "”?", Action: tenantPages.href(t.ID) + "/sync", Submit: "Send current state",
		Text:   "A new event with all current features is recorded and sent, behind any that are waiting, whether anything changed or not.",
		Cancel: ui.Link{Text: "Back", Href: tenantPages.href(t.ID)}, Safe: true,
	})
}

func syncTenant(c *call, t *billing.Tenant) error {
	sent, err := c.service.Provisioning.TenantSync(c.ctx(), t.ID)
	if err != nil {
		return err
	}
	if sent.EventID == 0 {
		return &pageError{status: http.StatusConflict, title: "Provisioning is off",
			text: "The tenant's platform has provisioning switched off, so nothing is recorded or sent. Switch it on under the platform.",
			back: &ui.Link{Text: "The platform", Href: platformPages.href(t.PlatformID)}}
	}
	return c.goTo(eventHref(sent.EventID), "The current state is being sent.")
}
