package invoicing

import (
	"crypto/rand"
	"fmt"
)

// newUUID is a random UUID (version 4), by which documents are addressed.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
