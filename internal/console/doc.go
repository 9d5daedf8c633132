// Package console is the door for people: pages on the server, made from
// templates that are in the binary, over the same operations as the API.
//
// It owns pages, forms, signing in by a cookie and who may see what. It knows
// no rules and no SQL: every change is an operation of package service, done
// for "user ADDRESS". All pages work without JavaScript; with it, lists are
// searched as one types and times are shown in the viewer's zone.
//
// What pages are made of (layout, forms, tables, lists) is in package ui, which
// knows nothing of the console.
package console
