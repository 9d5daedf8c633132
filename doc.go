// Package tenantry is the root of Tenantry, a subscription billing service: it
// keeps accounts, a catalog and subscriptions, answers GraphQL, and tells the
// platforms of a SaaS vendor by webhook what each tenant may use.
//
// The root holds no code. The binary is cmd/tenantry, the public client library
// is client, and docs/architecture.md shows what lies where.
package tenantry
