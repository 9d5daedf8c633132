package sign

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"
)

// accepted asks the library of the standard whether a receiver that knows this
// secret would take the request.
func accepted(t testing.TB, secret, id string, at time.Time, body []byte, signature string) bool {
	t.Helper()
	receiver, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return receiver.VerifyIgnoringTimestamp(body, header) == nil
}

func parsed(t testing.TB, secret string) []byte {
	t.Helper()
	key, err := Parse(secret)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestNewSecretsAreParsedAndDiffer(t *testing.T) {
	first, second := New(), New()
	if first == second {
		t.Error("two secrets are equal")
	}
	if !regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`).MatchString(first) {
		t.Errorf("a secret looks like %s", first)
	}
	if n := len(parsed(t, first)); n != newKey {
		t.Errorf("the key has %d bytes", n)
	}
}

// The example that the specification and its libraries share.
func TestKnownSignature(t *testing.T) {
	key := parsed(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	got := Header("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), key)
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBadSecrets(t *testing.T) {
	short, long := strings.Repeat("AAAA", 7), strings.Repeat("AAAA", 22)
	for _, text := range []string{
		"", "whsec_", short, "whsec_" + short, "whsec_" + long, "WHSEC_" + New()[6:], " " + New(), New() + "\n", New()[:40],
		"whsec_" + strings.Repeat("-_A=", 9), "whsec_" + strings.Repeat("A", 33),
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q was taken for a secret", text)
		} else if len(text) > 10 && strings.Contains(err.Error(), text[6:]) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func TestReceiversAcceptWhatWasSigned(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		secret := New()
		id := rapid.StringMatching(`[!-~]{1,40}`).Draw(r, "id")
		at := time.Unix(rapid.Int64Range(0, 1<<40).Draw(r, "at"), rapid.Int64Range(0, 999_999_999).Draw(r, "ns"))
		body := rapid.SliceOf(rapid.Byte()).Draw(r, "body")
		if !accepted(t, secret, id, at, body, Header(id, at, body, parsed(t, secret))) {
			r.Fatalf("a request that was signed is not accepted")
		}
	})
}

// While a secret rotates, receivers with the old or the new one accept; those
// with one that has run out do not.
func TestRotation(t *testing.T) {
	oldest, old, current := New(), New(), New()
	at, body := time.Unix(1_750_000_000, 0), []byte(`{"a":1}`)
	signature := Header("evt_1", at, body, parsed(t, current), parsed(t, old))
	if n := strings.Count(signature, "v1,"); n != 2 || strings.Count(signature, " ") != 1 {
		t.Errorf("%d signatures in %s", n, signature)
	}
	if newest := Header("evt_1", at, body, parsed(t, current)); !strings.HasPrefix(signature, newest+" ") {
		t.Errorf("%s does not begin with the newest signature %s", signature, newest)
	}
	for secret, want := range map[string]bool{current: true, old: true, oldest: false} {
		if accepted(t, secret, "evt_1", at, body, signature) != want {
			t.Errorf("accepted is %v", !want)
		}
	}
}

func TestTamperingIsSeen(t *testing.T) {
	secret, id, at, body := New(), "evt_1", time.Unix(1_750_000_000, 0), []byte(`{"quantity":5}`)
	signature := Header(id, at, body, parsed(t, secret))
	for name, ok := range map[string]bool{
		"body":          accepted(t, secret, id, at, []byte(`{"quantity":6}`), signature),
		"space in body": accepted(t, secret, id, at, append(bytes.Clone(body), '\n'), signature),
		"id":            accepted(t, secret, "evt_2", at, body, signature),
		"time":          accepted(t, secret, id, at.Add(time.Second), body, signature),
		"secret":        accepted(t, New(), id, at, body, signature),
		"signature":     accepted(t, secret, id, at, body, "v1,"+strings.ToLower(signature[3:])),
		"version":       accepted(t, secret, id, at, body, "v2"+signature[2:]),
	} {
		if ok {
			t.Errorf("a changed %s is accepted", name)
		}
	}
	if !accepted(t, secret, id, at, body, signature) {
		t.Error("the unchanged request is not accepted")
	}
}

func TestPlain(t *testing.T) {
	// The third case of RFC 2202 and the second of RFC 4231.
	for _, c := range []struct{ algorithm, key, body, want string }{
		{"sha1", "Jefe", "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
		{"SHA256", "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	} {
		got, err := Plain(c.algorithm, []byte(c.key), []byte(c.body))
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.algorithm, got, err, c.want)
		}
	}
	for _, algorithm := range []string{"", "md5", "sha512"} {
		if _, err := Plain(algorithm, []byte("k"), nil); err == nil {
			t.Errorf("%q is taken for an algorithm", algorithm)
		}
	}
}

func BenchmarkHeader(b *testing.B) {
	key, body, at := parsed(b, New()), bytes.Repeat([]byte("a"), 1024), time.Unix(1_750_000_000, 0)
	b.ReportAllocs()
	for b.Loop() {
		Header("evt_0123456789", at, body, key)
	}
}
