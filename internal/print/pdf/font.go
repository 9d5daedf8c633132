package pdf

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// Font is a TrueType font. It is read where it is: looking up a character takes
// a binary search in its table, unless it is ASCII, and making a Font takes next to
// nothing.
type Font struct {
	name                   string
	head, hhea, hmtx, maxp []byte
	loca, glyf             []byte
	segments               []byte // of the character map
	wide                   bool   // segments are 32 bits wide
	units                  int    // of an em
	glyphs, metrics        int    // how many there are
	ascii                  [128]uint16
}

// ParseFont reads the tables of a TrueType font. The name is the one that it has
// in PDF files.
func ParseFont(name string, file []byte) (*Font, error) {
	if len(file) < 12 || u32(file, 0) != 0x00010000 {
		return nil, fmt.Errorf("font %s: not a TrueType font", name)
	}
	tables := map[string][]byte{}
	for n := range int(u16(file, 4)) {
		record := file[12+16*n:]
		offset, length := u32(record, 8), u32(record, 12)
		if int64(offset)+int64(length) > int64(len(file)) {
			return nil, fmt.Errorf("font %s: table %q is beyond the end of the file", name, record[:4])
		}
		tables[string(record[:4])] = file[offset : offset+length]
	}
	for _, table := range []string{"head", "hhea", "hmtx", "maxp", "loca", "glyf", "cmap"} {
		if tables[table] == nil {
			return nil, fmt.Errorf("font %s: it has no table %q", name, table)
		}
	}
	f := &Font{
		name: name, head: tables["head"], hhea: tables["hhea"], hmtx: tables["hmtx"], maxp: tables["maxp"],
		loca: tables["loca"], glyf: tables["glyf"],
	}
	f.units, f.glyphs, f.metrics = int(u16(f.head, 18)), int(u16(f.maxp, 4)), int(u16(f.hhea, 34))
	if err := f.readCharacterMap(tables["cmap"]); err != nil {
		return nil, err
	}
	for r := range f.ascii {
		f.ascii[r] = uint16(f.lookUp(rune(r)))
	}
	return f, nil
}

// readCharacterMap finds the map of Unicode characters, the widest there is.
func (f *Font) readCharacterMap(cmap []byte) error {
	for n := range int(u16(cmap, 2)) {
		record := cmap[4+8*n:]
		platform, encoding, table := u16(record, 0), u16(record, 2), cmap[u32(record, 4):]
		isUnicode := platform == 0 || platform == 3 && (encoding == 1 || encoding == 10)
		switch format := u16(table, 0); {
		case !isUnicode:
		case format == 12:
			f.segments, f.wide = table, true
			return nil
		case format == 4:
			f.segments = table
		}
	}
	if f.segments == nil {
		return fmt.Errorf("font %s: it has no map of Unicode characters", f.name)
	}
	return nil
}

// Has reports whether the font has a glyph for a character.
func (f *Font) Has(r rune) bool { return f.glyph(r) != 0 }

// glyph is the glyph of a character, 0 if there is none.
func (f *Font) glyph(r rune) int {
	if r >= 0 && int(r) < len(f.ascii) {
		return int(f.ascii[r])
	}
	return f.lookUp(r)
}

// lookUp searches the character map.
func (f *Font) lookUp(r rune) int {
	switch {
	case f.wide:
		return f.glyphWide(uint32(r))
	case r > 0xFFFF || r < 0:
		return 0
	}
	// Format 4: arrays of last characters, first ones, deltas and offsets.
	count := int(u16(f.segments, 6)) / 2
	ends := f.segments[14:]
	starts := ends[2*count+2:]
	deltas, offsets := starts[2*count:], starts[4*count:]
	n := sort.Search(count, func(n int) bool { return rune(u16(ends, 2*n)) >= r })
	if n == count || rune(u16(starts, 2*n)) > r {
		return 0
	}
	offset := int(u16(offsets, 2*n))
	if offset == 0 {
		return int(uint16(r) + u16(deltas, 2*n))
	}
	at := 2*n + offset + 2*int(r-rune(u16(starts, 2*n)))
	if at+2 > len(offsets) {
		return 0
	}
	glyph := u16(offsets, at)
	if glyph == 0 {
		return 0
	}
	return int(glyph + u16(deltas, 2*n))
}

// glyphWide is glyph in format 12: groups of first character, last one and glyph
// of the first.
func (f *Font) glyphWide(r uint32) int {
	count := int(u32(f.segments, 12))
	groups := f.segments[16:]
	n := sort.Search(count, func(n int) bool { return u32(groups, 12*n+4) >= r })
	if n == count || u32(groups, 12*n) > r {
		return 0
	}
	return int(u32(groups, 12*n+8) + r - u32(groups, 12*n))
}

// advance is the width of a glyph in thousandths of an em.
func (f *Font) advance(glyph int) int {
	glyph = min(glyph, f.metrics-1)
	return (int(u16(f.hmtx, 4*glyph))*1000 + f.units/2) / f.units
}

// Width is the width of a text in a size of the font. Characters that it does
// not have are as wide as the sign that stands for them.
func (f *Font) Width(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		sum += f.advance(f.glyph(r))
	}
	return float64(sum) * size / 1000
}

// outline is what draws a glyph; empty for a space.
func (f *Font) outline(glyph int) []byte {
	if glyph >= f.glyphs {
		return nil
	}
	if u16(f.head, 50) == 0 {
		return f.glyf[2*int(u16(f.loca, 2*glyph)) : 2*int(u16(f.loca, 2*glyph+2))]
	}
	return f.glyf[u32(f.loca, 4*glyph):u32(f.loca, 4*glyph+4)]
}

// scaled is a signed measure of a table in thousandths of an em.
func (f *Font) scaled(table []byte, at int) int { return int(int16(u16(table, at))) * 1000 / f.units }

func u16(b []byte, at int) uint16 { return binary.BigEndian.Uint16(b[at:]) }
func u32(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
