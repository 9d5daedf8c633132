package print

import (
	_ "embed" // the fonts
	"sync"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

// The fonts of PDF files, of which each file has the characters that it uses.
// Their licenses are in the same folder. They make the program 6.2 MB larger and
// are read in place: what is not used stays on disk.
var (
	//go:embed fonts/Roboto-Regular.ttf
	robotoRegular []byte
	//go:embed fonts/Roboto-Bold.ttf
	robotoBold []byte
	//go:embed fonts/DejaVuSans.ttf
	dejaVuSans []byte
	//go:embed fonts/DroidSansFallbackFull.ttf
	droidSansFallback []byte
	//go:embed fonts/NanumSquareR.ttf
	nanumSquare []byte
	//go:embed fonts/NotoSansThai-Regular.ttf
	notoSansThai []byte
)

// font numbers a font in every file.
type font = pdf.FontID

const (
	regularFont font = iota
	boldFont
	otherFont // more alphabets and signs
	asianFont // Chinese, Japanese
	koreanFont
	thaiFont
)

// fonts in the order of their numbers.
var fonts = sync.OnceValue(func() []*pdf.Font {
	return []*pdf.Font{
		mustParse("Roboto-Regular", robotoRegular), mustParse("Roboto-Bold", robotoBold),
		mustParse("DejaVuSans", dejaVuSans), mustParse("DroidSansFallback", droidSansFallback),
		mustParse("NanumSquare", nanumSquare), mustParse("NotoSansThai", notoSansThai),
	}
})

// mustParse reads a font that is part of the program.
func mustParse(name string, file []byte) *pdf.Font {
	f, err := pdf.ParseFont(name, file)
	if err != nil {
		panic(err)
	}
	return f
}

// fontOf chooses the font that has a character, and is that of the text if none
// has it.
func fontOf(r rune, text font) font {
	for _, f := range [...]font{text, otherFont, asianFont, koreanFont, thaiFont} {
		if fonts()[f].Has(r) {
			return f
		}
	}
	return text
}
