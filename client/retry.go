package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// retryPolicy says what is tried again, and when.
type retryPolicy struct {
	tries   int
	maxWait time.Duration
	// wait pauses for so long, or until the context is over.
	wait func(ctx context.Context, d time.Duration) error
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stillRunningTime is how long the first try with a key is waited for. The
// server gives up on it before that.
const stillRunningTime = 2 * time.Minute

// do runs try until it succeeds, fails for good, or has been tried often
// enough. Its error is that of the last try. Asking whether an earlier try is
// over is none.
func (p retryPolicy) do(ctx context.Context, try func(context.Context) error) error {
	var waited time.Duration
	for n := 1; ; n++ {
		err := try(ctx)
		if err == nil {
			return nil
		}
		wait, passing := p.judge(err, n)
		if _, running := err.(*stillRunning); running && waited < stillRunningTime {
			waited += wait
			n--
		}
		if !passing || n >= p.tries {
			return final(err)
		}
		if stopped := p.wait(ctx, wait); stopped != nil {
			return fmt.Errorf("tenantry: %w, after: %w", stopped, final(err))
		}
	}
}

// firstWait is the pause after the first failure; each further one is twice
// as long.
const firstWait = 200 * time.Millisecond

// judge says whether an error may be gone at the next try, and how long to wait
// for that. A server that asks for more patience than there is gets no try.
func (p retryPolicy) judge(err error, n int) (time.Duration, bool) {
	var asked time.Duration
	switch err := err.(type) {
	case *stillRunning:
		asked = err.wait
	case *ConnectionError:
		var certificate *tls.CertificateVerificationError
		if errors.As(err, &certificate) {
			return 0, false
		}
	case *HTTPError:
		if !passingStatus(err.Status) {
			return 0, false
		}
		asked = err.RetryAfter
	default:
		return 0, false
	}
	return max(asked, p.backoff(n)), asked <= p.maxWait
}

// backoff is a random time between half and the whole of 200 ms, 400 ms, 800 ms
// and so on, so that many clients do not come back at the same moment.
func (p retryPolicy) backoff(n int) time.Duration {
	whole := min(firstWait<<min(n-1, 20), p.maxWait)
	return whole/2 + rand.N(whole/2+1)
}

func passingStatus(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// stillRunning is the answer to a key whose first request is not over yet.
type stillRunning struct {
	errors Errors
	wait   time.Duration
}

func (s *stillRunning) Error() string { return s.errors.Error() }

// settled is an error that was tried again already, by somebody else. It does
// not unwrap, so that nobody sees a passing one in it.
type settled struct{ err error }

func (s *settled) Error() string { return s.err.Error() }

// final is the error that callers see.
func final(err error) error {
	switch err := err.(type) {
	case *stillRunning:
		return err.errors
	case *settled:
		return err.err
	}
	return err
}
