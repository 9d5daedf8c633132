package pdf

import (
	"encoding/binary"
	"slices"
)

// subset is the part of a font that a file uses. Characters are numbered in the
// order in which they first appear, and those numbers are both the codes in the
// text and the glyphs of the font that is embedded.
type subset struct {
	font   *Font
	codes  map[rune]uint16
	runes  []rune // by code; code 0 is the sign for what is missing
	glyphs []int  // by code, in the whole font
}

func newSubset(f *Font) *subset {
	return &subset{font: f, codes: map[rune]uint16{}, runes: []rune{0xFFFD}, glyphs: []int{0}}
}

// code is the code of a character in the file.
func (s *subset) code(r rune) uint16 {
	if code, known := s.codes[r]; known {
		return code
	}
	glyph, code := s.font.glyph(r), uint16(0)
	// Codes end at 65,535, and composite glyphs need some of them.
	if glyph != 0 && len(s.glyphs) < 60_000 {
		code = uint16(len(s.glyphs))
		s.runes, s.glyphs = append(s.runes, r), append(s.glyphs, glyph)
	}
	s.codes[r] = code
	return code
}

// file is a TrueType font of the glyphs in use.
func (s *subset) file() []byte {
	var glyf, loca, hmtx []byte
	glyphs := slices.Clone(s.glyphs)
	parts := map[int]int{} // where components of composite glyphs went
	for n := 0; n < len(glyphs); n++ {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		start := len(glyf)
		glyf = appendUnhinted(glyf, s.font.outline(glyphs[n]))
		for part := range components(glyf[start:]) {
			old := int(u16(part, 2))
			moved, known := parts[old]
			if !known {
				moved = len(glyphs)
				parts[old], glyphs = moved, append(glyphs, old)
			}
			binary.BigEndian.PutUint16(part[2:], uint16(moved))
		}
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		hmtx = append(hmtx, s.font.metric(glyphs[n])...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	return assemble(map[string][]byte{
		"glyf": glyf, "loca": loca, "hmtx": hmtx,
		"head": patched(s.font.head, 50, 1), // long offsets
		"hhea": patched(s.font.hhea, 34, len(glyphs)),
		"maxp": patched(s.font.maxp, 4, len(glyphs)),
	})
}

// metric is the advance and the left side bearing of a glyph.
func (f *Font) metric(glyph int) []byte {
	if glyph < f.metrics {
		return f.hmtx[4*glyph : 4*glyph+4]
	}
	advance, bearing := f.hmtx[4*f.metrics-4:4*f.metrics-2], 4*f.metrics+2*(glyph-f.metrics)
	return slices.Concat(advance, f.hmtx[bearing:bearing+2])
}

// Flags of the components of a composite glyph.
const (
	wordArguments   = 1 << 0
	hasScale        = 1 << 3
	moreComponents  = 1 << 5
	hasTwoScales    = 1 << 6
	hasMatrix       = 1 << 7
	hasInstructions = 1 << 8
)

// components yields the components of a composite glyph, and nothing for others.
func components(outline []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		if len(outline) < 10 || outline[0] < 0x80 { // the number of contours is not negative
			return
		}
		for rest := outline[10:]; ; {
			flags, length := u16(rest, 0), 6
			if flags&wordArguments != 0 {
				length += 2
			}
			switch {
			case flags&hasScale != 0:
				length += 2
			case flags&hasTwoScales != 0:
				length += 4
			case flags&hasMatrix != 0:
				length += 8
			}
			if !yield(rest[:length]) || flags&moreComponents == 0 {
				return
			}
			rest = rest[length:]
		}
	}
}

// appendUnhinted appends an outline without its hinting instructions, which need
// tables that are not embedded.
func appendUnhinted(to, outline []byte) []byte {
	if len(outline) < 10 {
		return to
	}
	start := len(to)
	contours := int(int16(u16(outline, 0)))
	if contours >= 0 {
		at := 10 + 2*contours
		to = append(to, outline[:at]...)
		to = append(to, 0, 0)
		return append(to, outline[at+2+int(u16(outline, at)):]...)
	}
	to = append(to, outline...)
	length := 10
	for part := range components(to[start:]) {
		binary.BigEndian.PutUint16(part, u16(part, 0)&^hasInstructions)
		length += len(part)
	}
	return to[:start+length]
}

// patched is a copy of a table with another number in it.
func patched(table []byte, at, value int) []byte {
	table = slices.Clone(table)
	binary.BigEndian.PutUint16(table[at:], uint16(value))
	return table
}

// assemble makes a font file of tables. Readers of PDF files do not look at
// checksums, which stay 0.
func assemble(tables map[string][]byte) []byte {
	names := []string{"glyf", "head", "hhea", "hmtx", "loca", "maxp"}
	file := []byte{0, 1, 0, 0, 0, byte(len(names)), 0, 64, 0, 2, 0, 32}
	offset := len(file) + 16*len(names)
	for _, name := range names {
		file = append(file, name...)
		file = append(file, 0, 0, 0, 0)
		file = binary.BigEndian.AppendUint32(file, uint32(offset))
		file = binary.BigEndian.AppendUint32(file, uint32(len(tables[name])))
		offset += (len(tables[name]) + 3) &^ 3
	}
	for _, name := range names {
		file = append(file, tables[name]...)
		for len(file)%4 != 0 {
			file = append(file, 0)
		}
	}
	return file
}
