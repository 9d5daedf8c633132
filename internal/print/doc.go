// Package print shows invoices and credit notes to people: as a page of HTML and
// as a PDF file, with the same content in the same order. A Document has
// everything that is printed; it is put into words once (sheet.go), in the
// language and with the numbers and dates of its locale, and both forms draw
// those words.
//
// Items are read one at a time and are not kept, so that an invoice of 30,000
// items needs little more memory than one of ten (TestMemoryStaysFlat).
//
// The same document gives the same bytes, as no clock and no order of a map is
// part of it. PDF files have the fonts that they use embedded: Latin, Greek,
// Cyrillic, Armenian, Georgian, Hebrew, Arabic, Chinese, Japanese, Korean and Thai
// characters are drawn as they should be; the scripts of India and emoji have no
// font and come out as boxes. In HTML the browser draws them all.
package print
