// Package billing defines what all rules of Tenantry share: ids, dates, prices,
// the description of fields, errors with their messages, and types such as the
// account that have few rules. The rules of an area are in a package below.
//
// All of them are pure: they know no clock, no database and no request. Every
// function decides from its arguments alone, so the rules can be tested with tables
// and read without knowing any other package.
package billing
