package mail

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxHTML is how long the HTML of a message can become, in bytes.
const maxHTML = 500_000

// page makes HTML of a text.
type page struct {
	language, title string
	// email is made a link, and of web addresses those that are trusted. A name that
	// somebody gave an account is not: it could lead anywhere.
	email   string
	trusted []string
}

// Colours are left to the client, which may be dark, except for a button, which has both
// of its own. Styles stand where they are used, as some clients know no others.
const (
	pageHead = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
`
	frameStyle  = `max-width:36em;margin:0 auto;padding:24px 16px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5`
	buttonStyle = `display:inline-block;padding:10px 18px;border-radius:6px;background-color:#1f5fae;color:#ffffff;font-weight:bold;text-decoration:none`
	labelStyle  = `padding:2px 20px 2px 0;font-weight:normal;opacity:0.75`
	valueStyle  = `padding:2px 0`
)

func (p page) html(text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"" + html.EscapeString(p.language) + "\">\n<head>\n" + pageHead)
	b.WriteString("<title>" + html.EscapeString(p.title) + "</title>\n</head>\n<body style=\"margin:0;padding:0\">\n")
	b.WriteString("<div dir=\"auto\" style=\"" + frameStyle + "\">\n")
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		p.paragraph(&b, strings.Split(paragraph, "\n"))
		if b.Len() > maxHTML {
			return ""
		}
	}
	b.WriteString("</div>\n</body>\n</html>\n")
	return b.String()
}

func (p page) paragraph(b *strings.Builder, lines []string) {
	if label, link, ok := p.button(lines); ok {
		b.WriteString("<p><a href=\"" + html.EscapeString(link) + "\" style=\"" + buttonStyle + "\">" + html.EscapeString(label) + "</a></p>\n")
		return
	}
	if isTable(lines) {
		p.table(b, lines)
		return
	}
	b.WriteString("<p>")
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br>\n")
		}
		b.WriteString(p.inline(line))
	}
	b.WriteString("</p>\n")
}

// button finds a paragraph that is a label, a colon and a trusted address.
func (p page) button(lines []string) (label, link string, ok bool) {
	if len(lines) != 1 {
		return "", "", false
	}
	label, link, ok = labelled(lines[0])
	return label, link, ok && webAddress.FindString(link) == link && p.trusts(link)
}

// labelled divides a line of the form "Label: value". In French a space that does not
// break stands before the colon.
func labelled(line string) (label, value string, ok bool) {
	const longest = 60
	label, value, ok = strings.Cut(line, ": ")
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	return label, value, ok && label != "" && value != "" && utf8.RuneCountInString(label) <= longest
}

// isTable reports whether all lines have a label.
func isTable(lines []string) bool {
	return len(lines) > 1 && !slices.ContainsFunc(lines, func(line string) bool {
		_, _, ok := labelled(line)
		return !ok
	})
}

func (p page) table(b *strings.Builder, lines []string) {
	b.WriteString("<table cellpadding=\"0\" cellspacing=\"0\" style=\"margin:16px 0;font-size:16px\">\n")
	for _, line := range lines {
		label, value, _ := labelled(line)
		b.WriteString("<tr valign=\"top\"><th align=\"left\" scope=\"row\" style=\"" + labelStyle + "\">" + html.EscapeString(label))
		b.WriteString("</th><td style=\"" + valueStyle + "\">" + p.inline(value) + "</td></tr>\n")
	}
	b.WriteString("</table>\n")
}

// webAddress ends before punctuation that belongs to the sentence.
var webAddress = regexp.MustCompile(`https?://[^\s\p{Z}<>"'{}]*[^\s\p{Z}<>"'{}.,;:!?()\[\]«»„“”‘’…]`)

// inline is a line with its links.
func (p page) inline(line string) string {
	var b strings.Builder
	rest := line
	for {
		at := webAddress.FindStringIndex(rest)
		if at == nil {
			break
		}
		b.WriteString(p.plain(rest[:at[0]]))
		if link := rest[at[0]:at[1]]; p.trusts(link) {
			b.WriteString("<a href=\"" + html.EscapeString(link) + "\">" + html.EscapeString(link) + "</a>")
		} else {
			b.WriteString(p.plain(link))
		}
		rest = rest[at[1]:]
	}
	b.WriteString(p.plain(rest))
	return b.String()
}

// plainEmail has nothing that means something else in a link.
var plainEmail = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

// plain is a text without web addresses.
func (p page) plain(text string) string {
	escaped := html.EscapeString(text)
	if !plainEmail.MatchString(p.email) {
		return escaped
	}
	address := html.EscapeString(p.email)
	return strings.ReplaceAll(escaped, address, "<a href=\"mailto:"+address+"\">"+address+"</a>")
}

// trusts reports whether an address is one of the trusted, or begins with one that has a
// host and a slash: a template may add the number of an invoice to it.
func (p page) trusts(link string) bool {
	return slices.ContainsFunc(p.trusted, func(trusted string) bool {
		if trusted == "" || !strings.HasPrefix(link, trusted) {
			return false
		}
		_, path, _ := strings.Cut(trusted, "://")
		return link == trusted || strings.Contains(path, "/")
	})
}
