package console

import (
	"crypto/rand"
	"html/template"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// functions are what templates can call.
func (v *views) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   v.assets.Address,
		"moment":  ui.TimeElement,
		"prose":   ui.Prose,
		"once":    rand.Text,
		"maxForm": func() int { return maxForm },
		"role":    roleWord,
		"pixel":   func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) },
		"half":    func(x float64) float64 { return x / 2 },
		"add":     func(a, b float64) float64 { return a + b },
		"canWrite": func(u *billing.User) bool {
			return u != nil && u.Role.Allows(billing.StandardWrite)
		},
	}
}
