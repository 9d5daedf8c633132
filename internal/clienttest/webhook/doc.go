// Package webhook tests the part of the Go library that receives webhooks with
// the library of the standard, and with real databases. There is nothing here
// but tests.
package webhook
