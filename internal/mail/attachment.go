package mail

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
)

// perLine is how many bytes a line of base64 has: 76 characters.
const perLine = 57

func (a Attachment) write(b *bytes.Buffer) {
	name := fileName(a.Name)
	writeMediaType(b, "Content-Type", strings.ToLower(a.Type), parameter{"name", name})
	writeMediaType(b, "Content-Disposition", "attachment", parameter{"filename", name})
	b.WriteString("Content-Transfer-Encoding: base64\r\n\r\n")
	line := make([]byte, base64.StdEncoding.EncodedLen(perLine))
	for data := a.Data; len(data) > 0; {
		n := min(len(data), perLine)
		encoded := line[:base64.StdEncoding.EncodedLen(n)]
		base64.StdEncoding.Encode(encoded, data[:n])
		b.Write(encoded)
		b.WriteString("\r\n")
		data = data[n:]
	}
}

// maxFileName is in bytes; three times as many are still a line of mail.
const maxFileName = 200

// fileName is a name without what could lead out of the directory that a client saves
// it in.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, oneLine(name))
	name = strings.TrimLeft(name, ".")
	if len(name) > maxFileName {
		// What tells the kind of the file is at the end.
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 || len(name)-dot > 20 {
			dot = len(name)
		}
		ending := name[dot:]
		name = clip(name[:dot], maxFileName-len(ending)) + ending
	}
	if name == "" {
		return "attachment"
	}
	return name
}

type parameter struct{ name, value string }

// writeMediaType writes a header with one parameter, on a line of its own.
func writeMediaType(b *bytes.Buffer, header, value string, p parameter) {
	// FormatMediaType knows how values are quoted and encoded; it wants a type.
	_, formatted, _ := strings.Cut(mime.FormatMediaType("a/b", map[string]string{p.name: p.value}), " ")
	b.WriteString(header + ": " + value + ";\r\n " + formatted + "\r\n")
}
