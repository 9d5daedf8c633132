// Package demo creates sample data for a believable business: a catalog, forty
// customers and a year of their history, invoices and payments, on a test clock.
// Everything is created by the operations that people and programs use, so its
// audit log, history and webhooks are real, and its documents can be verified.
//
// It creates the same business every time, up to today. Package app serves it, and
// the application that it sells is in demo/sample.
package demo
