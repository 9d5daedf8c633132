// Package ui is the kit that pages are made of: forms, tables, lists, the time
// line, the plot, and how dates, times and amounts of money are written.
//
// It knows the values of package billing, such as dates and prices, and how a
// form reports what is wrong with it. It knows no resources, no database and no
// users: those belong to the packages that use it, such as console.
package ui
