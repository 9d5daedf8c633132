package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"sync"
)

// Info is what a file says about itself.
type Info struct {
	Title, Author, Language string
}

// Writer writes a PDF file. The first error ends it, and Close returns it.
type Writer struct {
	out     *bufio.Writer
	sum     hash.Hash
	written int64
	err     error
	info    Info

	offsets []int64 // of objects; the first has number 1
	pages   []int
	subsets []*subset
	images  []int

	width, height float64
	page          *Page
	deflate       *zlib.Writer
	packed        bytes.Buffer
}

// The objects that pages refer to before they are written.
const (
	catalogObject = 1 + iota
	pagesObject
	resourcesObject
	totalObject
	reservedObjects = totalObject
)

// deflaters are kept because each has a megabyte of tables.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}

// NewWriter begins a file with pages of that size in points, a 72nd of an inch.
func NewWriter(w io.Writer, width, height float64, info Info) *Writer {
	f := &Writer{
		out: bufio.NewWriter(w), sum: sha256.New(), info: info, offsets: make([]int64, reservedObjects),
		width: width, height: height, deflate: deflaters.Get().(*zlib.Writer),
	}
	// The second line marks the file as binary.
	f.write("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	return f
}

// write writes text to the file.
func (w *Writer) write(text string) {
	if w.err != nil {
		return
	}
	n, err := w.out.WriteString(text)
	io.WriteString(w.sum, text)
	w.written, w.err = w.written+int64(n), err
}

func (w *Writer) writef(format string, args ...any) { w.write(fmt.Sprintf(format, args...)) }

// reserve takes the number of an object that is written later.
func (w *Writer) reserve() int {
	w.offsets = append(w.offsets, 0)
	return len(w.offsets)
}

// object writes an object under a number that was reserved.
func (w *Writer) object(number int, format string, args ...any) {
	w.offsets[number-1] = w.written
	w.writef("%d 0 obj\n"+format+"\nendobj\n", append([]any{number}, args...)...)
}

// add writes an object and returns its number.
func (w *Writer) add(format string, args ...any) int {
	number := w.reserve()
	w.object(number, format, args...)
	return number
}

// stream writes an object with data, compressed. The dictionary has its other
// entries.
func (w *Writer) stream(number int, dictionary string, data []byte) {
	w.packed.Reset()
	w.deflate.Reset(&w.packed)
	w.deflate.Write(data) // into memory, which does not fail
	w.deflate.Close()
	w.rawStream(number, dictionary+" /Filter /FlateDecode", w.packed.Bytes())
}

// rawStream writes an object with data as it is.
func (w *Writer) rawStream(number int, dictionary string, data []byte) {
	w.offsets[number-1] = w.written
	w.writef("%d 0 obj\n<<%s /Length %d>>\nstream\n", number, dictionary, len(data))
	if w.err == nil {
		_, w.err = w.out.Write(data)
		w.sum.Write(data)
		w.written += int64(len(data))
	}
	w.write("\nendstream\nendobj\n")
}

// Font makes a font available to the pages of the file.
func (w *Writer) Font(f *Font) FontID {
	w.subsets = append(w.subsets, newSubset(f))
	return FontID(len(w.subsets) - 1)
}

// FontID is a font in a file.
type FontID int

// Page ends the page before and begins another.
func (w *Writer) Page() *Page {
	w.endPage()
	if w.page == nil {
		w.page = &Page{file: w}
	}
	w.page.begin()
	return w.page
}

// Pages is how many pages have begun.
func (w *Writer) Pages() int {
	if w.page != nil {
		return len(w.pages) + 1
	}
	return len(w.pages)
}

func (w *Writer) endPage() {
	if w.page == nil {
		return
	}
	content, page := w.reserve(), w.reserve()
	w.stream(content, "", w.page.content)
	w.object(page, "<</Type /Page /Parent %d 0 R /Resources %d 0 R /Contents %d 0 R>>", pagesObject, resourcesObject, content)
	w.pages = append(w.pages, page)
}

// Close ends the last page and writes what all pages share. total draws how many
// pages there are, in the place that Page.Total left for it; it may be nil.
func (w *Writer) Close(total func(p *Page, pages int)) error {
	w.endPage()
	w.page = nil
	form := &Page{file: w}
	if total != nil {
		total(form, len(w.pages))
	}
	w.stream(totalObject, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 %s %s] /Resources %d 0 R", number(w.width), number(w.height), resourcesObject), form.content)
	w.resources()
	kids := make([]byte, 0, 8*len(w.pages))
	for _, page := range w.pages {
		kids = fmt.Appendf(kids, "%d 0 R ", page)
	}
	w.object(pagesObject, "<</Type /Pages /Count %d /MediaBox [0 0 %s %s] /Kids [%s]>>", len(w.pages), number(w.width), number(w.height), kids)
	w.object(catalogObject, "<</Type /Catalog /Pages %d 0 R /Lang %s /ViewerPreferences <</DisplayDocTitle true>>>>", pagesObject, text(w.info.Language))
	info := w.add("<</Title %s /Author %s /Producer %s>>", text(w.info.Title), text(w.info.Author), text("Tenantry"))
	w.end(info)
	deflaters.Put(w.deflate)
	w.deflate = nil
	return w.err
}

// resources writes the fonts that were used, and lists them and the images.
func (w *Writer) resources() {
	var fonts, images []byte
	for n, s := range w.subsets {
		if len(s.codes) > 0 {
			fonts = fmt.Appendf(fonts, "/F%d %d 0 R ", n, w.font(n, s))
		}
	}
	for n, image := range w.images {
		images = fmt.Appendf(images, "/I%d %d 0 R ", n, image)
	}
	w.object(resourcesObject, "<</Font <<%s>> /XObject <</Total %d 0 R %s>>>>", fonts, totalObject, images)
}

// end writes the table of objects.
func (w *Writer) end(info int) {
	start := w.written
	w.writef("xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		w.writef("%010d 00000 n \n", offset)
	}
	id := w.sum.Sum(nil)[:16]
	w.writef("trailer\n<</Size %d /Root %d 0 R /Info %d 0 R /ID [<%x> <%x>]>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, catalogObject, info, id, id, start)
	if w.err == nil {
		w.err = w.out.Flush()
	}
}
