// Package clienttest tests the Go library with the real server and everything
// that a network does. It is not beside the library, which is a module of its
// own without any dependency. There is nothing here but tests.
package clienttest
