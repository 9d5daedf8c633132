// Package search finds pages of lists by words and times, at a cost that does
// not grow with the table. Its interface is Query: specify the words, times and
// other conditions that rows must match, then Find a page or Count. The conditions
// of the SELECT are always checked as well: indexes only produce candidates.
//
// # What a page costs
//
// Lists are ordered by id, and a page starts after an id. An index in any other
// order would force the database to fetch and sort all matches, or to scan by id
// until the page is full. All indexes used here therefore keep ids in order within
// something: a word, an hour, a tenant.
//
// # Words
//
// Every table has a column search with its searchable texts, folded and
// separated. A word of a filter may be anywhere in it. Tables that grow with the
// business have an index of grams: all substrings of one to five bytes. A row that
// has all grams of a word is a candidate; its text is then compared with the word
// (grams.go).
//
//   - SQLite has an FTS5 table NAME_search, which returns matches ordered by id.
//     Triggers record changes in search_change, and Settle applies them to the FTS5
//     table before a group of transactions is committed, because FTS5 would flush
//     at every savepoint (settle.go). Maintain merges its segments (maintain.go).
//   - PostgreSQL has GIN indexes on search_grams(id, search), and on
//     search_pairs(id, search) for substrings of one and two bytes. GIN has no
//     order, so a row is also indexed under the windows of ids that it belongs to.
//     A page is looked for in a window of 2,048 ids first, then in larger ones, then
//     in the rest, in one statement that stops when the page is full (window.go).
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
// A range is a part of an index that has its ids in order: the entries of one
// kind in the audit log, the events of one tenant, the rows of one hour. Merge
// reads at most a page of ids from the beginning of each range. If there are
// many, it first finds out which of them begin first (merge.go).
package search
