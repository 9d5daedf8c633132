// Package worker delivers events: it keeps every tenant of an application in sync
// with its subscriptions.
//
// Each platform has a worker. In a batch, which is one transaction, the worker
// records the outcomes of finished requests and leases streams in which something
// is due. A stream is leased to one request at a time, so a tenant has one request
// in progress however many processes run. The lease, with the id of the attempt, is
// committed before the first byte is sent, and only its holder can record how the
// attempt ended: whatever a receiver gets twice has an attempt that explains it.
//
// Package billing decides what follows a success or a failure; the packages below
// this one make the requests.
package worker
