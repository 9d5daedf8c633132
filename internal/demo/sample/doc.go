// Package sample is a small SaaS application that is sold through Tenantry: two
// platforms, Harbour and Beacon, in one program. It has a page that shows its
// tenants live, and lets a tenant do what it has bought and nothing else.
//
// It knows of its tenants what webhooks have told it, and nothing more: it has
// no access to Tenantry's data. Nor is it part of the product. It shows what a
// receiver does: verify, drop what is late, take the body for the whole truth.
package sample
