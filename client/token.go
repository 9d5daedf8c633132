package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// tokenSource gets access tokens and remembers the last. However many goroutines
// need one, there is one request for it at a time.
type tokenSource struct {
	url, form string
	send      func(ctx context.Context, url string, header http.Header, body []byte) (*response, error)
	retry     retryPolicy
	now       func() time.Time

	mu      sync.Mutex
	current token
	fetch   *fetch // the one under way
	// notBefore keeps a renewal that failed from being tried with each call
	// while the token still works.
	notBefore time.Time
}

type token struct {
	text           string
	renew, expires time.Time
}

// fetch is one request for a token that any number of goroutines wait for.
type fetch struct {
	done  chan struct{}
	token token // to be read after done
	err   error
}

const (
	// A token is renewed when a fifth of its life is left, but at most a
	// minute.
	renewShare   = 5
	longestRenew = time.Minute
	renewPause   = time.Second
)

// get returns a token that has not run out. While the one at hand works but is
// about to run out, another is fetched without anybody waiting for it.
func (s *tokenSource) get(ctx context.Context) (string, error) {
	s.mu.Lock()
	now := s.now()
	if now.Before(s.current.expires) {
		if !now.Before(s.current.renew) && !now.Before(s.notBefore) {
			s.start(ctx)
		}
		text := s.current.text
		s.mu.Unlock()
		return text, nil
	}
	f := s.start(ctx)
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.token.text, f.err
	case <-ctx.Done():
		return "", fmt.Errorf("tenantry: %w", context.Cause(ctx))
	}
}

// forget drops a token that was refused, unless there is another already.
func (s *tokenSource) forget(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.text == text {
		s.current = token{}
	}
}

// start returns the fetch that is under way, or a new one. It does not end with
// the call that began it, because others may wait for it too.
func (s *tokenSource) start(ctx context.Context) *fetch {
	if s.fetch != nil {
		return s.fetch
	}
	f := &fetch{done: make(chan struct{})}
	s.fetch = f
	go func() {
		f.err = s.retry.do(context.WithoutCancel(ctx), func(ctx context.Context) (err error) {
			f.token, err = s.request(ctx)
			return err
		})
		s.mu.Lock()
		if f.err == nil {
			s.current = f.token
		} else {
			s.notBefore = s.now().Add(renewPause)
		}
		s.fetch = nil
		s.mu.Unlock()
		close(f.done)
	}()
	return f
}

func (s *tokenSource) request(ctx context.Context) (token, error) {
	asked := s.now() // the server's clock may be another
	response, err := s.send(ctx, s.url, http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"},
	}, []byte(s.form))
	if err != nil {
		return token{}, err
	}
	if response.status != http.StatusOK {
		return token{}, tokenFailure(response)
	}
	var granted struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := json.Unmarshal(response.body, &granted); err != nil || granted.AccessToken == "" {
		return token{}, fmt.Errorf("tenantry: %s gave no token, is the base URL right?", s.url)
	}
	life := time.Duration(granted.ExpiresIn) * time.Second
	expires := asked.Add(life)
	return token{granted.AccessToken, expires.Add(-min(life/renewShare, longestRenew)), expires}, nil
}

func tokenFailure(response *response) error {
	var told struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if passingStatus(response.status) || json.Unmarshal(response.body, &told) != nil || told.Error == "" {
		return response.failure()
	}
	return &AuthError{Status: response.status, Code: told.Error, Description: told.Description}
}
