// Package abuse holds the tests of requests that are made to wear the server
// out: each must be answered for little more than a harmless request costs, in
// CPU time and in memory, measured in the same run through the real server.
package abuse
