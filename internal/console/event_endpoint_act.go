package console

import (
	"net/http"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/ui"
)

func eventEndpointCrumbs(e *webhook.EventEndpoint) []ui.Link {
	return []ui.Link{eventEndpointPages.listLink(), {Text: e.Name, Href: eventEndpointPages.href(e.ID)}}
}

func eventTestOf(e *webhook.EventEndpoint) testData {
	return testData{Title: "Test the endpoint", Crumbs: eventEndpointCrumbs(e), URL: e.URL, Action: eventEndpointPages.href(e.ID) + "/test"}
}

func askEventTest(c *call, e *webhook.EventEndpoint) error {
	return testPage.show(c, "Send test", eventTestOf(e))
}

func sendEventTest(c *call, e *webhook.EventEndpoint) error {
	test, err := c.service.Delivery.EventEndpointTest(c.ctx(), e.ID)
	return showTested(c, eventTestOf(e), test, err)
}

func askEventResume(c *call, e *webhook.EventEndpoint) error {
	return showEventResume(c, http.StatusOK, e, "")
}

func showEventResume(c *call, status int, e *webhook.EventEndpoint, problem string) error {
	here := eventEndpointPages.href(e.ID)
	return confirmPage.showStatus(c, status, "Resume", ui.Confirmation{
		Title: "Resume sending to “" + e.Name + "”?", Text: "Everything that waits is sent, in order.", Problem: problem,
		Action: here + "/resume", Submit: "Resume", Cancel: ui.Link{Text: "Back", Href: here}, Safe: true,
	})
}

func resumeEvents(c *call, e *webhook.EventEndpoint) error {
	_, err := c.service.Delivery.EventEndpointResume(c.ctx(), e.ID)
	if problems, known := billing.AsProblems(err); known && !billing.Is(err, billing.NotFound) {
		return showEventResume(c, http.StatusConflict, e, problems.Error())
	}
	if err != nil {
		return err
	}
	return c.goTo(eventEndpointPages.href(e.ID), "Resumed: waiting events are being sent.")
}

func eventSigner(e *webhook.EventEndpoint) signer {
	return signer{name: e.Name, href: eventEndpointPages.href(e.ID), crumbs: eventEndpointCrumbs(e), sealed: e.SigningSecretSealed, until: e.PreviousSecretUntil}
}

func showEventSigning(c *call, e *webhook.EventEndpoint) error {
	return showSecretOf(c, http.StatusOK, eventSigner(e), nil)
}

func rotateEventSigning(c *call, e *webhook.EventEndpoint) error {
	return rotateSecret(c, eventSigner(e), func(hours int) error {
		_, err := c.service.Delivery.EventEndpointSigningSecretRotate(c.ctx(), e.ID, hours)
		return err
	})
}
