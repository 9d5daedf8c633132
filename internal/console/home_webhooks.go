package console

import (
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// counted is a number that was counted no further than a bound.
func counted(n, most int) string {
	if n > most {
		return "more than " + ui.Grouped(most)
	}
	return ui.Grouped(n)
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
	for i, why := range []log.Behind{log.BehindFailing, log.BehindStopped, log.BehindWaiting} {
		n, err := log.CountBehind(c.ctx(), c.q(), why, mostCounted+1)
		if err != nil {
			return err
		}
		of[i] = n
	}
	failing, stopped, waiting := of[0], of[1], of[2]
	say := func(n int, tone, one, many string, where ui.Link) {
		text := one
		if n != 1 {
			text = ui.Capitalized(counted(n, mostCounted)) + " " + many
		}
		data.Attention = append(data.Attention, notice{tone, text, where})
	}
	if failing > 0 {
		say(failing, "bad", "1 tenant is out of sync: the last attempt to notify its application failed.",
			"tenants are out of sync: the last attempt to notify their application failed.", ui.Link{Text: "Their events", Href: "/events?state=retry_wait"})
	}
	if stopped > 0 {
		say(stopped, "bad", "1 tenant is out of sync, with no webhook waiting: its newest event was given up. Send its current state.",
			"tenants are out of sync, with no webhooks waiting: their newest events were given up. Send their current state.", ui.Link{Text: "Their events", Href: "/events?state=exhausted"})
	}
	if waiting > failing {
		say(stopped+waiting, "warn", "1 tenant is out of sync: a webhook is waiting.",
			map[bool]string{true: "tenants are out of sync: webhooks are waiting.", false: "tenants are out of sync in total; webhooks for the others are waiting."}[failing+stopped == 0],
			ui.Link{Text: "Webhook log", Href: "/events"})
	}
	return nil
}

// noticeEndpoints tells which platforms' webhooks do not go out.
func noticeEndpoints(c *call, data *homeData) error {
	platforms, _, err := few(c, store.Platforms, 100, nil)
	if err != nil {
		return err
	}
	routes, err := outbox.RoutesOf(c.ctx(), c.q(), ids(platforms, platformPages.id))
	for i := range routes {
		r := &routes[i]
		tone := map[webhook.EndpointState]string{
			webhook.EndpointPaused: "bad", webhook.EndpointBreakerOpen: "bad", webhook.EndpointWorkflowDisabled: "warn", webhook.EndpointNoURL: "warn",
			webhook.EndpointSecretsNeeded: "bad",
		}[r.State()]
		if tone != "" && r.Platform.ProvisioningEnabled {
			data.Attention = append(data.Attention, notice{tone, "Webhooks of " + r.Platform.Name + " are waiting: " + endpointWhy(r), ui.Link{Text: "Look at it", Href: platformPages.href(r.Platform.ID)}})
		}
		if c.goesToReceiver(r.Platform.WebhookURL) && data.Steps == nil {
			data.Attention = append(data.Attention, notice{"warn", "Webhooks of " + r.Platform.Name + receiverNote, ui.Link{Text: "Change it", Href: platformPages.href(r.Platform.ID) + "/edit"}})
		}
	}
	return err
}

// noticeGivenUp tells of events that will not be sent again by themselves.
func noticeGivenUp(c *call, data *homeData) error {
	const most = 100
	n, err := log.CountGivenUp(c.ctx(), c.q(), most+1)
	if err != nil || n == 0 {
		return err
	}
	text := ui.Capitalized(counted(n, most)) + " events were given up after their last attempt."
	if n == 1 {
		text = "1 event was given up after its last attempt."
	}
	data.Attention = append(data.Attention, notice{"bad", text, ui.Link{Text: "Look at them", Href: "/events?state=exhausted"}})
	return nil
}
