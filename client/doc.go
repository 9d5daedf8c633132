// Package client calls the Tenantry API from Go.
//
//	c, err := client.New("https://billing.example.com", id, secret, "standard:read", "standard:write")
//	account, err := c.AccountCreate(ctx, client.AccountAttributes{Name: client.Some("Acme Inc")})
//
// There is a method for every query and mutation of the schema, with typed
// arguments and results; [Client.Do] runs documents of your own. A client obtains
// access tokens, renews them before they expire, and is safe for concurrent use.
//
// Temporary failures are retried: once with a new token after a 401, and with
// increasing delays after 429, 502, 503, 504 and broken connections. Every attempt
// of a mutation carries the same Idempotency-Key, so the mutation happens once
// however often it is sent.
//
// [Preview] tries mutations without leaving anything behind and says whom they would
// reach, and [ExpectTenants] refuses those that would reach too many.
//
// To receive webhooks and to report what tenants have, use the package webhook next to
// this one.
package client
