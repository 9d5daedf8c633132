package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// shown is how many things are named one by one.
	shown = 10
	// counted is how far is counted.
	counted = 1000
	// patience is how long webhooks may wait before somebody should look.
	patience = 15 * time.Minute
)

// number writes a count that may have stopped at counted.
func number(n int, noun string) string {
	switch {
	case n > counted:
		return fmt.Sprintf("more than %d %ss", counted, noun)
	case n == 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// are fits a verb to a count.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// further names how many of a list are left out.
func further[T any](list []T, noun, remedy string) []Finding {
	if len(list) <= shown {
		return nil
	}
	return []Finding{problem(noun+"s", remedy, "there are more than %d of them", shown)}
}

// checkSetAside finds subscriptions that time could not move.
func checkSetAside(ctx context.Context, p *Patient) ([]Finding, error) {
	aside, err := store.SubscriptionsSetAside(ctx, p.store.Queries(), shown+1)
	const remedy = "open it in the console, correct what is named, and continue it there"
	var found []Finding
	for _, s := range aside[:min(len(aside), shown)] {
		found = append(found, problem(fmt.Sprintf("subscription %d", s.ID), remedy, "it was set aside%s", because(s.Problem)))
	}
	return append(found, further(aside, "subscription", remedy)...), err
}

// checkNotBilled finds accounts on real time that cannot be billed, or not for everything.
func checkNotBilled(ctx context.Context, p *Patient) ([]Finding, error) {
	ids, err := store.AccountsWithBillingProblem(ctx, p.store.Queries(), 0, 10*shown)
	if err != nil {
		return nil, err
	}
	accounts, err := store.Accounts.ByIDs(ctx, p.store.Queries(), ids)
	accounts = slices.DeleteFunc(accounts, func(a billing.Account) bool { return a.TestClockID != nil })
	const remedy = "open it in the console and correct what is named; it is billed then"
	var found []Finding
	for _, a := range accounts[:min(len(accounts), shown)] {
		found = append(found, problem(fmt.Sprintf("account %d", a.ID), remedy, "billing it needs a person%s", because(a.BillingProblem)))
	}
	return append(found, further(accounts, "account", remedy)...), err
}

// checkJobs finds jobs that failed: what they were to tell, nobody was told.
func checkJobs(ctx context.Context, p *Patient) ([]Finding, error) {
	failed, err := store.FailedJobs(ctx, p.store.Queries(), shown)
	var found []Finding
	for _, j := range failed {
		found = append(found, warning(fmt.Sprintf("job %d", j.ID), "look at it under Jobs in the console, and do again what started it",
			"the job %s failed at %d of %d%s", j.Kind, j.Done, j.Total, because(j.Error)))
	}
	return found, err
}

// checkWaiting finds webhooks that are due for long while no server sends them.
func checkWaiting(ctx context.Context, p *Patient) (found []Finding, err error) {
	routes, err := p.provisioned(ctx)
	if err != nil {
		return nil, err
	}
	due, err := outbox.DuePlatforms(ctx, p.store.Queries())
	for _, d := range due {
		for i := range routes {
			if r := &routes[i]; r.Platform.ID == d.ID && r.State() == webhook.EndpointReady && p.Now().Sub(d.DueAt) > patience {
				found = append(found, problem("platform "+r.Platform.Code, "start the server, or look into its log for why it does not send",
					"webhooks are due since %s and nobody sends them", d.DueAt.UTC().Format(time.RFC3339)))
			}
		}
	}
	return found, err
}

// checkBehind finds tenants whose application does not know their newest state,
// and those whose last attempt failed.
func checkBehind(ctx context.Context, p *Patient) (found []Finding, err error) {
	routes, err := p.provisioned(ctx)
	for i := range routes {
		platform := &routes[i].Platform
		stopped, err := log.CountBehindOn(ctx, p.store.Queries(), platform.ID, log.BehindStopped, counted+1)
		if err != nil {
			return nil, err
		}
		if stopped > 0 {
			found = append(found, problem("platform "+platform.Code, fmt.Sprintf("mend the receiver, then send their state again: "+
				"tenantry events resend --filter \"platform:%s state:exhausted\"", platform.Code),
				"%s %s out of sync, and nothing more is sent about them", number(stopped, "tenant"), are(stopped)))
		}
		failing, err := log.CountBehindOn(ctx, p.store.Queries(), platform.ID, log.BehindFailing, counted+1)
		if err != nil {
			return nil, err
		}
		if failing > 0 {
			found = append(found, warning("platform "+platform.Code, "look at the last answers in the webhook log; it is tried again by itself",
				"%s %s out of sync because the last attempt failed", number(failing, "tenant"), are(failing)))
		}
	}
	return found, err
}

// checkGivenUp finds events that were given up after their last attempt.
func checkGivenUp(ctx context.Context, p *Patient) (found []Finding, err error) {
	routes, err := outbox.AllRoutes(ctx, p.store.Queries())
	for i := range routes {
		platform := &routes[i].Platform
		n, err := log.CountGivenUpOn(ctx, p.store.Queries(), platform.ID, counted+1)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, warning("platform "+platform.Code, fmt.Sprintf("tenantry events list --filter \"platform:%s state:exhausted\" shows them, "+
				"tenantry events resend with the same filter sends them again", platform.Code),
				"%s %s given up after the last attempt", number(n, "event"), are(n)))
		}
	}
	return found, err
}
