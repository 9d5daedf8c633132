package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"strings"
	"testing"
)

func read(t *testing.T, name string) *Font {
	t.Helper()
	file, err := os.ReadFile("../fonts/" + name + ".ttf")
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseFont(name, file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParseFontRefuses(t *testing.T) {
	font, err := os.ReadFile("../fonts/Roboto-Regular.ttf")
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"nothing": nil, "an OpenType font": []byte("OTTO\x00\x01\x00\x00\x00\x00\x00\x00"), "a font that is cut off": font[:len(font)/2],
		"a font without tables": {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		if _, err := ParseFont(name, file); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A subset can be read as a font again: its characters are the glyphs of their
// codes, as wide as before, and the parts of composite glyphs are in it.
func TestSubset(t *testing.T) {
	for name, text := range map[string]string{
		"Roboto-Regular": "Grüße, ñandú & Ω 12.50", "DejaVuSans": "äéî→Հა", "DroidSansFallbackFull": "請求書ア", "NanumSquareR": "서울", "NotoSansThai-Regular": "สวัสดี",
	} {
		f := read(t, name)
		s := newSubset(f)
		for _, r := range text {
			s.code(r)
			s.code(r)
		}
		file := s.file()
		// It has no map of characters, which files do not need.
		tables := map[string][]byte{}
		for n := range int(u16(file, 4)) {
			record := file[12+16*n:]
			tables[string(record[:4])] = file[u32(record, 8) : u32(record, 8)+u32(record, 12)]
		}
		cut := &Font{head: tables["head"], hhea: tables["hhea"], hmtx: tables["hmtx"], maxp: tables["maxp"], loca: tables["loca"], glyf: tables["glyf"], units: f.units}
		cut.glyphs, cut.metrics = int(u16(cut.maxp, 4)), int(u16(cut.hhea, 34))
		for code, r := range s.runes[1:] {
			code++
			if cut.advance(code) != f.advance(f.glyph(r)) {
				t.Errorf("%s: %c is %d wide, want %d", name, r, cut.advance(code), f.advance(f.glyph(r)))
			}
			if whole := f.outline(f.glyph(r)); (len(whole) == 0) != (len(cut.outline(code)) == 0) {
				t.Errorf("%s: %c has an outline of %d bytes, and %d before", name, r, len(cut.outline(code)), len(whole))
			}
		}
		for n := range cut.glyphs {
			for part := range components(cut.outline(n)) {
				if glyph := int(u16(part, 2)); glyph >= cut.glyphs || len(cut.outline(glyph)) == 0 {
					t.Errorf("%s: glyph %d has a part %d that is missing", name, n, glyph)
				}
			}
		}
		if want := len([]rune(text)); len(s.runes) > want+1 || len(file) > 20_000 {
			t.Errorf("%s: %d characters, %d bytes", name, len(s.runes), len(file))
		}
	}
}

func TestJPEGIsEmbeddedAsItIs(t *testing.T) {
	for space, picture := range map[string]image.Image{
		"/DeviceRGB": image.NewRGBA(image.Rect(0, 0, 30, 20)), "/DeviceGray": image.NewGray(image.Rect(0, 0, 30, 20)),
	} {
		var encoded, out bytes.Buffer
		if err := jpeg.Encode(&encoded, picture, nil); err != nil {
			t.Fatal(err)
		}
		parsed, err := ParseImage(encoded.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		w := NewWriter(&out, 100, 100, Info{})
		id, err := w.Image(parsed)
		if err != nil {
			t.Fatal(err)
		}
		w.Page().Image(0, 0, 30, 20, id)
		if err := w.Close(nil); err != nil {
			t.Fatal(err)
		}
		if file := out.String(); !strings.Contains(file, encoded.String()) || !strings.Contains(file, space+" /Filter /DCTDecode") {
			t.Errorf("the image is not in the file, or not with %s", space)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.001: "0", 1: "1", 10: "10", 0.5: "0.5", -2.345: "-2.35", 841.89: "841.89", 100: "100"} {
		if got := number(v); got != want {
			t.Errorf("%v is written as %s, want %s", v, got, want)
		}
	}
}

func TestLargeImagesAreReduced(t *testing.T) {
	picture := image.NewPaletted(image.Rect(10, 20, 10+3000, 20+5), color.Palette{color.White, color.Black, color.Transparent})
	for x := 10; x < 3010; x += 2 {
		for y := 20; y < 25; y++ {
			picture.SetColorIndex(x, y, 1)
		}
	}
	reduced := reduce(picture)
	if reduced.Rect != image.Rect(0, 0, 1000, 1) {
		t.Fatalf("it becomes %v", reduced.Rect)
	}
	// Two of three, and then one of three pixels are black.
	if a, b := reduced.NRGBAAt(0, 0), reduced.NRGBAAt(1, 0); a != (color.NRGBA{85, 85, 85, 255}) || b != (color.NRGBA{170, 170, 170, 255}) {
		t.Errorf("colors are %v and %v", a, b)
	}
	thin := reduce(image.NewGray(image.Rect(0, 0, 4000, 1)))
	if thin.Rect != image.Rect(0, 0, 1000, 1) {
		t.Errorf("a line becomes %v", thin.Rect)
	}
}
