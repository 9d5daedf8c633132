package secret

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestSealedValueOpensOnlyWithItsKeyAndPurpose(t *testing.T) {
	box, err := NewBox("a key of sixteen characters or more")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := NewBox("another key of sixteen characters")
	sealed := box.Seal("signing key", []byte("hidden"))
	if strings.Contains(sealed, "hidden") {
		t.Fatal("the value can be read in its sealed form")
	}
	if got, err := box.Open("signing key", sealed); err != nil || string(got) != "hidden" {
		t.Fatalf("Open = %q, %v", got, err)
	}
	if sealed == box.Seal("signing key", []byte("hidden")) {
		t.Error("sealing twice gives the same text")
	}
	at, letter := len(sealed)/2, "A"
	if sealed[at] == 'A' {
		letter = "B"
	}
	broken := sealed[:at] + letter + sealed[at+1:]
	for name, open := range map[string]func() ([]byte, error){
		"other key":     func() ([]byte, error) { return other.Open("signing key", sealed) },
		"other purpose": func() ([]byte, error) { return box.Open("webhook secret", sealed) },
		"changed":       func() ([]byte, error) { return box.Open("signing key", broken) },
		"not sealed":    func() ([]byte, error) { return box.Open("signing key", "hidden") },
		"empty":         func() ([]byte, error) { return box.Open("signing key", "") },
	} {
		if _, err := open(); err != ErrSealed {
			t.Errorf("%s: error %v, want ErrSealed", name, err)
		}
	}
	if box.Fingerprint() == other.Fingerprint() {
		t.Error("two keys have one fingerprint")
	}
}

func TestShortKeyIsRefused(t *testing.T) {
	if _, err := NewBox("short"); err == nil {
		t.Error("a key of five characters was accepted")
	}
}

func TestRandomIsLongAndPlain(t *testing.T) {
	a, b := Random(), Random()
	if a == b {
		t.Fatal("two secrets are equal")
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(a) {
		t.Errorf("secret %q is not 256 bits in the plain alphabet", a)
	}
	if !Matches(a, Hash(a)) || Matches(b, Hash(a)) || Matches("", "") {
		t.Error("Matches does not tell secrets apart")
	}
}

func TestIDsDoNotLookLikeFlags(t *testing.T) {
	for range 1000 {
		if id := RandomID(); id[0] == '-' || len(id) != 22 {
			t.Fatalf("id %q", id)
		}
	}
}

func TestKeyFileIsMadeOnceForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenantry.key")
	first, made, err := KeyFile(path)
	if err != nil || !made {
		t.Fatalf("KeyFile = %v, %v", made, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	second, made, err := KeyFile(path)
	if err != nil || made || strings.TrimSpace(second) != first {
		t.Errorf("second KeyFile = %q, %v, %v; first %q", second, made, err, first)
	}
}
