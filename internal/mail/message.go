package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"time"
)

// Message is an e-mail.
type Message struct {
	// From is the address of the sender, which also gets what cannot be delivered.
	From string
	// FromName is shown instead of From; it may be empty.
	FromName string
	// ReplyTo is where answers go, empty for From.
	ReplyTo string
	// To are the addresses of the recipients, who see each other.
	To      []string
	Subject string
	// Text is the message as plain text. HTML is the same message for clients that
	// show it; it may be empty.
	Text, HTML  string
	Attachments []Attachment
	// ID identifies the message everywhere and forever, such as
	// "reminder-17-3@billing.example.com". A message that is sent again keeps it, so
	// that a mail system can tell that it is the same.
	ID   string
	Date time.Time
}

// Attachment is a file that goes with a message.
type Attachment struct {
	Name string
	// Type is the media type, such as "application/pdf".
	Type string
	Data []byte
}

// Encode returns the message as MIME (RFC 5322, 2045 to 2047, 2231). The same message
// gives the same bytes. Line breaks and other control characters in the subject and in
// names become blanks; addresses, the ID and media types that have any are refused.
func (m Message) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	m.writeHeader(&b)
	if len(m.Attachments) == 0 {
		m.writeText(&b)
		return b.Bytes(), nil
	}
	mixed := m.boundary("mixed")
	writeMediaType(&b, "Content-Type", "multipart/mixed", parameter{"boundary", mixed})
	b.WriteString("\r\n")
	writeDelimiter(&b, mixed, "")
	m.writeText(&b)
	for _, a := range m.Attachments {
		writeDelimiter(&b, mixed, "")
		a.write(&b)
	}
	writeDelimiter(&b, mixed, "--")
	return b.Bytes(), nil
}

func (m Message) check() error {
	if err := CheckAddress(m.From); err != nil {
		return fmt.Errorf("sender: %w", err)
	}
	if m.ReplyTo != "" {
		if err := CheckAddress(m.ReplyTo); err != nil {
			return fmt.Errorf("address for replies: %w", err)
		}
	}
	if len(m.To) == 0 {
		return errors.New("the message has no recipient")
	}
	for _, to := range m.To {
		if err := CheckAddress(to); err != nil {
			return fmt.Errorf("recipient: %w", err)
		}
	}
	if !idForm.MatchString(m.ID) || len(m.ID) > maxID {
		return fmt.Errorf("%.40q is not an id of a message: write one such as reminder-17@example.com", m.ID)
	}
	if m.Date.IsZero() || m.Date.Year() < 1 || m.Date.Year() > 9999 {
		return errors.New("the message has no date")
	}
	for _, a := range m.Attachments {
		if !typeForm.MatchString(a.Type) || strings.HasPrefix(strings.ToLower(a.Type), "multipart/") {
			return fmt.Errorf("%.40q is not the media type of an attachment: write one such as application/pdf", a.Type)
		}
	}
	return nil
}

func (m Message) writeHeader(b *bytes.Buffer) {
	fmt.Fprintf(b, "Date: %s\r\n", m.Date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	writeFrom(b, m.FromName, m.From)
	if m.ReplyTo != "" {
		fmt.Fprintf(b, "Reply-To: %s\r\n", m.ReplyTo)
	}
	fmt.Fprintf(b, "To: %s\r\n", strings.Join(m.To, ",\r\n "))
	writeSubject(b, m.Subject)
	fmt.Fprintf(b, "Message-ID: <%s>\r\n", m.ID)
	// Without this, notices of absence come back (RFC 3834).
	b.WriteString("Auto-Submitted: auto-generated\r\n")
	b.WriteString("MIME-Version: 1.0\r\n")
}

// writeText writes the part that people read, with its header.
func (m Message) writeText(b *bytes.Buffer) {
	if m.HTML == "" {
		writeTextPart(b, "text/plain", m.Text)
		return
	}
	alternative := m.boundary("alternative")
	writeMediaType(b, "Content-Type", "multipart/alternative", parameter{"boundary", alternative})
	b.WriteString("\r\n")
	writeDelimiter(b, alternative, "")
	writeTextPart(b, "text/plain", m.Text)
	writeDelimiter(b, alternative, "")
	writeTextPart(b, "text/html", m.HTML)
	writeDelimiter(b, alternative, "--")
}

func writeTextPart(b *bytes.Buffer, mediaType, text string) {
	fmt.Fprintf(b, "Content-Type: %s; charset=utf-8\r\n", mediaType)
	b.WriteString("Content-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(b)
	// Neither writing to memory nor closing fails.
	_, _ = io.WriteString(w, canonical(text))
	_ = w.Close()
}

// canonical is a text with the line ends of mail, the last line ended too.
func canonical(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}

// boundary separates the parts of a multipart. It follows from the ID, and begins with
// characters that neither quoted-printable nor base64 writes, so that no part can have
// it.
func (m Message) boundary(kind string) string {
	sum := sha256.Sum256([]byte(kind + " " + m.ID))
	return "=_" + hex.EncodeToString(sum[:16])
}

func writeDelimiter(b *bytes.Buffer, boundary, end string) {
	fmt.Fprintf(b, "\r\n--%s%s\r\n", boundary, end)
}
