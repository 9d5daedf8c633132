// Package webhook receives the webhooks of Tenantry.
//
//	handler, err := webhook.NewHandler([]string{secret}, webhook.NewMemoryStore(), apply)
//	http.Handle("POST /webhooks/tenantry", handler)
//
// The handler checks the signature (Standard Webhooks) and the age of a request,
// drops what is older than the last change of that tenant, and calls your
// function with the rest, never twice at once for one tenant. It answers 204
// when the function has succeeded; otherwise Tenantry sends the webhook again.
//
// A [Store] remembers the number of the last change of each tenant. With
// [SQLStore] your function writes in the same transaction as the store, so what
// it did and what is remembered never differ.
//
// Calling the API is not here but in the package client.
package webhook
