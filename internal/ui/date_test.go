package ui

import "testing"

func TestMomentsInSentences(t *testing.T) {
	for sentence, want := range map[string]string{
		"It is due at 2 Apr 2026, 12:00:00 UTC.": `It is due at <time datetime="2026-04-02T12:00:00Z" title="2 Apr 2026, 12:00:00 UTC">2 Apr 2026, 12:00:00 UTC</time>.`,
		"It shows 2026-04-02T12:00:00Z <now>":    `It shows <time datetime="2026-04-02T12:00:00Z" title="2 Apr 2026, 12:00:00 UTC">2 Apr 2026, 12:00:00 UTC</time> &lt;now&gt;`,
		"It ends on 2 Apr 2026 & renews.":        "It ends on 2 Apr 2026 &amp; renews.",
		"There is no 31 Feb 2026, 12:00:00 UTC.": "There is no 31 Feb 2026, 12:00:00 UTC.",
		"":                                       "",
	} {
		if got := string(prose(sentence)); got != want {
			t.Errorf("%q becomes %q", sentence, got)
		}
	}
}
