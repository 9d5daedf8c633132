// Package clienttest tests the Go library against the real server and an
// unreliable network. It is not part of the library, which is a module of its own
// without dependencies. It contains only tests.
package clienttest
