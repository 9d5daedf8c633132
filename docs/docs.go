// Package docs embeds the documentation in the binary. Package internal/manual
// serves it as pages.
package docs

import "embed"

// Files has every page as Markdown, and the pictures they show.
//
//go:embed *.md images reference
var Files embed.FS
