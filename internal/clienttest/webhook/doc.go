// Package webhook tests the receiving half of the Go library against the reference
// library of Standard Webhooks, and on real databases. It contains only tests.
package webhook
