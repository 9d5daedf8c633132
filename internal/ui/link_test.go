package ui

import (
	"testing"
)

func TestLocalPaths(t *testing.T) {
	for text, want := range map[string]string{
		"/accounts?q=a%20b": "/accounts?q=a%20b", "/": "/", "": "/", "accounts": "/", "//evil": "/", `/\evil`: "/", "https://evil/x": "/",
		"javascript:x": "/", "/a#b": "/a", "/%2F/evil": "/", "http:/x": "/", "/a\nb": "/",
	} {
		if got := LocalPath(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
