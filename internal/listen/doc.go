// Package listen is a webhook receiver for developers: it prints each webhook, what
// changed and whether its signature is valid, and responds as configured, or as
// the receiver that it forwards to.
//
// It knows nothing of Tenantry's data. Redirecting a platform's webhooks to it is
// done elsewhere.
package listen
