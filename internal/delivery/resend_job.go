package delivery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/service/jobs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// resendBatch is how many events are looked at in one transaction.
	resendBatch = 500
	// resendPause is how long the job rests for each event it has queued, so
	// that it brings 500 a second at the most.
	resendPause = 2 * time.Millisecond
)

// resendParams is what a job that sends many events again is about.
type resendParams struct {
	Filter          string          `json:"filter"`
	LatestPerTenant bool            `json:"latestPerTenant"`
	UpTo            billing.EventID `json:"upTo"`
	Actor           string          `json:"actor"`
	// What was passed over: events that would have taken their tenants back in
	// time, and those that were waiting, on their way or gone.
	Older   int `json:"older"`
	Waiting int `json:"waiting"`
}

func (p resendParams) resend() (log.Resend, error) {
	filter, err := billing.ParseFilter(p.Filter)
	return log.Resend{Filter: filter, UpTo: p.UpTo, LatestPerTenant: p.LatestPerTenant}, err
}

// ResendMany is what became of the wish to send many events again.
type ResendMany struct {
	Count int
	// Job sends them; nil if they were only counted.
	Job *billing.Job
}

// WebhookEventsResend sends all events that match a filter again, in the
// background: of each tenant only the newest of them, unless all are wanted. A
// dry run only counts.
func (s *Service) WebhookEventsResend(ctx context.Context, filter string, latestPerTenant, dryRun bool) (*ResendMany, error) {
	defer s.Wake()
	params := resendParams{Filter: filter, LatestPerTenant: latestPerTenant, Actor: operation.CallerOf(ctx).Actor}
	if _, err := params.resend(); err != nil {
		return nil, err
	}
	many, replayed, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*ResendMany, error) {
		return params.start(ctx, tx, dryRun)
	})
	if err != nil || !replayed || many.Job == nil {
		return many, err
	}
	if now, err := store.Jobs.Get(ctx, s.Read(), many.Job.ID); err != nil || now != nil {
		many.Job = now
		return many, err
	}
	return many, nil
}

// start counts what there is to do, and records the job that does it.
func (p resendParams) start(ctx context.Context, tx *store.Tx, dryRun bool) (*ResendMany, error) {
	var err error
	if p.UpTo, err = log.NewestEventID(ctx, tx.Queries); err != nil {
		return nil, err
	}
	resend, err := p.resend()
	if err != nil {
		return nil, err
	}
	many := &ResendMany{}
	if many.Count, err = resend.Count(ctx, tx.Queries); err != nil || dryRun {
		return many, err
	}
	many.Job = &billing.Job{Kind: billing.JobResend, State: billing.JobWaiting, Total: many.Count, Params: operation.MustJSON(p), ClaimedUntil: tx.Now}
	if err := store.Jobs.Insert(ctx, tx, many.Job); err != nil {
		return nil, err
	}
	if p := operation.PreviewIn(ctx); p != nil {
		p.Resends += many.Count
	}
	return many, operation.Audit(ctx, tx, "webhookEventsResend", "job", int64(many.Job.ID), map[string]billing.Change{
		"filter": {From: operation.MustJSON(nil), To: operation.MustJSON(p.Filter)}, "latestPerTenant": {From: operation.MustJSON(nil), To: operation.MustJSON(p.LatestPerTenant)},
		"count": {From: operation.MustJSON(nil), To: operation.MustJSON(many.Count)},
	})
}

// RunResend queues the next batch of events. They and how far the job has come
// are committed together: none is skipped or queued twice, whoever dies.
func (s *Service) RunResend(ctx context.Context, job *billing.Job) error {
	params, err := jobs.Params[resendParams](job)
	if err != nil {
		return s.Jobs.Fail(ctx, job, err)
	}
	resend, err := params.resend()
	if err != nil {
		return s.Jobs.Fail(ctx, job, err)
	}
	_, err = s.Jobs.Update(ctx, job, func(ctx context.Context, tx *store.Tx, mine *billing.Job) error {
		p := params // this may run twice
		events, last, err := resend.Next(ctx, tx.Queries, billing.EventID(mine.Cursor), s.ResendBatch)
		if err != nil {
			return err
		}
		queued, err := p.queue(ctx, tx, events)
		if err != nil {
			return err
		}
		mine.Done += len(events)
		mine.Total = max(mine.Total, mine.Done)
		mine.Params = operation.MustJSON(p)
		mine.Error = p.passedOver()
		mine.ClaimedUntil = tx.Now.Add(time.Duration(queued) * s.ResendPause)
		if mine.Cursor = int64(last); last == 0 {
			jobs.End(tx, mine)
		}
		return nil
	})
	return err
}

// queue queues a batch again, and counts what it passes over.
func (p *resendParams) queue(ctx context.Context, tx *store.Tx, events []log.LoggedEvent) (queued int, err error) {
	if len(events) == 0 {
		return 0, nil
	}
	queue, err := lockQueues(ctx, tx, events)
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		now, there := queue.events[e.ID]
		if !there || now.Delivery.State == webhook.DeliveryWaiting || now.Delivery.ID != e.Delivery.ID || now.Delivery.State != e.Delivery.State {
			p.Waiting++ // it waits, or is no longer what the filter found
			continue
		}
		err := queue.resend(ctx, tx, e.ID, false)
		switch {
		case err == nil:
			queued++
		case billing.Is(err, billing.NotAllowed):
			p.Older++
		default:
			return queued, err
		}
	}
	return queued, nil
}

// passedOver says what was not sent and why, nil if nothing.
func (p *resendParams) passedOver() *string {
	var parts []string
	if p.Older > 0 {
		parts = append(parts, fmt.Sprintf("%s would have taken tenants back in time", operation.Count(p.Older, "event", "events")))
	}
	if p.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("%s waited already or changed meanwhile", operation.Count(p.Waiting, "event", "events")))
	}
	if parts == nil {
		return nil
	}
	text := "Passed over: " + strings.Join(parts, ", ") + "."
	return &text
}
