// Package demo makes a believable business for people who want to look around:
// a catalog, forty customers and a year of their history, on a test clock that
// goes on when somebody moves it. Everything is done by the operations that
// people and programs use, so its audit log, history and webhooks are real.
//
// It is the same business each time, up to today. It does not serve it: that is
// what app does. The application that is sold is in demo/sample.
package demo
