package secret

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
)

// cost is what it takes to try a password.
type cost struct {
	memory, passes uint32 // memory in KiB
	lanes          uint8
}

// usual is what new hashes cost: OWASP's second choice, some 20 ms of one core.
var usual = cost{memory: 19 << 10, passes: 2, lanes: 1}

// hashing bounds how many passwords are tried at once: each takes memory, and
// whoever asks is not known yet. Those who are have a place that strangers
// cannot take.
var (
	hashing = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	known   = make(chan struct{}, 1)
)

// maxWaiting is how many strangers wait for their password to be tried: about a
// second on two cores.
const maxWaiting = 100

var waiting atomic.Int64

// ErrBusy means that too many passwords are being tried at the moment.
var ErrBusy = errors.New("too many passwords are being tried at the moment")

const passwordBytes = 32

// HashPassword is what is kept of a password: argon2id with its salt and cost,
// in the form that other programs write it in too.
func HashPassword(password string) string {
	salt := RandomBytes(16)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, usual.memory, usual.passes, usual.lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(usual.hash(password, salt, passwordBytes)))
}

// hash waits for a place for somebody who is known.
func (c cost) hash(password string, salt []byte, size int) []byte {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case known <- struct{}{}:
		defer func() { <-known }()
	}
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, uint32(size))
}

// hashForStranger waits for a place that is not kept for others. It returns
// ErrBusy when too many do, and the error of ctx when that ends.
func (c cost) hashForStranger(ctx context.Context, password string, salt []byte, size int) ([]byte, error) {
	defer waiting.Add(-1)
	if waiting.Add(1) > maxWaiting {
		return nil, ErrBusy
	}
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, uint32(size)), nil
}

// nobody is the hash of a password that nobody knows.
var nobody = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, usual.memory, usual.passes, usual.lanes,
	base64.RawStdEncoding.EncodeToString(RandomBytes(16)), base64.RawStdEncoding.EncodeToString(RandomBytes(passwordBytes)))

// PasswordMatches reports whether a password has that hash. For an empty hash
// it takes as long as for any other, and says no.
func PasswordMatches(password, hash string) bool {
	c, salt, sum, ok := readPasswordHash(cmp.Or(hash, nobody))
	return ok && subtle.ConstantTimeCompare(c.hash(password, salt, len(sum)), sum) == 1
}

// StrangerMatches is PasswordMatches for an attempt of somebody who is not
// known: it fails with ErrBusy when too many of them wait.
func StrangerMatches(ctx context.Context, password, hash string) (bool, error) {
	c, salt, sum, ok := readPasswordHash(cmp.Or(hash, nobody))
	if !ok {
		return false, nil
	}
	tried, err := c.hashForStranger(ctx, password, salt, len(sum))
	return err == nil && subtle.ConstantTimeCompare(tried, sum) == 1, err
}

func readPasswordHash(hash string) (c cost, salt, sum []byte, ok bool) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.lanes); err != nil || c.passes < 1 || c.lanes < 1 {
		return c, nil, nil, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return c, nil, nil, false
	}
	sum, err = base64.RawStdEncoding.DecodeString(parts[5])
	return c, salt, sum, err == nil && len(sum) >= 16
}
