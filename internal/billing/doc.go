// Package billing defines the types and rules of Tenantry: what an account, a plan
// or a price list is, which values are allowed, and what the message about an
// invalid value says.
//
// It is pure: it knows no clock, no database and no request. Every function
// decides from its arguments alone, so the rules can be tested with tables and read
// without knowing any other package.
package billing
