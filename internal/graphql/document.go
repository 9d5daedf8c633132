package graphql

import (
	"context"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// document returns a document parsed and validated. The executor would do that
// too, but without bounds: see validate. It is handed the outcome (known), so
// its own validation is never reached.
func (h *Handler) document(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, cached := h.documents.Get(ctx, text); cached {
		return doc, nil
	}
	if errs := checkForm(text); len(errs) > 0 {
		return nil, errs
	}
	if errs := checkText(text); len(errs) > 0 {
		return nil, errs
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		errcode.Set(err, errcode.ParseFailed)
		return nil, gqlerror.List{gqlerror.WrapIfUnwrapped(err)}
	}
	if len(doc.Operations) == 0 {
		err := gqlerror.Errorf("no operation provided")
		errcode.Set(err, errcode.ValidationFailed)
		return nil, gqlerror.List{err}
	}
	if errs := validate(ctx, h.schema, doc); len(errs) > 0 {
		return nil, errs
	}
	h.documents.Add(ctx, text, doc)
	return doc, nil
}

// Limits on the form of a document, checked before it is parsed.
const (
	// maxWord bounds names and numbers. Suggestions for an unknown name compare
	// it with every name of the schema, letter by letter.
	maxWord = 128
	// maxBrackets bounds how deep brackets of any kind may nest.
	maxBrackets = 100
)

// checkForm refuses a document with words or brackets that no document of use
// has, in one pass over its bytes. It leaves all else to the parser.
func checkForm(text string) gqlerror.List {
	word, open := 0, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			if word++; word > maxWord {
				return tooMuch("The document has a name or a number of more than %d characters.", maxWord)
			}
			continue
		}
		word = 0
		switch c {
		case '{', '[', '(':
			if open++; open > maxBrackets {
				return tooMuch("The document is nested far too deep; at most %d fields are allowed.", maxDepth)
			}
		case '}', ']', ')':
			open = max(open-1, 0)
		case '"', '#':
			i += opaqueLength(text[i:]) - 1
		}
	}
	return nil
}
