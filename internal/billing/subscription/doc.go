// Package subscription decides about subscriptions: what a new one is, what time
// and changes make of it, and which features it gives its tenant.
package subscription
