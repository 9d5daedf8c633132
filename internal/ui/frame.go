package ui

import (
	"crypto/rand"
	"html/template"
	"strconv"
)

// Frame is what every page has around its own content.
type Frame struct {
	Title string
	Brand string // the name of the application
	User  *User  // nil for a visitor who is not signed in
	Nav   []NavGroup
	Alert *Alert
	Flash *Flash
	Next  *Link // the next step of a guide, beside the flash
}

// User is the user that a page is shown to.
type User struct {
	Name, Email, Role string
	// Profile and SignOut are addresses.
	Profile, SignOut string
}

// Alert is shown on every page while something is wrong.
type Alert struct {
	Title, Text string
	Link        *Link
}

// framed is what templates get.
type framed[T any] struct {
	Frame
	Data T
}

// functions are what templates can call.
func (v *Views) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   v.Assets.Address,
		"moment":  timeElement,
		"prose":   prose,
		"once":    rand.Text,
		"maxForm": func() int { return MaxForm },
		"pixel":   func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) },
		"half":    func(x float64) float64 { return x / 2 },
		"add":     func(a, b float64) float64 { return a + b },
	}
}
