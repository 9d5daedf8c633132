// Package webhook is the engine that sends what subscriptions record: it keeps
// every tenant of an application equal to its subscriptions.
//
// Each platform has a worker. In a turn, which is one transaction, the worker
// records how requests went and takes streams in which something is due; each
// stream is leased to one request, so there is one request under way per tenant
// however many processes run. The row of an attempt is there before its first
// byte is sent, and only who holds the lease can say how it ended: what a
// receiver gets twice has an attempt that tells why.
//
// What follows a success or a failure is decided in package billing; how a
// request is made is in the packages below this one.
package webhook
