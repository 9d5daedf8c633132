package document

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// writer writes an object as JSON without white space and without HTML escapes.
// Documents are hashed often enough that encoding/json, which finds its way by
// reflection, would be a fifth of verifying them; it says what is right (see
// canonical_test.go).
type writer struct {
	json []byte
	err  error // the first
}

// newWriter begins a document with so many items.
func newWriter(items int) *writer {
	const document, item = 2048, 1024 // about
	return &writer{json: append(make([]byte, 0, document+item*items), '{')}
}

// end ends the document. It fails only if JSON within it is none.
func (w *writer) end() ([]byte, error) { return append(w.json, '}'), w.err }

// name begins a member.
func (w *writer) name(name string) {
	if last := w.json[len(w.json)-1]; last != '{' {
		w.json = append(w.json, ',')
	}
	w.json = append(append(append(w.json, '"'), name...), `":`...)
}

func (w *writer) integer(name string, n int64) {
	w.name(name)
	w.json = strconv.AppendInt(w.json, n, 10)
}

func (w *writer) text(name, text string) {
	w.name(name)
	if isPlain(text) {
		w.json = append(append(append(w.json, '"'), text...), '"')
		return
	}
	quoted, err := compact(text)
	w.add(quoted, err)
}

// raw writes JSON, null if there is none.
func (w *writer) raw(name string, text json.RawMessage) {
	if text == nil {
		w.null(name)
		return
	}
	w.name(name)
	into := bytes.NewBuffer(w.json)
	err := json.Compact(into, text)
	w.json = into.Bytes()
	w.add(nil, err)
}

func (w *writer) null(name string) {
	w.name(name)
	w.json = append(w.json, "null"...)
}

// list writes a list of objects.
func (w *writer) list(name string, objects int, write func(n int)) {
	w.name(name)
	w.json = append(w.json, '[')
	for n := range objects {
		if n > 0 {
			w.json = append(w.json, ',')
		}
		w.json = append(w.json, '{')
		write(n)
		w.json = append(w.json, '}')
	}
	w.json = append(w.json, ']')
}

func (w *writer) add(text []byte, err error) {
	w.json = append(w.json, text...)
	if w.err == nil {
		w.err = err
	}
}

func optionalInteger[K ~int64](w *writer, name string, n *K) {
	if n == nil {
		w.null(name)
		return
	}
	w.integer(name, int64(*n))
}

func optionalText[T ~string](w *writer, name string, text *T) {
	if text == nil {
		w.null(name)
		return
	}
	w.text(name, string(*text))
}

// isPlain reports whether a text is JSON as it is, between quotes.
func isPlain(text string) bool {
	for _, r := range text {
		switch {
		case r < ' ', r == '"', r == '\\', r == utf8.RuneError, r == '\u2028', r == '\u2029':
			return false
		}
	}
	return true
}
