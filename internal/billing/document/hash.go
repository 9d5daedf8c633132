package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
)

// Hash is the SHA-256 of a document and of all before it in its series. The zero
// value comes before the first.
type Hash [sha256.Size]byte

// Chain is the hash of a document that follows one with another hash.
func Chain(previous Hash, canonical []byte) Hash {
	h := sha256.New()
	h.Write(previous[:])
	h.Write(canonical)
	return Hash(h.Sum(nil))
}

// String is the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String wrote.
func ParseHash(s string) (Hash, error) {
	raw, err := hex.DecodeString(s)
	if err != nil || len(raw) != len(Hash{}) {
		return Hash{}, billing.Fail(billing.Invalid, "hash", "%q is not a hash: it has %d hexadecimal digits.", s, 2*len(Hash{}))
	}
	return Hash(raw), nil
}

// compact writes JSON without white space, HTML escapes or a newline at its end.
// It fails only if JSON within it is none.
func compact(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
