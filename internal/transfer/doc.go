// Package transfer imports and exports customers, catalog, tenants and
// subscriptions as JSON Lines: the format, the checks before anything is written,
// and passes over a file whose memory does not depend on its length.
//
// It owns the format. Rows are written by package service; package billing decides
// whether a running subscription is valid.
package transfer
