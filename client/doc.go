// Package client calls the API of Tenantry from Go.
//
//	c, err := client.New("https://billing.example.com", id, secret, "standard:read", "standard:write")
//	account, err := c.AccountCreate(ctx, client.AccountAttributes{Name: client.Some("Acme Inc")})
//
// There is a method for every query and mutation of the schema, with typed
// arguments and results; [Client.Do] runs documents of your own. A client gets
// access tokens, renews them before they run out, and is safe for use by many
// goroutines.
//
// What fails for a passing reason is tried again: once with a new token after
// a 401, and with growing pauses after 429, 502, 503, 504 and broken
// connections. A mutation carries an Idempotency-Key, the same in every try, so
// it happens once however often it is sent.
//
// Receiving webhooks is in the package webhook beside this one.
package client
