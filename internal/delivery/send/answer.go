package send

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxBody is how much of a body is kept, maxDrain how much more is read to
	// be able to use the connection again.
	maxBody  = 16 << 10
	maxDrain = 48 << 10
	// firstRead has room for what most receivers answer.
	firstRead = 512
	// Bounds of the headers that are kept.
	maxHeaders, maxHeaderText, maxHeaderValue = 64, 8 << 10, 1 << 10
	// maxRetryAfter keeps absurd wishes from overflowing.
	maxRetryAfter = 30 * 24 * time.Hour
)

// keepBody reads an answer's body as far as it is kept, and closes it.
func keepBody(response *http.Response) (kept []byte, truncated bool, err error) {
	defer response.Body.Close()
	if response.ContentLength == 0 {
		return nil, false, nil
	}
	// What the receiver says of the length is no reason to make room for it.
	read, err := readUpTo(response.Body, make([]byte, 0, firstRead))
	if err == nil { // there may be more
		more, _ := io.CopyN(io.Discard, response.Body, maxDrain)
		truncated = more > 0
	}
	if !utf8.Valid(read) || bytes.IndexByte(read, 0) >= 0 {
		read = []byte(cleanText(read, maxBody))
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return read, truncated, err
}

// readUpTo fills a buffer up to maxBody bytes. It returns io.EOF if that was
// all, nil if there may be more.
func readUpTo(r io.Reader, buffer []byte) ([]byte, error) {
	for {
		if len(buffer) == cap(buffer) {
			buffer = slices.Grow(buffer, min(len(buffer)+512, maxBody-len(buffer)))
		}
		n, err := r.Read(buffer[len(buffer):min(cap(buffer), maxBody)])
		buffer = buffer[:len(buffer)+n]
		if err != nil || len(buffer) == maxBody {
			return buffer, err
		}
	}
}

// cleanText makes text of bytes that anybody may have sent: valid UTF-8 without
// the zero character, which PostgreSQL does not take, and of at most limit
// bytes. A character that the limit cuts in two is left out.
func cleanText(text []byte, limit int) string {
	var b strings.Builder
	b.Grow(min(len(text), limit))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !utf8.FullRune(text) {
			break
		}
		if r == 0 {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > limit {
			break
		}
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

// keepHeader returns what is kept of the headers: the first ones by name, if
// they are too many.
func keepHeader(header http.Header) http.Header {
	kept, room, count := make(http.Header, len(header)), maxHeaderText, maxHeaders
	for _, name := range sortedNames(header) {
		for _, value := range header[name] {
			text := cleanText([]byte(value), maxHeaderValue)
			room -= len(name) + len(text)
			count--
			if room < 0 || count < 0 {
				return kept
			}
			kept[name] = append(kept[name], text)
		}
	}
	return kept
}

func sortedNames(header http.Header) []string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// retryAfter reads the header: seconds or a date. What cannot be read is as if
// it were not there.
func retryAfter(text string, now time.Time) *time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	var wait time.Duration
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			seconds = int64(maxRetryAfter / time.Second)
		}
		wait = time.Duration(seconds) * time.Second
	} else {
		date, err := http.ParseTime(text)
		if err != nil {
			return nil
		}
		wait = min(max(date.Sub(now), 0), maxRetryAfter)
	}
	return &wait
}
