package print

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

var (
	objectPattern = regexp.MustCompile(`(?s)(\d+) 0 obj\n(.*?)\nendobj\n`)
	streamPattern = regexp.MustCompile(`(?s)^<<(.*?)>>\nstream\n(.*)\nendstream$`)
	drawPattern   = regexp.MustCompile(`/F(\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj|/Total Do`)
	charPattern   = regexp.MustCompile(`<([0-9A-F]{4})> <([0-9A-F]+)>`)
)

// pdfFile is a PDF file that was taken apart.
type pdfFile struct {
	objects map[string]string // dictionaries, by number
	streams map[string]string // inflated data, by number
	fonts   map[string]map[string]string
	pages   []string // the text of each
}

// readPDF reads what PDF writes, and fails if that is not a file with fonts that
// are embedded and text that can be copied.
func readPDF(t testing.TB, file []byte) *pdfFile {
	t.Helper()
	f := &pdfFile{map[string]string{}, map[string]string{}, map[string]map[string]string{}, nil}
	for _, match := range objectPattern.FindAllSubmatch(file, -1) {
		number, body := string(match[1]), string(match[2])
		f.objects[number] = body
		if stream := streamPattern.FindStringSubmatch(body); stream != nil {
			f.objects[number], f.streams[number] = stream[1], stream[2]
			if strings.Contains(stream[1], "/FlateDecode") {
				f.streams[number] = inflate(t, stream[2])
			}
		}
	}
	for _, match := range regexp.MustCompile(`/F(\d+) (\d+) 0 R`).FindAllStringSubmatch(f.objects["3"], -1) {
		f.fonts[match[1]] = f.characters(t, f.objects[match[2]])
	}
	for _, kid := range regexp.MustCompile(`(\d+) 0 R `).FindAllStringSubmatch(f.objects["2"], -1) {
		content := regexp.MustCompile(`/Contents (\d+)`).FindStringSubmatch(f.objects[kid[1]])
		if content == nil {
			t.Fatalf("page %s has no content: %s", kid[1], f.objects[kid[1]])
		}
		f.pages = append(f.pages, f.text(t, f.streams[content[1]]))
	}
	return f
}

func inflate(t testing.TB, data string) string {
	t.Helper()
	reader, err := zlib.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// follow is the object that an entry of another one refers to.
func (f *pdfFile) follow(t testing.TB, object, entry string) string {
	t.Helper()
	match := regexp.MustCompile(entry + ` \[?(\d+) 0 R`).FindStringSubmatch(object)
	if match == nil {
		t.Fatalf("no %s in %s", entry, object)
	}
	return match[1]
}

// characters is what the codes of a font stand for.
func (f *pdfFile) characters(t testing.TB, font string) map[string]string {
	t.Helper()
	descendant := f.objects[f.follow(t, font, "/DescendantFonts")]
	descriptor := f.objects[f.follow(t, descendant, "/FontDescriptor")]
	if embedded := f.streams[f.follow(t, descriptor, "/FontFile2")]; !strings.HasPrefix(embedded, "\x00\x01\x00\x00") {
		t.Errorf("the font is not embedded: %s", descriptor)
	}
	characters := map[string]string{}
	for _, match := range charPattern.FindAllStringSubmatch(f.streams[f.follow(t, font, "/ToUnicode")], -1) {
		raw, err := hex.DecodeString(match[2])
		if err != nil {
			t.Fatal(err)
		}
		var units []uint16
		for n := 0; n < len(raw); n += 2 {
			units = append(units, uint16(raw[n])<<8|uint16(raw[n+1]))
		}
		characters[match[1]] = string(utf16.Decode(units))
	}
	return characters
}

// text is the text of a page, a line for each piece.
func (f *pdfFile) text(t testing.TB, content string) string {
	var text bytes.Buffer
	font := ""
	for _, match := range drawPattern.FindAllStringSubmatch(content, -1) {
		switch {
		case match[1] != "":
			font = match[1]
		case match[2] != "":
			for n := 0; n < len(match[2]); n += 4 {
				character, known := f.fonts[font][match[2][n:n+4]]
				if !known {
					t.Fatalf("code %s of font %s is no character", match[2][n:n+4], font)
				}
				text.WriteString(character)
			}
			text.WriteByte('\n')
		default:
			text.WriteString(f.text(t, f.streams["4"]))
		}
	}
	return text.String()
}
