package client

import (
	"context"
	"time"
)

// SetWait replaces the pauses between two tries.
func (c *Client) SetWait(wait func(context.Context, time.Duration) error) {
	c.retry.wait, c.tokens.retry.wait = wait, wait
}

// SetNow replaces the clock by which tokens run out.
func (c *Client) SetNow(now func() time.Time) { c.tokens.now = now }

// Fetching tells whether a token is being fetched.
func (c *Client) Fetching() bool {
	c.tokens.mu.Lock()
	defer c.tokens.mu.Unlock()
	return c.tokens.fetch != nil
}
