// Package outbox records events and queues them for delivery, in the transactions of
// the changes that they describe.
//
// It owns the SQL of streams, events, deliveries, attempts and endpoints: what
// operations write and what workers lease and record. Each transaction that writes
// has an outbox (see SetSender): when the transaction has been committed, the worker
// of this process gets what was queued, and hears of what it has to look for.
package outbox
