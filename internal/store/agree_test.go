package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// pieces make up random texts. They are few, so that texts have much in
// common, and each has hurt some database or search engine somewhere.
var pieces = []string{
	"a", "A", "b", "ab", "abc", "k", "\u212a", "ß", "ẞ", "ss", "İ", "ı", "i", "I", "σ", "ς", "Σ", "é", "É", "e\u0301", "h\u0331", "\u0345", "ǅ",
	" ", "  ", "\t", "\n", "\x1f", "\u00a0", "\u2028", "%", "_", `\`, `"`, "'", "*", "?", "[", "(", ")", "-", ":", "^", "+", "{", "}", ",", "<", "=",
	"AND", "OR", "NOT", "NEAR", "NULL", "$1", "--", "0", "1", "12", "👩‍🚀", "🌾", "中文", "שלום", "\ufeff", "\u200d", "\ufffd", "\uffff", "\ufffe", "\U0010ffff",
}

func randomText(least int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), least, 8).Draw(t, "pieces"), "")
	})
}

var (
	randomMoments = []time.Time{
		time.UnixMilli(0).UTC(),
		time.Date(2026, 1, 31, 23, 59, 59, 999_000_000, time.UTC),
		time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 2, 1, 12, 30, 0, 1_000_000, time.UTC),
	}
	randomOps = []billing.Op{billing.Equal, billing.Less, billing.LessEqual, billing.Greater, billing.GreaterEqual}
)

// TestEnginesAgree draws rows and filters: both databases must find the same
// rows, and those that naive finds.
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	var stores []*store.Store
	for _, engine := range storetest.Engines {
		stores = append(stores, storetest.New(t, engine).Open(t))
	}
	rapid.Check(t, func(rt *rapid.T) {
		world := drawWorld(rt)
		for _, s := range stores {
			world.save(rt, s) // in place of what was there
		}
		accounts, contacts, features := world.accountModels(), world.contactModels(), world.featureModels()
		for range 6 {
			agree(rt, stores, store.Accounts, accounts)
			agree(rt, stores, store.Contacts, contacts)
			agree(rt, stores, store.Features, features)
		}
	})
}

// agree draws one filter and compares what it finds everywhere.
func agree[T any, K ~int64](rt *rapid.T, stores []*store.Store, table *store.Table[T, K], rows []naive) {
	f := drawFilter(rt, rows)
	want := []int64{}
	for _, row := range rows {
		if row.matches(f) {
			want = append(want, row.id)
		}
	}
	for _, s := range stores {
		found, err := table.List(context.Background(), s.Queries(), store.Page{Filter: f, Limit: 1000})
		if err != nil {
			rt.Fatalf("%s: %+q: %v", s.Engine(), f, err)
		}
		ids := []int64{}
		for i := range found {
			ids = append(ids, int64(*field[K](&found[i], "ID")))
		}
		if !slices.Equal(ids, want) {
			rt.Fatalf("%s: %+q finds %v, want %v of\n%+q", s.Engine(), f, ids, want, texts(rows))
		}
		if n, err := table.Count(context.Background(), s.Queries(), f); n != len(want) || err != nil {
			rt.Fatalf("%s: %+q counts %d, %v; want %d", s.Engine(), f, n, err, len(want))
		}
	}
}

func texts(rows []naive) (all [][]string) {
	for _, row := range rows {
		all = append(all, row.texts)
	}
	return all
}

// drawFilter draws words and terms, mostly such that some row has them.
func drawFilter(rt *rapid.T, rows []naive) (f billing.Filter) {
	for range rapid.IntRange(0, 2).Draw(rt, "words") {
		row := rapid.SampledFrom(rows).Draw(rt, "row")
		f.Words = append(f.Words, drawPart(rt, rapid.SampledFrom(row.texts).Draw(rt, "text")))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "terms") {
		f.Terms = append(f.Terms, drawTerm(rt, rapid.SampledFrom(rows).Draw(rt, "row")))
	}
	return f
}

// drawPart draws a part of a text, in whatever case, or another text.
func drawPart(rt *rapid.T, text string) string {
	letters := []rune(text)
	if len(letters) == 0 || rapid.IntRange(0, 4).Draw(rt, "other text") == 0 {
		return randomText(1).Draw(rt, "word")
	}
	from := rapid.IntRange(0, len(letters)-1).Draw(rt, "from")
	to := rapid.IntRange(from+1, len(letters)).Draw(rt, "to")
	return drawCase(rt, string(letters[from:to]))
}

func drawCase(rt *rapid.T, text string) string {
	if rapid.Bool().Draw(rt, "other case") {
		return strings.Map(unicode.SimpleFold, text)
	}
	return text
}

// drawTerm draws a term that is about a field of the row.
func drawTerm(rt *rapid.T, row naive) billing.Term {
	type kind struct {
		field string
		value func() string
		ops   []billing.Op
	}
	equal := []billing.Op{billing.Equal}
	kinds := []kind{{"name", func() string { return drawName(rt, row.texts[0]) }, equal}}
	for _, name := range sortedKeys(row.exact) {
		kinds = append(kinds, kind{name, func() string { return drawWhole(rt, row.exact[name]) }, equal})
	}
	for _, name := range sortedKeys(row.folded) {
		kinds = append(kinds, kind{name, func() string { return drawCase(rt, drawWhole(rt, row.folded[name])) }, equal})
	}
	for _, name := range sortedKeys(row.number) {
		kinds = append(kinds, kind{name, func() string { return fmt.Sprint(row.number[name] + rapid.Int64Range(-1, 1).Draw(rt, "off by")) }, randomOps})
	}
	for _, name := range sortedKeys(row.boolean) {
		kinds = append(kinds, kind{name, func() string { return fmt.Sprint(rapid.Bool().Draw(rt, "boolean")) }, equal})
	}
	for _, name := range sortedKeys(row.enum) {
		kinds = append(kinds, kind{name, func() string { return drawCase(rt, row.enum[name]) }, equal})
	}
	for _, name := range sortedKeys(row.refer) {
		kinds = append(kinds, kind{name, func() string {
			if to := row.refer[name]; to.code != nil && rapid.Bool().Draw(rt, "by code") {
				return *to.code
			}
			return fmt.Sprint(row.refer[name].id)
		}, equal})
	}
	for _, name := range sortedKeys(row.moment) {
		kinds = append(kinds, kind{name, func() string {
			at := rapid.SampledFrom(randomMoments).Draw(rt, "moment").Add(time.Duration(rapid.IntRange(-1, 1).Draw(rt, "off by")) * time.Millisecond)
			return at.Format(rapid.SampledFrom([]string{time.DateOnly, time.RFC3339Nano}).Draw(rt, "layout"))
		}, randomOps})
	}
	k := rapid.SampledFrom(kinds).Draw(rt, "field")
	return billing.Term{Field: k.field, Op: rapid.SampledFrom(k.ops).Draw(rt, "op"), Value: k.value()}
}

// drawName draws the row's name or its beginning with a star.
func drawName(rt *rapid.T, name string) string {
	letters := []rune(name)
	if len(letters) > 0 && rapid.Bool().Draw(rt, "beginning") {
		return drawCase(rt, string(letters[:rapid.IntRange(0, len(letters)).Draw(rt, "length")])) + "*"
	}
	return drawCase(rt, name)
}

func drawWhole(rt *rapid.T, text *string) string {
	if text == nil || rapid.IntRange(0, 4).Draw(rt, "other text") == 0 {
		return randomText(1).Draw(rt, "value")
	}
	return *text
}
