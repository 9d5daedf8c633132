package mail

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var sentAt = time.Date(2026, 3, 5, 9, 0, 0, 0, time.FixedZone("", 3600))

// plainMessage is the least that a message has.
func plainMessage() Message {
	return Message{
		From: "billing@acme.example", To: []string{"ann@globex.example"},
		Subject: "Invoice INV-2026-000017", Text: "Hello,\n\nthe invoice is attached.\n",
		ID: "invoice-17@acme.example", Date: sentAt,
	}
}

func fullMessage() Message {
	m := plainMessage()
	m.FromName, m.ReplyTo = "Müller & Söhne GmbH", "fragen@acme.example"
	m.To = append(m.To, "bob@globex.example")
	m.Subject = "Letzte Mahnung: Ihre Rechnung INV-2026-000017 über 1.234,50 EUR ist seit 14 Tagen überfällig"
	m.Text = "Guten Tag,\n\nein Satz mit einem „Zitat“, der so lang ist, dass er nicht in eine Zeile von 76 Zeichen passt.\n.\n.eine Zeile mit Punkt\n"
	m.HTML = "<p>Guten Tag,</p>\n<p>ein Satz.</p>\n"
	m.Attachments = []Attachment{
		{"Rechnung März.pdf", "application/pdf", bytes.Repeat([]byte("%PDF-1.7 "), 20)},
		{"data.csv", "text/csv", []byte("a,b\n")},
	}
	return m
}

func TestMessageAsMIME(t *testing.T) {
	t.Parallel()
	withHTML, withFile := plainMessage(), plainMessage()
	withHTML.HTML = "<p>Hello,</p>"
	withFile.Attachments = []Attachment{{"INV-2026-000017.pdf", "application/pdf", []byte("%PDF")}}
	long := plainMessage()
	long.FromName = `Acme "Rockets" Inc.`
	long.Subject = strings.Repeat("every word of a long subject is kept ", 4)
	japanese := plainMessage()
	japanese.FromName, japanese.Subject = "株式会社アクメ", "請求書 INV-2026-000017 のお支払期日が近づいております。ご確認ください。"
	for name, m := range map[string]Message{"plain": plainMessage(), "html": withHTML, "file": withFile, "full": fullMessage(), "long": long, "japanese": japanese} {
		encoded, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, _ := m.Encode()
		if !bytes.Equal(encoded, again) {
			t.Errorf("%s: the same message gives other bytes", name)
		}
		checkLines(t, encoded)
		golden(t, "message/"+name+".eml", strings.ReplaceAll(string(encoded), "\r\n", "\n"))
	}
}

// checkLines holds a message to what every server takes: ASCII lines that end in CRLF
// and are not too long.
func checkLines(t *testing.T, encoded []byte) {
	t.Helper()
	lines := strings.SplitAfter(string(encoded), "\r\n")
	for _, line := range lines[:len(lines)-1] {
		text := strings.TrimSuffix(line, "\r\n")
		if len(text) > 998 || strings.ContainsAny(text, "\r\n") {
			t.Errorf("a line of %d bytes: %.120q", len(text), text)
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		t.Errorf("the last line is not ended: %.120q", last)
	}
}

// decoded is what a mail client sees.
type decoded struct {
	header      mail.Header
	subject     string
	from        *mail.Address
	text, html  string
	attachments []Attachment
}

func decode(t *testing.T, encoded []byte) decoded {
	t.Helper()
	parsed, err := mail.ReadMessage(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	d := decoded{header: parsed.Header}
	if d.subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		t.Fatal(err)
	}
	if d.from, err = mail.ParseAddress(parsed.Header.Get("From")); err != nil {
		t.Fatalf("From: %v in %q", err, parsed.Header.Get("From"))
	}
	d.read(t, parsed.Header.Get, parsed.Body)
	return d
}

func (d *decoded) read(t *testing.T, header func(string) string, body io.Reader) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		t.Fatalf("%v in %q", err, header("Content-Type"))
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			d.read(t, part.Header.Get, part)
		}
	}
	data := readBody(t, header("Content-Transfer-Encoding"), body)
	if disposition := header("Content-Disposition"); disposition != "" {
		how, with, err := mime.ParseMediaType(disposition)
		if err != nil || how != "attachment" || with["filename"] != params["name"] {
			t.Errorf("%v in %q, %q", err, disposition, header("Content-Type"))
		}
		d.attachments = append(d.attachments, Attachment{with["filename"], kind, data})
		return
	}
	switch kind {
	case "text/plain":
		d.text += string(data)
	case "text/html":
		d.html += string(data)
	default:
		t.Errorf("a part is %s", kind)
	}
}

func TestMessagesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	m := fullMessage()
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	d := decode(t, encoded)
	if d.subject != m.Subject || d.from.Name != m.FromName || d.from.Address != m.From {
		t.Errorf("%q from %v", d.subject, d.from)
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	if d.text != crlf(m.Text) || d.html != crlf(m.HTML) {
		t.Errorf("text %q, HTML %q", d.text, d.html)
	}
	if !slices.EqualFunc(d.attachments, m.Attachments, func(a, b Attachment) bool {
		return a.Name == b.Name && a.Type == b.Type && bytes.Equal(a.Data, b.Data)
	}) {
		t.Errorf("attachments %+v", d.attachments)
	}
	to, err := d.header.AddressList("To")
	if err != nil || len(to) != 2 || to[1].Address != "bob@globex.example" {
		t.Errorf("to %v, %v", to, err)
	}
	if date, err := d.header.Date(); err != nil || !date.Equal(m.Date) {
		t.Errorf("date %v, %v", date, err)
	}
	for name, want := range map[string]string{"Message-ID": "<invoice-17@acme.example>", "Reply-To": "fragen@acme.example", "Auto-Submitted": "auto-generated", "MIME-Version": "1.0"} {
		if got := d.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestHeadersCannotBeInjected(t *testing.T) {
	t.Parallel()
	for _, breakIn := range []string{"\r\nBcc: eve@evil.example", "\nBcc: eve@evil.example", "\rBcc: eve@evil.example", "\r\n\r\n<h1>", "\x00", "\u2028Bcc: x", "\u0085x", "\u202eevil"} {
		m := fullMessage()
		m.Subject, m.FromName = "Hello"+breakIn, "Ann"+breakIn
		m.Attachments[0].Name = "a.pdf" + breakIn
		encoded, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d := decode(t, encoded)
		if len(d.header) != 9 || d.header.Get("Bcc") != "" || strings.ContainsFunc(d.subject+d.from.Name+d.attachments[0].Name, isControl) {
			t.Errorf("%q: %v, %q", breakIn, d.header, d.attachments[0].Name)
		}
		for what, change := range map[string]func(*Message){
			"From":    func(m *Message) { m.From += breakIn },
			"ReplyTo": func(m *Message) { m.ReplyTo += breakIn },
			"To":      func(m *Message) { m.To[1] = "x" + breakIn + "@example.com" },
			"ID":      func(m *Message) { m.ID += breakIn },
			"Type":    func(m *Message) { m.Attachments[1].Type += breakIn },
		} {
			m := fullMessage()
			change(&m)
			if encoded, err := m.Encode(); err == nil {
				t.Errorf("%s with %q: %s", what, breakIn, encoded)
			} else if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%s with %q: the error has a line break", what, breakIn)
			}
		}
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*Message)
		want   string
	}{
		{func(m *Message) { m.From = "" }, "sender: the mail address is empty"},
		{func(m *Message) { m.From = "ann" }, `sender: "ann" is not a mail address such as ann@example.com`},
		{func(m *Message) { m.From = "Ann <ann@example.com>" }, `which no address has`},
		{func(m *Message) { m.ReplyTo = "a@b@c" }, "address for replies:"},
		{func(m *Message) { m.To = nil }, "the message has no recipient"},
		{func(m *Message) { m.To = []string{"a..b@example.com"} }, "a dot too many"},
		{func(m *Message) { m.To = []string{strings.Repeat("x", 250) + "@example.com"} }, "at most 254"},
		{func(m *Message) { m.To = []string{"\xff@example.com"} }, "UTF-8"},
		{func(m *Message) { m.ID = "17" }, `"17" is not an id of a message`},
		{func(m *Message) { m.Date = time.Time{} }, "no date"},
		{func(m *Message) { m.Attachments = []Attachment{{Name: "x", Type: "pdf"}} }, `"pdf" is not the media type`},
		{func(m *Message) { m.Attachments = []Attachment{{Name: "x", Type: "Multipart/mixed"}} }, "is not the media type"},
	} {
		m := plainMessage()
		c.change(&m)
		if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "attachment", "a.pdf": "a.pdf", "../../etc/passwd": "_.._etc_passwd", `C:\x.pdf`: "C__x.pdf", ".": "attachment",
		"…\r\n.pdf": "… .pdf", strings.Repeat("ä", 200) + ".pdf": strings.Repeat("ä", 98) + ".pdf",
		strings.Repeat("x", 300): strings.Repeat("x", 200),
	} {
		if got := fileName(name); got != want {
			t.Errorf("%.60q is %q, want %q", name, got, want)
		}
	}
}

var blanks = regexp.MustCompile(`\s+`)

// FuzzMessage encodes messages of any text, which a client reads as they were written.
func FuzzMessage(f *testing.F) {
	f.Add("Invoice", "Acme", "Hello\n", "<p>Hello</p>", "a.pdf", []byte("x"), "a@b.example")
	f.Add("=?utf-8?q?x?=", "Ä \" \\ <x@y>", "\r\n.\r\n--=_\r", "", "=?.pdf", []byte{}, "ä@ö.example")
	f.Add(strings.Repeat("ä", 300), strings.Repeat("x", 300), "\xff\x00", "\t \n", strings.Repeat("/", 300), bytes.Repeat([]byte{0}, 200), "a@b\r\nRCPT TO:<x@y>")
	f.Fuzz(func(t *testing.T, subject, name, text, html, file string, data []byte, address string) {
		m := plainMessage()
		m.Subject, m.FromName, m.Text, m.HTML, m.To = subject, name, text, html, []string{address}
		m.Attachments = []Attachment{{file, "application/pdf", data}}
		encoded, err := m.Encode()
		if err != nil {
			if CheckAddress(address) == nil {
				t.Fatal(err)
			}
			m.To = plainMessage().To
			if encoded, err = m.Encode(); err != nil {
				t.Fatal(err)
			}
		}
		checkLines(t, encoded)
		d := decode(t, encoded)
		if want := clipRunes(oneLine(subject), maxSubject); d.subject != want {
			t.Errorf("subject %q, want %q", d.subject, want)
		}
		if want := clipRunes(oneLine(name), maxName); d.from.Name != want || d.from.Address != m.From {
			t.Errorf("from %q, want %q", d.from, want)
		}
		if d.text != canonical(text) || html != "" && d.html != canonical(html) {
			t.Errorf("text %q, want %q; HTML %q, want %q", d.text, canonical(text), d.html, canonical(html))
		}
		if len(d.attachments) != 1 || d.attachments[0].Name != fileName(file) || !bytes.Equal(d.attachments[0].Data, data) {
			t.Errorf("attachments %+v", d.attachments)
		}
		if header := d.header; len(header) != 8 || blanks.ReplaceAllString(header.Get("To"), "") != m.To[0] {
			t.Errorf("header %v", header)
		}
	})
}
