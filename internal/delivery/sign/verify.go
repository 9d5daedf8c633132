package sign

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the time of a request may be from the receiver's: what
// is older may have been kept by somebody and sent again.
const Tolerance = 5 * time.Minute

// Verify returns why a receiver that knows these keys must not trust a request,
// nil if it may. id, timestamp and signature are the values of webhook-id,
// webhook-timestamp and webhook-signature.
func Verify(id, timestamp, signature string, body []byte, now time.Time, keys ...[]byte) error {
	for _, header := range [][2]string{{"webhook-signature", signature}, {"webhook-id", id}, {"webhook-timestamp", timestamp}} {
		if header[1] == "" {
			return fmt.Errorf("the header %s is missing", header[0])
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("webhook-timestamp is not a Unix time in seconds: %q", timestamp)
	}
	at := time.Unix(seconds, 0)
	if age := now.Sub(at); age > Tolerance || age < -Tolerance {
		return fmt.Errorf("its time, %s, is more than %.0f minutes away from now", at.UTC().Format(time.RFC3339), Tolerance.Minutes())
	}
	for _, key := range keys {
		want := Header(id, at, body, key)
		for one := range strings.FieldsSeq(signature) {
			if hmac.Equal([]byte(one), []byte(want)) {
				return nil
			}
		}
	}
	return errors.New("the signature was made with another secret, or of another body")
}
