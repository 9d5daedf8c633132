// Package service contains the operations of Tenantry, which the API, the console
// and the commands call. Each loads what it needs, lets package billing decide, and
// saves the outcome with its events and its audit entry in one transaction.
//
// Each area is a package: customers, catalog, subscriptions, access, and
// provisioning, by which the others notify tenants. What operations have in common
// is in package operation.
//
// It owns transactions and decides which errors callers see; it knows neither HTTP
// nor GraphQL, and contains no SQL.
//
// To avoid deadlocks, a transaction that locks several resources locks them in this
// order, and several of one kind in order of id: accounts, contacts,
// subscriptions, test clocks, streams (in order of their tenants), tenants. A
// transaction that changes the catalog locks the catalog first, and then the product
// if it changes what the product's plans include; it locks none of the others while
// it holds these. A transaction that changes the route of a platform's webhooks locks
// the platform, then its workflow, then its endpoint (outbox.LockRoute), and streams
// after those. Whoever repairs drift has the turn of the platform before all others
// (store.TakeRepairTurn), then a full report, then what is kept of the drift of tenants
// (store.LockDrift).
package service
