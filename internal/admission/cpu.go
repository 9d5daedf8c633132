package admission

import (
	"sync"
	"time"
)

// cpuClock tells what requests cost. Nothing can say which of them a process used
// its CPU time for, so each is charged an equal share of what was used while it
// ran. That is exact for one alone, and right on average for many.
type cpuClock struct {
	used func() time.Duration // by the process, so far

	mu      sync.Mutex
	last    time.Duration
	running int
	each    time.Duration // what a request that always ran was charged
}

func (c *cpuClock) begin() (start time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.running++
	return c.each
}

// end returns what a request that began then is charged.
func (c *cpuClock) end(start time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.running--
	return c.each - start
}

func (c *cpuClock) advance() {
	now := c.used()
	if c.running > 0 {
		c.each += (now - c.last) / time.Duration(c.running)
	}
	c.last = now
}
