package manual

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeBlocks renders code in colours. What a language needs to be read better
// is its comments, texts, numbers and words of its own, which is a pattern
// each; a library for all languages would be larger than all of the pages.
type codeBlocks struct{}

// RegisterFuncs is that of renderer.NodeRenderer.
func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindCodeBlock, renderCode)
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, is := node.(*ast.FencedCodeBlock); is {
		language = string(fenced.Language(source))
	}
	var code bytes.Buffer
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		code.Write(line.Value(source))
	}
	// Scrolled with the keys when it is wide, so it can have the focus.
	_, _ = w.WriteString(`<div class="code"><pre tabindex="0"><code>` + highlight(language, code.String()) + "</code></pre></div>\n")
	return ast.WalkSkipChildren, nil
}

// grammar is what is coloured of a language. Each pattern begins where the last
// one ended, so a keyword in a text is text.
type grammar struct {
	parts    *regexp.Regexp // with the groups comment, text, number and word
	keywords []string
}

func newGrammar(comment, text, keywords string) grammar {
	return grammar{
		parts:    regexp.MustCompile(`(?P<comment>` + comment + `)|(?P<text>` + text + `)|(?P<number>\b\d[\d_]*(?:\.\d+)?\b)|(?P<word>[A-Za-z_$][\w$]*)`),
		keywords: strings.Fields(keywords),
	}
}

const (
	quoted = `"(?:[^"\\\n]|\\.)*"`
	single = `'(?:[^'\\\n]|\\.)*'`
	never  = `\z.`
)

var grammars = map[string]grammar{
	"sh": newGrammar(`(?m:(?:^|[ \t])#.*$)`, `"(?:[^"\\]|\\.)*"|'[^']*'`,
		"curl export sudo tenantry make go npm docker cd tar install systemctl git if then else fi for do done while case esac"),
	"json":    newGrammar(never, quoted, "true false null"),
	"graphql": newGrammar(`(?m:#.*$)`, quoted, "query mutation fragment on true false null"),
	"go": newGrammar(`(?m://.*$)`, quoted+"|`[^`]*`|'(?:[^'\\\\\\n]|\\\\.)+'",
		"package import func return if else for range var const type struct map interface switch case default go defer chan select nil true false"),
	"js": newGrammar(`(?m://.*$)|(?s:/\*.*?\*/)`, quoted+"|"+single+"|`[^`]*`", script),
	"ts": newGrammar(`(?m://.*$)|(?s:/\*.*?\*/)`, quoted+"|"+single+"|`[^`]*`", script),
	"python": newGrammar(`(?m:#.*$)`, `"""(?s:.*?)"""|[fb]?`+quoted+"|"+single,
		"import from def class return if else elif for in not and or with as try except raise while None True False lambda self"),
	"sql": newGrammar(`(?m:--.*$)`, single, "ALTER ROLE DATABASE SET CREATE USER GRANT ON TO CONNECTION LIMIT SELECT FROM WHERE INSERT UPDATE DELETE NULL TRUE FALSE"),
	"jq":  newGrammar(`(?m:#.*$)`, quoted, "def if then else elif end as and or not reduce foreach with_entries map select null true false"),
}

const script = "import from export const let function async await return new if else for of in while try catch finally throw class extends null undefined true false typeof"

// highlight is code as HTML, with spans around what its language is read by.
func highlight(language, code string) string {
	g, known := grammars[language]
	if !known {
		return html.EscapeString(code)
	}
	var out strings.Builder
	at := 0
	for _, match := range g.parts.FindAllStringSubmatchIndex(code, -1) {
		class := ""
		for i, name := range g.parts.SubexpNames() {
			if name != "" && match[2*i] >= 0 {
				class = name
			}
		}
		part := code[match[0]:match[1]]
		if class == "word" && !slices.Contains(g.keywords, part) || class == "number" && language == "sh" {
			continue // in a shell, numbers are parts of addresses
		}
		out.WriteString(html.EscapeString(code[at:match[0]]) + `<span class="` + class + `">` + html.EscapeString(part) + `</span>`)
		at = match[1]
	}
	out.WriteString(html.EscapeString(code[at:]))
	return out.String()
}
