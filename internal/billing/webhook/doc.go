// Package webhook decides how tenants' states are delivered: platforms and their
// workflows, events and their bodies, streams, retries and the circuit breaker.
package webhook
