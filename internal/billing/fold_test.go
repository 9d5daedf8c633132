package billing

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"lower case", "acme inc. 42", "acme inc. 42"},
		{"upper case", "ACME", "acme"},
		{"umlaut", "ÄÖÜ", "äöü"},
		{"composed from parts", "A\u0308", "ä"},
		{"composable in lower case only", "H\u0331", "ẖ"},
		{"Kelvin", "\u212a", "k"},
		{"long s", "ſ", "s"},
		{"sharp s", "ẞß", "ßß"},
		{"final sigma", "ΣΑΣ ςας", "σασ σασ"},
		{"micro sign", "µ", "μ"},
		{"iota as a mark", "x\u0345", "xι"},
		{"digraph", "Ǆǅǆ", "ǆǆǆ"},
		{"Cyrillic", "ЖЁ", "жё"},
		{"Cherokee", "ꭰᎠ", "ꭰꭰ"},
		{"beyond the first plane", "𐐀", "𐐨"},
		{"Turkish letters stay apart", "İı", "İı"},
		{"controls", "a\tB\x00c\u0085d\x7f", "a b c d "},
		{"no compatibility forms", "ﬁ①", "ﬁ①"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fold(c.text); got != c.want {
				t.Errorf("Fold(%+q) = %+q, want %+q", c.text, got, c.want)
			}
		})
	}
}

func TestFoldOfFoldedTextDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Fold("contact@example.com") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Every rune, and every letter with every mark that composes with any.
func TestFoldIsIdempotent(t *testing.T) {
	marks := map[rune]bool{0x345: true}
	var letters []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		wantFoldedOnce(t, string(r))
		parts := []rune(norm.NFD.String(string(r)))
		if len(parts) > 1 && !unicode.Is(unicode.Hangul, r) {
			marks[parts[len(parts)-1]] = true
		}
		if unicode.SimpleFold(r) != r || len(parts) > 1 && unicode.IsLetter(r) && !unicode.Is(unicode.Hangul, r) {
			letters = append(letters, r)
		}
	}
	for _, letter := range letters {
		for mark := range marks {
			wantFoldedOnce(t, string([]rune{letter, mark}))
		}
	}
}

func wantFoldedOnce(t interface {
	Helper()
	Errorf(string, ...any)
}, s string) {
	t.Helper()
	if once := Fold(s); Fold(once) != once {
		t.Errorf("Fold(%+q) = %+q, folded again %+q", s, once, Fold(once))
	}
}

var foldRunes = rapid.OneOf(
	rapid.Rune(),
	rapid.RuneFrom([]rune("aAkKsSſİıIi\u212aßẞσΣςµΜμιΙ\u1fbeᾳᾼǅǄǆẛṠhHtT\u0345\u0301\u0307\u0308\u0331\u0327\u034f\u0000\t ")),
)

func TestFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(foldRunes, 0, 100, -1).Draw(t, "s")
		wantFoldedOnce(t, s)
		if Fold(s) != Fold(norm.NFD.String(s)) && norm.NFC.String(norm.NFD.String(s)) == norm.NFC.String(s) {
			t.Errorf("composed and decomposed text fold apart")
		}
		if strings.ContainsFunc(Fold(s), unicode.IsControl) {
			t.Errorf("a control character survives in %+q", Fold(s))
		}
	})
}

func TestFoldAgreesWithEqualFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := norm.NFC.String(rapid.StringOfN(foldRunes, 0, 50, -1).Draw(t, "a"))
		b := norm.NFC.String(strings.Map(func(r rune) rune {
			for range rapid.IntRange(0, 3).Draw(t, "turns") {
				r = unicode.SimpleFold(r)
			}
			return r
		}, a))
		if strings.EqualFold(a, b) && Fold(a) != Fold(b) {
			t.Errorf("%+q and %+q are equal but for case, and fold to %+q and %+q", a, b, Fold(a), Fold(b))
		}
	})
}

func TestFoldGivesOneAnswerPerLetter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if other := unicode.SimpleFold(r); foldRune(r) != foldRune(other) {
			t.Errorf("%U and %U fold to %U and %U", r, other, foldRune(r), foldRune(other))
		}
	}
}
