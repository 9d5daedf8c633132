// Package service holds the operations of Tenantry: what the API, the console
// and the commands all call. Each loads what it needs, lets package billing
// decide, and saves the outcome with its audit entry in one transaction.
//
// Each area is a package: customers, catalog, subscriptions, delivery, access,
// and provisioning, which the others tell tenants with. What their operations
// have in common is in package operation.
//
// It owns transactions and who may see which failure; it knows neither HTTP
// nor GraphQL, and no SQL.
//
// Where a transaction locks several things, it does so in this order, and
// several of one kind in the order of their ids, so that no two wait for each
// other: accounts, contacts, subscriptions, test clocks, the tenants'
// streams, tenants. Whoever changes the catalog locks the catalog first, and then the
// product if it is about what the product's plans include; nobody who holds
// either locks any of the others. Who changes the way of a platform's webhooks
// takes the platform, then its workflow, then its endpoint (store.LockRoute);
// streams come after those.
package service
