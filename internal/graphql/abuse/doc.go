// Package abuse tests requests that are designed to exhaust the server: each must
// cost little more CPU time and memory than a harmless request, measured in the
// same run against the real server.
package abuse
