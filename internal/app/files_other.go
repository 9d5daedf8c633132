//go:build !unix

package app

// mostFiles is how many files, connections among them, the process may have open.
func mostFiles() int { return 1 << 30 }
