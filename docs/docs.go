// Package docs holds the documentation, so that the binary can show it. The
// pages are made by internal/manual.
package docs

import "embed"

// Files has every page as Markdown, and the pictures they show.
//
//go:embed *.md images reference
var Files embed.FS
