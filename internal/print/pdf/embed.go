package pdf

import (
	"fmt"
	"unicode/utf16"
)

// font writes a subset and everything that readers need to know of it. Returns
// the number of the font.
func (w *Writer) font(n int, s *subset) int {
	f := s.font
	// Subsets have a name that begins with six letters of their own.
	name := fmt.Sprintf("SUBSE%c+%s", 'A'+n%26, f.name)
	file := w.reserve()
	data := s.file()
	w.stream(file, fmt.Sprintf("/Length1 %d", len(data)), data)
	ascent, descent := f.scaled(f.hhea, 4), f.scaled(f.hhea, 6)
	descriptor := w.add("<</Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%d %d %d %d] /ItalicAngle 0 /Ascent %d /Descent %d /CapHeight %d /StemV 80 /FontFile2 %d 0 R>>",
		name, f.scaled(f.head, 36), f.scaled(f.head, 38), f.scaled(f.head, 40), f.scaled(f.head, 42), ascent, descent, ascent*3/4, file)
	var widths []byte
	for _, glyph := range s.glyphs {
		widths = fmt.Appendf(widths, "%d ", f.advance(glyph))
	}
	descendant := w.add("<</Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /FontDescriptor %d 0 R /CIDToGIDMap /Identity /W [0 [%s]]>>",
		name, descriptor, widths)
	unicode := w.reserve()
	w.stream(unicode, "", s.unicode())
	return w.add("<</Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R>>", name, descendant, unicode)
}

// unicode is the map from codes to characters, by which text is copied and found.
func (s *subset) unicode() []byte {
	cmap := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	const most = 100 // entries in a block
	for start := 0; start < len(s.runes); start += most {
		block := s.runes[start:min(start+most, len(s.runes))]
		cmap = fmt.Appendf(cmap, "%d beginbfchar\n", len(block))
		for n, r := range block {
			cmap = fmt.Appendf(cmap, "<%04X> <", start+n)
			for _, unit := range utf16.AppendRune(nil, r) {
				cmap = fmt.Appendf(cmap, "%04X", unit)
			}
			cmap = append(cmap, ">\n"...)
		}
		cmap = append(cmap, "endbfchar\n"...)
	}
	return append(cmap, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}
