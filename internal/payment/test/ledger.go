package test

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/tenantry/tenantry/internal/billing/money"
)

// ErrKeyReused means that a key was used for another amount.
var ErrKeyReused = errors.New("the idempotency key was used for another amount")

// Movement is money that was moved: to the operator, or from it if negative.
type Movement struct {
	Key      string
	Amount   money.Amount
	Currency money.Currency
}

// Memory is a Ledger in memory. Its zero value is empty.
type Memory struct {
	mu       sync.Mutex
	moved    map[string]Movement
	requests map[string]int
}

// Move notes a movement.
func (l *Memory) Move(_ context.Context, m Movement) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moved == nil {
		l.moved, l.requests = map[string]Movement{}, map[string]int{}
	}
	l.requests[m.Key]++
	if before, ok := l.moved[m.Key]; ok && before != m {
		return ErrKeyReused
	}
	l.moved[m.Key] = m
	return nil
}

// Moved returns what was moved, by key.
func (l *Memory) Moved() map[string]Movement {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.moved)
}

// Requests returns how often money was to be moved with a key.
func (l *Memory) Requests(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests[key]
}
