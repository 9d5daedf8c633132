package webhook

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// mostFirstPause bounds how long Run waits for the first report.
const mostFirstPause = time.Minute

// Run makes a full report again and again until the context is over, one at a time. They
// begin about so far apart, give or take five per cent, and the first begins within a
// minute, so that many processes do not report at the same moment. A report that fails is
// told to OnReport, and the next one comes all the same.
//
// One process that reports is enough. Run panics if every is not positive.
func (r *Reporter) Run(ctx context.Context, every time.Duration) {
	if every <= 0 {
		panic("webhook: the time between reports must be positive")
	}
	pause := rand.N(min(every/10, mostFirstPause) + 1)
	for r.wait(ctx, pause) == nil {
		begun := r.now()
		report, err := r.Report(ctx)
		if err != nil && ctx.Err() != nil {
			return // that was it
		}
		r.tell(ctx, report, err)
		pause = max(every-every/20+rand.N(every/10+1)-r.now().Sub(begun), 0)
	}
}

func (r *Reporter) tell(ctx context.Context, report *Report, err error) {
	switch {
	case r.OnReport != nil:
		r.OnReport(report, err)
	case err != nil:
		slog.Default().ErrorContext(ctx, "tenants were not reported", "platform", r.Platform, "error", err)
	}
}

func (r *Reporter) wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.Wait != nil {
		return r.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
