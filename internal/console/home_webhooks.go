package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// counted is a number that was counted no further than a bound.
func counted(n, most int) string {
	if n > most {
		return "more than " + grouped(most)
	}
	return grouped(n)
}

// fillWebhooks tells what keeps applications from being up to date.
func fillWebhooks(c *call, data *homeData) error {
	if err := noticeEndpoints(c, data); err != nil {
		return err
	}
	if err := noticeBehind(c, data); err != nil {
		return err
	}
	return noticeGivenUp(c, data)
}

// noticeBehind tells how many tenants are out of sync and why. Those that a job
// has yet to reach are not among them; the job is shown with its progress.
func noticeBehind(c *call, data *homeData) error {
	var of [3]int
	for i, why := range []store.Behind{store.BehindFailing, store.BehindStopped, store.BehindWaiting} {
		n, err := store.CountBehind(c.ctx(), c.q(), why, mostCounted+1)
		if err != nil {
			return err
		}
		of[i] = n
	}
	failing, stopped, waiting := of[0], of[1], of[2]
	say := func(n int, tone, one, many string, where link) {
		text := one
		if n != 1 {
			text = upperFirst(counted(n, mostCounted)) + " " + many
		}
		data.Attention = append(data.Attention, notice{tone, text, where})
	}
	if failing > 0 {
		say(failing, "bad", "1 tenant is out of sync: the last attempt to tell its application failed.",
			"tenants are out of sync: the last attempt to tell their application failed.", link{"Their events", "/events?state=retry_wait"})
	}
	if stopped > 0 {
		say(stopped, "bad", "1 tenant is out of sync and nothing waits for it: its newest event was given up. Send its current state.",
			"tenants are out of sync and nothing waits for them: their newest events were given up. Send their current state.", link{"Their events", "/events?state=exhausted"})
	}
	if waiting > failing {
		say(stopped+waiting, "warn", "1 tenant is out of sync: a webhook waits for it.",
			map[bool]string{true: "tenants are out of sync: webhooks wait for them.", false: "tenants are out of sync in all; webhooks wait for the others."}[failing+stopped == 0],
			link{"Webhook log", "/events"})
	}
	return nil
}

// noticeEndpoints tells which platforms' webhooks do not go out.
func noticeEndpoints(c *call, data *homeData) error {
	platforms, _, err := few(c, store.Platforms, 100, nil)
	if err != nil {
		return err
	}
	routes, err := store.RoutesOf(c.ctx(), c.q(), ids(platforms, platformPages.id))
	for i := range routes {
		r := &routes[i]
		tone := map[billing.EndpointState]string{
			billing.EndpointPaused: "bad", billing.EndpointBreakerOpen: "bad", billing.EndpointWorkflowDisabled: "warn", billing.EndpointNoURL: "warn",
		}[r.State()]
		if tone != "" && r.Platform.ProvisioningEnabled {
			data.Attention = append(data.Attention, notice{tone, "Webhooks of " + r.Platform.Name + " wait: " + endpointWhy(r), link{"Look at it", platformPages.href(r.Platform.ID)}})
		}
	}
	return err
}

// noticeGivenUp tells of events that will not be sent again by themselves.
func noticeGivenUp(c *call, data *homeData) error {
	const most = 100
	n, err := store.CountGivenUp(c.ctx(), c.q(), most+1)
	if err != nil || n == 0 {
		return err
	}
	text := upperFirst(counted(n, most)) + " events were given up after their last attempt."
	if n == 1 {
		text = "1 event was given up after its last attempt."
	}
	data.Attention = append(data.Attention, notice{"bad", text, link{"Look at them", "/events?state=exhausted"}})
	return nil
}

// arrival is the first webhook of an installation.
type arrival struct {
	Text  string
	State cell
	Why   string
	Link  link
	Body  string
	Poll  bool // it is on its way
}

// firstWebhook shows what became of the webhook of the only subscription.
func firstWebhook(c *call, s *billing.Subscription) (*arrival, error) {
	events, err := store.ListEvents(c.ctx(), c.q(), store.Page{Limit: 1, Backwards: true})
	if err != nil {
		return nil, err
	}
	if s.TenantID == nil || len(events) == 0 {
		return &arrival{Text: "No webhook was recorded: the subscription has no tenant, or its platform does not provision.", State: mark("none", "warn"),
			Link: link{"The subscription", subscriptionHref(s.ID)}}, nil
	}
	e := &events[0]
	names, err := namesOfEvents(c, events)
	if err != nil {
		return nil, err
	}
	bodies, err := store.EventBodies(c.ctx(), c.q(), []billing.EventID{e.ID})
	if err != nil {
		return nil, err
	}
	state := names.state(e)
	a := &arrival{
		Text: "It is on its way.", State: deliveryState(state), Why: whyState(e, state, names), Link: link{"All about it", eventHref(e.ID)},
		Body: pretty(bodies[e.ID].Body), Poll: state != billing.StateDelivered,
	}
	switch {
	case state == billing.StateDelivered:
		a.Text = "It arrived. This is what your application was told:"
	case names.attempted[e.ID] != nil && names.attempted[e.ID].Error != nil:
		a.Text = "It did not arrive yet: " + *names.attempted[e.ID].Error
	}
	return a, nil
}
