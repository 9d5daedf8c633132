// Package transfer moves customers, catalog, tenants and subscriptions in and
// out as JSON lines: the format, the checks before anything is written, and the
// passes over a file that need little memory however long it is.
//
// It owns the format. What is written is decided and written by package service;
// what a subscription in the middle of its life must be is in package billing.
package transfer
