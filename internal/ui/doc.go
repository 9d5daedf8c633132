// Package ui is the kit for pages: forms, tables, lists, details, the timeline, the
// plot, and the formatting of dates, times and amounts.
//
// It knows the types of package billing, such as dates and prices, and how a form
// reports invalid fields. It knows no resource, no database and no user: those
// belong to the packages that use it, such as console.
package ui
