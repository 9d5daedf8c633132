// Package dunning has the rules for unpaid invoices: the policy with its steps,
// which of them are carried out on a day, and the standing that a subscription has
// while its invoices are unpaid. It collects nothing, sends nothing and changes no
// subscription; others carry out what it decides.
package dunning
