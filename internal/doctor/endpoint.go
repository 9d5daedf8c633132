package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/send"
)

// provisioned are the routes of platforms that are told of changes.
func (p *Patient) provisioned(ctx context.Context) (routes []outbox.Route, err error) {
	all, err := outbox.AllRoutes(ctx, p.store.Queries())
	for i := range all {
		if all[i].Platform.ProvisioningEnabled {
			routes = append(routes, all[i])
		}
	}
	return routes, err
}

// checkEndpoints finds platforms to which nothing is sent because of a decision
// or a setting.
func checkEndpoints(ctx context.Context, p *Patient) (found []Finding, err error) {
	routes, err := p.provisioned(ctx)
	for i := range routes {
		r, subject := &routes[i], "platform "+routes[i].Platform.Code
		switch r.State() {
		case webhook.EndpointNoURL:
			found = append(found, warning(subject, "set the webhook URL of the platform, or switch its provisioning off",
				"provisioning is on, but there is no URL to send webhooks to"))
		case webhook.EndpointPaused:
			found = append(found, problem(subject, "mend the receiver, then Resume on the platform's page in the console, or platformEndpointResume",
				"its endpoint is paused%s: webhooks wait", because(r.Endpoint.PauseReason)))
		case webhook.EndpointWorkflowDisabled:
			found = append(found, warning(subject, "switch the workflow on, or the platform's provisioning off", "its workflow is switched off: webhooks wait"))
		case webhook.EndpointSecretsNeeded:
			found = append(found, problem(subject, "set them again on the platform's page in the console, under Workflow, or with platformUpdate and workflowUpdate; or remove them",
				"webhooks wait: %s, and secrets are sent to no other host", webhook.WereSet(r.NeededSecrets())))
		case webhook.EndpointBreakerOpen:
			found = append(found, warning(subject, "mend the receiver; webhooks go on by themselves when it answers",
				"its endpoint failed %d times in a row, so that only probes are sent", r.Endpoint.Failures))
		}
	}
	return found, err
}

func because(reason *string) string {
	if reason == nil {
		return ""
	}
	return " (" + *reason + ")"
}

const (
	// reachTime is how long one endpoint may take, and reachAtOnce how many are
	// tried at a time.
	reachTime   = 5 * time.Second
	reachAtOnce = 16
)

// checkReachability connects to each endpoint as a webhook would, and sends
// nothing.
func checkReachability(ctx context.Context, p *Patient) ([]Finding, error) {
	routes, err := p.provisioned(ctx)
	if err != nil {
		return nil, err
	}
	answers := make([][]Finding, len(routes))
	slots := make(chan struct{}, reachAtOnce)
	var group sync.WaitGroup
	for i := range routes {
		if routes[i].Platform.WebhookURL == nil {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answers[i] = reach(ctx, p.Sender, &routes[i].Platform)
		})
	}
	group.Wait()
	var found []Finding
	for _, answer := range answers {
		found = append(found, answer...)
	}
	return found, nil
}

// ways out of each kind of failure.
var ways = map[string]string{
	send.Refused:    "use an address that webhooks may go to, or allow its network with --webhook-allow (run the doctor with the flags of the server)",
	send.DNS:        "correct the host in the platform's webhook URL, or its entry in the DNS",
	send.Connection: "start the receiver, or correct host and port in the platform's webhook URL",
	send.Timeout:    "check the receiver and the firewalls between here and there",
	send.TLS:        "renew or correct the certificate of the receiver; it must be for this host and from an authority this machine trusts",
}

func reach(ctx context.Context, sender *send.Sender, p *webhook.Platform) []Finding {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	kind, err := sender.Reach(ctx, *p.WebhookURL)
	if err == nil {
		return nil
	}
	remedy := ways[kind]
	if remedy == "" {
		remedy = "correct the platform's webhook URL"
	}
	return []Finding{problem("platform "+p.Code, remedy, "%s", fmt.Sprintf("cannot connect to %s: %s", *p.WebhookURL, err))}
}
