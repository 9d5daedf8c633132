// Package pdf writes PDF files: pages with text, lines, areas and images, in
// fonts that are embedded as subsets. It knows nothing of documents.
//
// A page goes to the writer as soon as it is complete, compressed. What is kept
// until the end is one offset for each object and the characters that were used of
// each font, so that memory does not grow with pages in any way that matters: 600
// pages need about 20 KB more than one. Fonts are read in place, without parsing
// them first, and files have no times in them: the same calls write the same bytes.
package pdf
