package manual

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// passage is what stands under one heading of a page.
type passage struct {
	id, heading, text string
	// lower are heading and text as they are compared.
	lower struct{ heading, text string }
}

// passagesOf cuts a page at its headings.
func passagesOf(document ast.Node, source []byte) (all []passage) {
	var text strings.Builder
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].text = strings.Join(strings.Fields(text.String()), " ")
		}
		text.Reset()
	}
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		if heading, is := node.(*ast.Heading); is && heading.Level <= 3 {
			end()
			id, _ := heading.AttributeString("id")
			all = append(all, passage{id: string(id.([]byte)), heading: plainText(heading, source)})
			continue
		}
		writeText(&text, node, source)
	}
	end()
	for i := range all {
		all[i].lower.heading, all[i].lower.text = strings.ToLower(all[i].heading), strings.ToLower(all[i].text)
	}
	return all
}

// writeText writes all that can be read in a block, code too.
func writeText(out *strings.Builder, node ast.Node, source []byte) {
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			out.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.NextSibling() == nil {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				out.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
}

// hit is a passage that a search found.
type hit struct {
	Address, Page, Heading string
	Excerpt                template.HTML
	score                  int
}

const (
	mostHits  = 20 // that are shown
	mostWords = 10 // that are looked for
)

// found is the answer to a search.
type found struct {
	Query string
	Hits  []hit
	More  int // how many are not shown
}

// search finds the passages that hold every word, those with the words in their
// headings first.
func (m *manual) search(query string) *found {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	words = words[:min(len(words), mostWords)]
	answer := &found{Query: query}
	if len(words) == 0 {
		return answer
	}
	for order, e := range all() {
		p, err := m.pages[e.Name]()
		if err != nil {
			continue // a broken build: a test makes every page
		}
		for i, passage := range p.passages {
			score := judge(words, strings.ToLower(e.Title), passage.lower.heading, passage.lower.text)
			if score == 0 {
				continue
			}
			h := hit{Address: address(e.Name), Page: e.Title, Heading: passage.heading, Excerpt: excerpt(passage.text, words), score: score*1000 - order}
			if i > 0 {
				h.Address += "#" + passage.id
			}
			answer.Hits = append(answer.Hits, h)
		}
	}
	slices.SortStableFunc(answer.Hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	answer.More = max(0, len(answer.Hits)-mostHits)
	answer.Hits = answer.Hits[:min(len(answer.Hits), mostHits)]
	return answer
}

// judge says how well a passage answers, 0 if it lacks a word.
func judge(words []string, title, heading, text string) (score int) {
	for _, word := range words {
		in := func(s string) bool { return strings.Contains(s, word) }
		whole := func(s string) bool { return in(s) && slices.Contains(strings.FieldsFunc(s, notInWord), word) }
		switch {
		case whole(heading):
			score += 12
		case whole(title):
			score += 6
		case in(heading):
			score += 5
		case in(title):
			score += 4
		case in(text) && beginsWith(word, heading):
			score += 3
		case whole(text):
			score += 2
		case in(text):
			score++
		default:
			return 0
		}
	}
	return score
}

// beginsWith says whether a word such as idempotency-key begins with one of a heading: that
// passage explains it, and others only use it.
func beginsWith(word, heading string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(heading, notInWord), func(part string) bool { return strings.HasPrefix(word, part+"-") })
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// excerpt is the text around the first word that is in it, with all of them
// marked.
func excerpt(text string, words []string) template.HTML {
	const before, length = 60, 180
	runes, lower := []rune(text), []rune(strings.ToLower(text))
	if len(lower) != len(runes) { // some letters have no lower case of one letter
		lower = runes
	}
	start := len(runes)
	for _, word := range words {
		if at := indexRunes(lower, []rune(word)); at >= 0 {
			start = min(start, at)
		}
	}
	if start == len(runes) {
		start = 0
	}
	start = max(0, start-before)
	for start > 0 && start < len(runes) && !unicode.IsSpace(runes[start-1]) {
		start++
	}
	end := min(len(runes), start+length)
	for end < len(runes) && !unicode.IsSpace(runes[end]) {
		end++
	}
	var out strings.Builder
	if start > 0 {
		out.WriteString("… ")
	}
	for i := start; i < end; {
		n := 0
		for _, word := range words {
			if w := []rune(word); i+len(w) <= end && string(lower[i:i+len(w)]) == word {
				n = max(n, len(w))
			}
		}
		if n == 0 {
			out.WriteString(template.HTMLEscapeString(string(runes[i])))
			i++
			continue
		}
		out.WriteString("<mark>" + template.HTMLEscapeString(string(runes[i:i+n])) + "</mark>")
		i += n
	}
	if end < len(runes) {
		out.WriteString(" …")
	}
	return template.HTML(out.String())
}

func indexRunes(text, word []rune) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if slices.Equal(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
