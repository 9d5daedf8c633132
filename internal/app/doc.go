// Package app assembles Tenantry: it reads flags and environment variables, opens
// the database, builds the services, the HTTP handlers and the background workers,
// lists the routes, and starts and stops everything. It is the only package that
// knows all the others.
package app
