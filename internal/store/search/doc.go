// Package search finds pages of lists by words and times, at a cost that does
// not grow with the table. Its interface is Query: say which words, which times
// and which other conditions the rows must have, then Find a page or Count. What
// is found may be narrowed further by the conditions of the SELECT, which are
// always checked: indexes only lead to the rows.
//
// # What a page costs
//
// Lists are in the order of ids, and a page begins behind an id. An index that
// finds rows by anything else has them in another order: the engine would fetch
// all that match and sort them, or walk along the ids until the page is full. So
// everything here is about indexes that have the order of ids within something:
// within a word, an hour, a tenant.
//
// # Words
//
// Every table has a column search: its searchable texts, folded, with a
// separator between them. A word of a filter may be anywhere in it. Tables that
// grow with the business have an index of grams: all pieces of one to five bytes
// of each text. A row that has all grams of a word probably has the word; the
// position of the word in the text then decides (grams.go).
//
//   - SQLite has an FTS5 table NAME_search, which answers in the order of ids.
//     Triggers write changes down in search_change, and Settle tells the FTS5
//     table before a group of transactions is committed, because it would write
//     all it knows to the disk at every savepoint (settle.go). Maintain merges its
//     segments (maintain.go).
//   - PostgreSQL has GIN indexes on search_grams(id, search), and on
//     search_pairs(id, search) for pieces of one and two bytes. GIN has no order,
//     so each index also has the windows of ids that a row is in. A page is looked
//     for in a window of 2,048 ids first, then in larger ones, then in all the rest,
//     in one statement that stops when the page is full (window.go).
//
// # Times
//
// The hour of each row's last change is in the table last_change, which triggers
// keep: an index on the time in the row's own table would defeat HOT updates.
// Its indexes have the ids of each hour, of 16 hours and of 256 hours. A time is
// made up of the longest of these that fit, at most 30 of each of the shorter ones
// (times.go); the page is merged from their beginnings (merge.go). If the filter
// asks for more than that, and many rows were changed, it is tried first whether
// the rest of the filter fills the page (changed.go). The indexes of created_at
// are of the same kind, and give the first and the last id that can be meant.
//
// One index ordered by (changed, id) would be simpler, and would serve lists in
// the order of changes. These lists are in the order of ids: with it, every page
// of what was changed since a time would read all such rows and sort them. And
// what was changed lately was mostly created lately, so that walking along the
// ids until the page is full is slow as well.
//
// # Merging
//
// Stretches are parts of an index, each of which has ids in order: the entries of
// each of some kinds in the audit log, the events of each of some tenants, the
// rows of each of some hours. Merge reads the first ids of each, at most a page,
// and beforehand, if there are many, which of them begin first (merge.go).
package search
