// Package billing holds the rules of Tenantry: what an account, a plan or a
// price list is, which values are allowed, and what a message about a wrong
// one says.
//
// It is pure. It knows no clock, no database, no request: every function
// decides from its arguments alone, so that the rules can be tested in tables
// and read without knowing the rest of the house.
package billing
