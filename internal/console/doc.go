// Package console serves the console: pages rendered on the server from embedded
// templates, on top of the same operations as the API.
//
// It owns pages, forms, sign-in by cookie and permissions. It contains no rules and
// no SQL: every change is an operation of package service, carried out as "user
// ADDRESS". All pages work without JavaScript; with it, lists are searched while
// typing and times are shown in the viewer's time zone.
//
// A page is a template and the Go type of its data. All of them are rendered with
// sample data when the console starts, so a mismatch between template and data
// fails at start and not in front of a user.
package console
