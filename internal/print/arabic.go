package print

import "unicode"

// form is where the forms of an Arabic letter are in Unicode: standing alone, at
// the end, at the beginning and in the middle of a word. Letters that do not join
// the next one have only the first two.
type form struct {
	alone rune
	forms int
}

// arabicForms by letter.
var arabicForms = map[rune]form{
	0x0621: {0xFE80, 1}, 0x0622: {0xFE81, 2}, 0x0623: {0xFE83, 2}, 0x0624: {0xFE85, 2}, 0x0625: {0xFE87, 2}, 0x0626: {0xFE89, 4},
	0x0627: {0xFE8D, 2}, 0x0628: {0xFE8F, 4}, 0x0629: {0xFE93, 2}, 0x062A: {0xFE95, 4}, 0x062B: {0xFE99, 4}, 0x062C: {0xFE9D, 4},
	0x062D: {0xFEA1, 4}, 0x062E: {0xFEA5, 4}, 0x062F: {0xFEA9, 2}, 0x0630: {0xFEAB, 2}, 0x0631: {0xFEAD, 2}, 0x0632: {0xFEAF, 2},
	0x0633: {0xFEB1, 4}, 0x0634: {0xFEB5, 4}, 0x0635: {0xFEB9, 4}, 0x0636: {0xFEBD, 4}, 0x0637: {0xFEC1, 4}, 0x0638: {0xFEC5, 4},
	0x0639: {0xFEC9, 4}, 0x063A: {0xFECD, 4}, 0x0641: {0xFED1, 4}, 0x0642: {0xFED5, 4}, 0x0643: {0xFED9, 4}, 0x0644: {0xFEDD, 4},
	0x0645: {0xFEE1, 4}, 0x0646: {0xFEE5, 4}, 0x0647: {0xFEE9, 4}, 0x0648: {0xFEED, 2}, 0x0649: {0xFEEF, 2}, 0x064A: {0xFEF1, 4},
	// Persian and Urdu
	0x067E: {0xFB56, 4}, 0x0686: {0xFB7A, 4}, 0x0698: {0xFB8A, 2}, 0x06A9: {0xFB8E, 4}, 0x06AF: {0xFB92, 4}, 0x06CC: {0xFBFC, 4},
	// lam with an alef, which are written as one
	0xFEF5: {0xFEF5, 2}, 0xFEF7: {0xFEF7, 2}, 0xFEF9: {0xFEF9, 2}, 0xFEFB: {0xFEFB, 2},
}

// lamAlef is what lam and an alef become.
var lamAlef = map[rune]rune{0x0622: 0xFEF5, 0x0623: 0xFEF7, 0x0625: 0xFEF9, 0x0627: 0xFEFB}

const (
	lam     = 0x0644
	tatweel = 0x0640 // joins on both sides
)

// shape gives Arabic letters the forms that they have where they stand.
func shape(runes []rune) []rune {
	var shaped []rune
	for n := 0; n < len(runes); n++ {
		if joined := lamAlef[next(runes, n)]; runes[n] == lam && joined != 0 {
			shaped = append(shaped, joined)
			for n++; unicode.Is(unicode.Mn, runes[n]); n++ { // marks of the lam
				shaped = append(shaped, runes[n])
			}
			continue
		}
		shaped = append(shaped, runes[n])
	}
	letters := append([]rune(nil), shaped...)
	before := rune(0) // the letter before, past marks
	for n, r := range letters {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if f, isLetter := arabicForms[r]; isLetter {
			shaped[n] = f.alone
			joinsBefore := f.forms > 1 && joinsNext(before)
			after := next(letters, n)
			joinsAfter := f.forms == 4 && (arabicForms[after].forms > 1 || after == tatweel)
			switch {
			case joinsBefore && joinsAfter:
				shaped[n] += 3
			case joinsAfter:
				shaped[n] += 2
			case joinsBefore:
				shaped[n]++
			}
		}
		before = r
	}
	return shaped
}

// joinsNext reports whether a letter joins the one after it.
func joinsNext(r rune) bool { return r == tatweel || arabicForms[r].forms == 4 }

// next is the character after one, past marks; 0 at the end.
func next(runes []rune, n int) rune {
	for _, r := range runes[n+1:] {
		if !unicode.Is(unicode.Mn, r) {
			return r
		}
	}
	return 0
}
