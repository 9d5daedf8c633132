// Package app puts Tenantry together: it reads flags and variables, opens the
// database, builds the services, doors and engines, lists the routes, and
// starts and stops it all. It is the only package that knows every other.
package app
