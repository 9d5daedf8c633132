package manual

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestSearch finds what people look for, best first, as a page that needs no
// script and as the part of it that the script asks for.
func TestSearch(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`<li><a href="([^"]+)"><b>`)
	for query, first := range map[string]string{
		"accountCreate":        "/docs/reference/account#mutation-accountcreate",
		"SUBSCRIPTIONSTATE":    "/docs/reference/subscription#enum-subscriptionstate",
		"filter language":      "/docs/filter",
		"python receiving":     "/docs/receiving#python",
		"idempotency-key":      "/docs/api",
		"webhook-sequence":     "/docs/",
		`"sample application"`: "/docs/",
	} {
		page := get(t, "/docs/search?q="+url.QueryEscape(query)).Body.String()
		part := get(t, "/docs/search?part=1&q="+url.QueryEscape(query)).Body.String()
		match := link.FindStringSubmatch(part)
		if match == nil || !strings.HasPrefix(match[1], first) {
			t.Errorf("%s: the first is %q, want %s", query, match, first)
			continue
		}
		if !strings.Contains(page, part) || !strings.Contains(page, "<!doctype html>") || strings.Contains(part, "<html") {
			t.Errorf("%s: the page does not have the part", query)
		}
		if strings.Count(part, "<li>") > mostHits {
			t.Errorf("%s: %d are shown", query, strings.Count(part, "<li>"))
		}
	}
	nothing := get(t, "/docs/search?q="+url.QueryEscape(`xyzzy <script>`)).Body.String()
	if !strings.Contains(nothing, "Nothing has all of these words: xyzzy &lt;script&gt;") {
		t.Error("it does not say that nothing was found")
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("before ", 40) + "the <Signing> secret" + strings.Repeat(" after", 40)
	got := string(excerpt(text, []string{"signing", "secret"}))
	for _, want := range []string{"… before", "&lt;<mark>Signing</mark>&gt; <mark>secret</mark>", "after …"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// TestHighlight colours without changing a character.
func TestHighlight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, code, want string }{
		{"go", "return \"a // b\" // why\n", `<span class="word">return</span> <span class="text">&#34;a // b&#34;</span> <span class="comment">// why</span>` + "\n"},
		{"sh", "export A=$B # it's", `<span class="word">export</span> A=$B<span class="comment"> # it&#39;s</span>`},
		{"json", `{"a": 12, "b": null}`, `{<span class="text">&#34;a&#34;</span>: <span class="number">12</span>, <span class="text">&#34;b&#34;</span>: <span class="word">null</span>}`},
		{"python", "if x: return '<'", `<span class="word">if</span> x: <span class="word">return</span> <span class="text">&#39;&lt;&#39;</span>`},
		{"graphql", "query { a(id: 1) }", `<span class="word">query</span> { a(id: <span class="number">1</span>) }`},
		{"", "return <1>", "return &lt;1&gt;"},
	} {
		if got := highlight(c.language, c.code); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.language, got, c.want)
		}
	}
	tags := regexp.MustCompile(`</?span[^>]*>`)
	source := "package main // `x`\nvar s = `raw \" text` + \"\\\"\" + 'c'\n\"unclosed\n/* */ 0x1F 3.5 $a #b\n"
	for language := range grammars {
		if got := html.UnescapeString(tags.ReplaceAllString(highlight(language, source), "")); got != source {
			t.Errorf("%s makes %q", language, got)
		}
	}
}

// TestCodeIsHighlighted: every language that pages have code in is known.
func TestCodeIsHighlighted(t *testing.T) {
	t.Parallel()
	fence := regexp.MustCompile("(?m)^```([a-z]+)")
	for _, name := range names(t) {
		source := sourceOf(t, name)
		for _, match := range fence.FindAllStringSubmatch(source, -1) {
			if _, known := grammars[match[1]]; !known {
				t.Errorf("%s has code in %s, which has no colours", name, match[1])
			}
		}
	}
	body := get(t, "/docs/receiving").Body.String()
	if !strings.Contains(body, `<div class="code"><pre tabindex="0"><code><span class="word">package</span> main`) {
		t.Error("the receiver in Go is not highlighted")
	}
}
