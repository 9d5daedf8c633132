// Package collect has the rules for collecting money: payment methods, collections
// of what invoices ask for, and their attempts. It moves no money; others ask payment
// providers, and tell it what has become of that.
package collect
