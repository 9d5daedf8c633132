package manual

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is a file of the documentation, made into HTML.
type page struct {
	Title    string // its first heading
	Body     template.HTML
	Sections []section // its headings of the second level
	passages []passage // what is searched
}

type section struct{ ID, Title string }

// render reads a page. The files are ours, and what HTML they contain stays.
func render(files fs.FS, name string) (*page, error) {
	source, err := fs.ReadFile(files, name+".md")
	if err != nil {
		return nil, err
	}
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{name}, 100))),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 100))),
	)
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
	p := &page{}
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		heading, is := node.(*ast.Heading)
		switch {
		case !is:
		case heading.Level == 1 && p.Title == "":
			p.Title = plainText(heading, source)
		case heading.Level == 2:
			id, _ := heading.AttributeString("id")
			p.Sections = append(p.Sections, section{ID: string(id.([]byte)), Title: plainText(heading, source)})
		}
	}
	if p.Title == "" {
		return nil, fmt.Errorf("%s.md has no title", name)
	}
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, document); err != nil {
		return nil, err
	}
	// Wide tables scroll by themselves, so that the page does not.
	wide := strings.NewReplacer("<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>")
	p.Body = template.HTML(wide.Replace(body.String()))
	p.passages = passagesOf(document, source)
	return p, nil
}

func plainText(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if leaf, is := n.(*ast.Text); is && entering {
			b.Write(leaf.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// links points the links in the file of a page at pages.
type links struct{ page string }

func (l links) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	var dead []*ast.Link
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, leads := target(l.page, string(n.Destination))
			if !leads {
				dead = append(dead, n)
			}
			nameTitle(n, reader.Source())
			n.Destination = []byte(to)
		case *ast.Image:
			to, _ := target(l.page, string(n.Destination))
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range dead { // its text stays
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
}

// nameTitle shows the title of a page where a link shows the name of its file.
func nameTitle(link *ast.Link, source []byte) {
	name, is := strings.CutSuffix(plainText(link, source), ".md")
	if title := titleOf(name); is && title != "" {
		link.RemoveChildren(link)
		link.AppendChild(link, ast.NewString([]byte(title)))
	}
}

// ids names headings as the places do where the files are read as they are:
// letters and digits in lower case, blanks as dashes.
type ids map[string]bool

func (used ids) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(heading)))
	free := id
	for n := 1; used[free]; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	used[free] = true
	return []byte(free)
}

func (used ids) Put(id []byte) { used[string(id)] = true }
