// Package sample is a small SaaS application that is sold through Tenantry: two
// platforms, Harbour and Beacon, in one program. It has a page that shows its
// tenants live, and lets each tenant use exactly what it has bought.
//
// It knows only what webhooks have told it and has no access to Tenantry's data.
// It is not part of the product; it shows what a receiver does: verify, drop
// outdated events, treat each body as the complete state, and report what it has.
package sample
