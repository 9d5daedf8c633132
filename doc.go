// Package tenantry is the root of Tenantry, a subscription billing service: it
// manages accounts, a catalog and subscriptions, serves a GraphQL API and a
// console, and notifies the applications of a SaaS vendor by webhook of what each
// tenant may use.
//
// The root contains no code. The binary is cmd/tenantry, the public client library
// is client, and docs/architecture.md describes the packages.
package tenantry
