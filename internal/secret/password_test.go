package secret

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestPasswordsAreHashedWithArgon2id(t *testing.T) {
	t.Parallel()
	hash, again := HashPassword("correct horse battery"), HashPassword("correct horse battery")
	if hash == again || strings.Contains(hash, "correct") || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes are %s and %s", hash, again)
	}
	if !PasswordMatches("correct horse battery", hash) || !PasswordMatches("correct horse battery", again) {
		t.Error("the right password does not match")
	}
	for _, wrong := range []string{"", "correct horse batterz", "Correct horse battery", "correct horse battery "} {
		if PasswordMatches(wrong, hash) {
			t.Errorf("%q matches", wrong)
		}
	}
}

// The vector is of the reference implementation:
// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
func TestPasswordHashesOfOthersAreRead(t *testing.T) {
	t.Parallel()
	const other = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if !PasswordMatches("password", other) || PasswordMatches("passwort", other) {
		t.Error("a hash of another program is not read right")
	}
}

func TestBrokenPasswordHashesMatchNothing(t *testing.T) {
	t.Parallel()
	good := HashPassword("x")
	for _, broken := range []string{
		"x", "$argon2id$", strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "p=1", "p=0", 1), strings.Replace(good, "m=", "n=", 1),
		good[:strings.LastIndex(good, "$")+1], good + "!",
	} {
		if PasswordMatches("x", broken) || PasswordMatches("", broken) {
			t.Errorf("%s matches", broken)
		}
	}
	if PasswordMatches("", "") || PasswordMatches("x", "") {
		t.Error("no hash matches")
	}
}

// TestStrangersWait fills all places that strangers can have: another one waits
// no longer than its context, of too many the last is refused at once, and who
// is known does not wait for them.
func TestStrangersWait(t *testing.T) {
	hash := HashPassword("right")
	if ok, err := StrangerMatches(t.Context(), "right", hash); !ok || err != nil {
		t.Errorf("the right password: %v, %v", ok, err)
	}
	if ok, err := StrangerMatches(t.Context(), "wrong", hash); ok || err != nil {
		t.Errorf("a wrong password: %v, %v", ok, err)
	}
	for range cap(hashing) {
		hashing <- struct{}{}
	}
	defer func() {
		for range cap(hashing) {
			<-hashing
		}
	}()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := StrangerMatches(ended, "right", hash); !errors.Is(err, context.Canceled) {
		t.Errorf("one who waits: %v", err)
	}
	waiting.Add(maxWaiting)
	_, err := StrangerMatches(t.Context(), "right", hash)
	waiting.Add(-maxWaiting)
	if !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	if !PasswordMatches("right", hash) {
		t.Error("who is known is refused")
	}
}
