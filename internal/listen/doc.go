// Package listen receives webhooks for developers: it prints what came, what
// is new about it and whether its signature is right, and answers as it is
// told, or as another receiver does that it forwards to.
//
// It knows nothing of Tenantry's data. That a platform sends here for a while is
// the business of others.
package listen
