package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/store"
)

// job is one request: what is to be sent, and then how that went.
type job struct {
	subject  webhook.Subject
	sequence int
	queued   *outbox.Queued
	stream   *webhook.Stream
	route    *outbox.Route
	probe    bool
	// forced says that it takes the tenant back in time.
	forced bool
	// inline says that it was leased by the transaction that recorded its event.
	inline bool
	// row is how many events of its stream it is in a row.
	row      int
	leaseEnd time.Time
	// generation is that of the engine when the lease was taken.
	generation int64

	attempt    *webhook.Attempt
	retryAfter time.Duration
	// ownFault says that a failure is not the endpoint's.
	ownFault bool
	refused  bool // the address was
}

// holds says whether the stream is still leased to the job.
func (j *job) holds(stream *webhook.Stream) bool {
	return stream.AttemptID != nil && *stream.AttemptID == j.attempt.ID
}

// tooLate says whether the lease could run out during the request: it was taken
// long ago, or the process stood still, and others may have gone on without it.
func (j *job) tooLate(now time.Time) bool {
	return now.Add(j.route.Workflow.Timeout()).After(j.leaseEnd)
}

// send makes the request of a job and notes how it went. It runs on a goroutine
// of its own.
func (w *worker) send(j *job) {
	defer func() {
		if p := recover(); p != nil {
			j.fail(fmt.Sprintf("Something went wrong while the request was made: %v", p), true)
		}
	}()
	e := w.engine
	j.attempt.StartedAt = e.Now()
	if !w.mayBegin(j) {
		j.attempt.Outcome = webhook.AttemptUnsent
		return
	}
	route, err := w.routes.get(e, j.route)
	if errors.Is(err, errNotForThisHost) {
		j.attempt.Outcome = webhook.AttemptUnsent
		return
	}
	if err != nil {
		j.fail("The secrets of the platform cannot be read: "+err.Error(), true)
		return
	}
	body, err := w.body(j, route)
	if err != nil {
		j.fail(err.Error(), true)
		return
	}
	if j.tooLate(e.Latest()) { // a program may have taken its time
		j.attempt.Outcome = webhook.AttemptUnsent
		return
	}
	header := route.header(j, body, e.Now())
	result := e.Sender.Do(e.requests, &send.Request{URL: route.url, Body: body, Header: header, Timeout: e.real(j.route.Workflow.Timeout())})
	j.note(route, header, &result)
	if j.attempt.Outcome == webhook.AttemptFailed {
		w.inRow.Add(1)
	} else {
		w.inRow.Store(0)
	}
}

// mayBegin says whether a request that was taken beforehand may still be made:
// the engine goes on, the endpoint has not been closed meanwhile nor is about to
// be, and the lease is long enough and still this process's.
func (w *worker) mayBegin(j *job) bool {
	if w.engine.work.Err() != nil || j.generation != w.engine.generation.Load() || !j.probe && (w.closed.Load() || w.inRow.Load() >= webhook.BreakerFailures) {
		return false
	}
	return !j.tooLate(w.engine.Latest())
}

// body returns the bytes to send. Those that a payload program makes are stored
// before they are sent, and are the same ever after.
func (w *worker) body(j *job, route *preparedRoute) ([]byte, error) {
	standard := []byte(j.queued.Body)
	switch made := j.queued.Delivery.Body; {
	case made == nil:
		return standard, nil
	case *made != "":
		return []byte(*made), nil
	}
	made, err := route.program(w.engine.requests, standard)
	if err != nil {
		return nil, fmt.Errorf("the payload program failed, and nothing was sent: %w", err)
	}
	text := string(made)
	return made, w.engine.Store.Write(w.engine.requests, func(ctx context.Context, tx *store.Tx) error {
		return outbox.SetDeliveryBody(ctx, tx, j.queued.Delivery.ID, &text)
	})
}

// header makes the headers of a request.
func (r *preparedRoute) header(j *job, body []byte, now time.Time) http.Header {
	return r.headers(strconv.FormatInt(int64(j.queued.Delivery.EventID), 10), j.sequence, j.attempt.Number, j.forced, body, now)
}

func (j *job) fail(why string, own bool) {
	finished := j.attempt.StartedAt
	j.attempt.Outcome, j.attempt.Error, j.attempt.FinishedAt, j.ownFault = webhook.AttemptFailed, &why, &finished, own
}

// note turns the outcome of a request into what is recorded.
func (j *job) note(route *preparedRoute, header http.Header, r *send.Result) {
	record(j.attempt, route, header, r)
	if r.RetryAfter != nil {
		j.retryAfter = *r.RetryAfter
	}
	var refused *target.Refused
	j.refused = errors.As(r.Err, &refused)
}
