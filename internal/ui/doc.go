// Package ui is the kit that pages are made of: the layout with its style sheet
// and script, forms with their one-time tokens, tables, lists, the time line, the
// plot, and how dates, times and amounts of money are written.
//
// It knows the values of package billing, such as dates and prices, and how a
// form reports what is wrong with it. It knows no resources, no database and no
// sessions: those belong to the packages that use it, such as console.
//
// A page is a template with the Go type of its data. All pages are tried with
// sample data when they are loaded, so that a page whose template and data do not
// match fails then and not in front of a user.
package ui
