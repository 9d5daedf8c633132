package console_test

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/console"
)

// usualDeeds make, change and delete one of every resource that no other deed makes.
// The id is that of the one that was made.
func usualDeeds(others []deed) (usual []deed) {
	patterns := console.FormPatterns()
	for _, pattern := range patterns {
		path, makes := strings.CutSuffix(pattern, "/new")
		made := func(d deed) bool { return strings.HasPrefix("POST "+d.action, pattern) }
		if !makes || slices.ContainsFunc(others, made) {
			continue
		}
		for _, action := range []string{"/new", "/{id}/edit", "/{id}/delete"} {
			if slices.Contains(patterns, path+action) {
				at := strings.TrimPrefix(path, "POST ") + action
				usual = append(usual, deed{page: at, action: at, usual: true})
			}
		}
	}
	return usual
}

// typeInto types something else into every field of a form.
func (d *deed) typeInto(body string) {
	path := strings.Split(d.action, "/")[1]
	n := 0
	if strings.HasSuffix(d.action, "/edit") {
		n = 1
	}
	d.typed = map[string]string{}
	for name := range strings.FieldsSeq(filled(body, nil).Get("fields")) {
		d.typed[name] = form{body: body}.other(path, name, n)
	}
}
