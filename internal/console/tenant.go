package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var tenantPages *resource[billing.Tenant, billing.TenantID]

// Set here, because pages refer to each other.
func init() {
	tenantPages = &resource[billing.Tenant, billing.TenantID]{
		path: "tenants", one: "tenant", many: "Tenants", Resource: subscriptions.Tenants,
		name:   func(t *billing.Tenant) string { return t.Name },
		about:  "A tenant is a customer's instance of your application. It is created with a subscription.",
		hint:   "acme, platform:app, account:acme",
		fields: billing.TenantFields,
		listed: []string{"code", "platformId", "accountId"},
		notes:  notesOfDrift,
		show:   showTenant,
		update: func(c *call, ctx context.Context, id billing.TenantID, edit func(*billing.Tenant) error) (*billing.Tenant, error) {
			return c.service.Subscriptions.TenantUpdate(ctx, id, edit)
		},
		remove: func(c *call, ctx context.Context, id billing.TenantID) (*billing.Tenant, error) {
			return c.service.Subscriptions.TenantDelete(ctx, id)
		},
		losses: func(*call, *billing.Tenant) (string, error) { return "Its events are deleted with it.", nil },
	}
}

// tenantStanding says what unpaid invoices do to a tenant, and why it has no features if
// that is the reason.
func tenantStanding(c *call, data *ui.Details, state *webhook.ProvisioningState, empty string) (string, error) {
	var worst *subscription.Subscription
	for n := range state.Subscriptions {
		s := &state.Subscriptions[n].Subscription
		if s.State.Live() && s.Standing.Worse(billing.Good) && (worst == nil || s.Standing.Worse(worst.Standing)) {
			worst = s
		}
	}
	if worst == nil {
		return empty, nil
	}
	subs := make([]subscription.Subscription, len(state.Subscriptions))
	for n := range state.Subscriptions {
		subs[n] = state.Subscriptions[n].Subscription
	}
	if err := standingFact(c, data, worst, subs); err != nil || worst.Standing != billing.Suspended {
		return empty, err
	}
	return suspendedWords(c, subs)
}

func showTenant(c *call, t *billing.Tenant) (*ui.Details, error) {
	state, err := c.service.Provisioning.State(c.ctx(), t.ID)
	if err != nil {
		return nil, err
	}
	data := &ui.Details{}
	sync, err := syncOf(c, t)
	if err != nil {
		return nil, err
	}
	features := ui.Block{Title: "Current features", Empty: "None: the tenant has no trial or active subscription."}
	if state != nil {
		features.Table = featureTable(state.Features())
		if features.Empty, err = tenantStanding(c, data, state, features.Empty); err != nil {
			return nil, err
		}
	}
	if sync.differs() {
		features.Note = "What the tenant should have, by its subscriptions."
	}
	sync.addFacts(data)
	data.Poll = sync.Poll
	platform, err := store.Platforms.Get(c.ctx(), c.q(), t.PlatformID)
	if err != nil {
		return nil, err
	}
	data.Calm = sync.State.Tone == "info"
	if data.Note = sync.Why; platform != nil && !platform.ProvisioningEnabled {
		data.Calm = false
		data.Note = "Provisioning is off on the platform: nothing is recorded or sent for this tenant."
	}
	if c.may(billing.StandardWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "Send current state", Href: tenantPages.href(t.ID) + "/sync"})
	}
	if t.LastLogin != nil {
		data.Fact("Last login", ui.Moment(*t.LastLogin))
	}
	if t.UserCount != nil {
		data.Fact("Users", ui.Number(*t.UserCount))
	}
	subs, err := subscriptionBlock(c, "tenant", int64(t.ID))
	if err != nil {
		return nil, err
	}
	events, err := eventBlock(c, t)
	if err != nil {
		return nil, err
	}
	if len(sync.Jobs) > 0 {
		data.Blocks = append(data.Blocks, sync.jobsBlock())
	}
	if err := addDrift(c, data, t, sync); err != nil {
		return nil, err
	}
	data.Blocks = append(data.Blocks, features, subs, events)
	return data, nil
}

// eventBlock is the newest events of a tenant; those before them follow by a
// link.
func eventBlock(c *call, t *billing.Tenant) (ui.Block, error) {
	const most = 25
	before := int(cursor(c, "before"))
	events, err := outbox.RecentEvents(c.ctx(), c.q(), t.ID, before, most+1)
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{
		Title: "Events", Table: ui.Table{Columns: []string{"Number", "Reason", "State", "Last response", "Recorded", "Size"}}, Empty: "None yet.",
		Add: &ui.Link{Text: "In the webhook log", Href: "/events?q=tenant%3A" + ui.IDText(t.ID)},
	}
	if len(events) > most {
		events = events[:most]
		b.More = &ui.Link{Text: "Older events", Href: fmt.Sprintf("%s?before=%d", tenantPages.href(t.ID), events[most-1].Sequence)}
	}
	logged, err := log.LoggedEvents(c.ctx(), c.q(), ids(events, func(e *webhook.Event) billing.EventID { return e.ID }))
	if err != nil {
		return ui.Block{}, err
	}
	names, err := namesOfEvents(c, logged)
	if err != nil {
		return ui.Block{}, err
	}
	slices.Reverse(logged) // the newest first, as events are
	for i := range min(len(logged), len(events)) {
		e := &logged[i]
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{
			ui.Linked("#"+strconv.Itoa(e.Sequence), eventHref(e.ID)), ui.Plain(ui.Capitalized(reasonWord(e.Reason))), deliveryState(names.state(e)), names.answered(e), ui.Moment(e.CreatedAt),
			{Text: ui.Grouped(len(events[i].Body)) + " bytes", Kind: ui.CellNumber},
		})
	}
	return b, nil
}
