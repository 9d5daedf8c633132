// Package webhook receives webhooks from Tenantry.
//
//	handler, err := webhook.NewHandler([]string{secret}, webhook.NewMemoryStore(), apply)
//	http.Handle("POST /webhooks/tenantry", handler)
//
// The handler checks the signature (Standard Webhooks) and the age of a request,
// drops events older than the last one applied to the tenant, and calls your
// function with the others, never concurrently for one tenant. It responds with
// 204 if the function succeeds; otherwise Tenantry sends the webhook again.
//
// A [Store] keeps the sequence number of the last event of each tenant. With
// [SQLStore], your function writes in the same transaction as the store, so the
// two cannot diverge.
//
// A [Reporter] tells Tenantry what tenants really have, once or on a schedule, so that
// differences are found and repaired.
//
// To call the API, use the package client.
package webhook
