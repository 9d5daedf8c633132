package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestChangesOfBodies lists values that differ, whatever moved.
func TestChangesOfBodies(t *testing.T) {
	const before = `{"type":"T","payload":{"tenant":{"name":"Acme","contacts":[{"id":1,"first_name":"Ann","last_name":"Lee","email":"a@x"}]},
		"change":{"features":[{"code":"a","name":"Seats","quantity":5},{"code":"b","name":"Storage","quantity":1},{"code":"c","name":"Gone","value":"","quantity":null}],"list":[1,2]}}}`
	for _, c := range []struct {
		after string
		want  []string
	}{
		{before, nil},
		{`{"type":"T","payload":{"tenant":{"name":"Acme 2","contacts":[{"id":1,"first_name":"Ann","last_name":"Lee","email":"b@x"}]},
			"change":{"features":[{"code":"b","name":"Storage","quantity":null},{"code":"a","name":"Seats","quantity":9007199254740993},{"code":"d","name":"New","value":"x"}],"list":[1,3]}}}`,
			[]string{
				"Features › Storage › quantity|1|no limit", "Features › Seats › quantity|5|9007199254740993", "Features › New|—|code d, name New, value x", "Features › Gone|code c, name Gone|—",
				"List › 2|2|3", "Tenant › contacts › Ann Lee › email|a@x|b@x", "Tenant › name|Acme|Acme 2",
			}},
		{`{"payload":7}`, []string{"Payload|change features Seats, Storage, Gone, list 1, 2, tenant contacts Ann Lee, name Acme|7", "Type|T|—"}},
		{"no JSON", nil},
	} {
		var got []string
		for _, row := range bodyChanges(before, c.after).Rows {
			got = append(got, row[0].Text+"|"+row[1].Text+"|"+row[2].Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s changes\n%q, want\n%q", c.after, got, c.want)
		}
	}
	// Days are written as on every page; the lines below have them as they were sent.
	for _, row := range bodyChanges(`{"end_date":"2026-01-14"}`, `{"end_date":"2026-02-14"}`).Rows {
		if row[1].Text != "14 Jan 2026" || row[2].Text != "14 Feb 2026" {
			t.Errorf("a day changes from %q to %q", row[1].Text, row[2].Text)
		}
	}
	many := strings.Repeat("1,", 3*maxChanges) + "1"
	rows := bodyChanges("["+many+"]", "["+strings.ReplaceAll(many, "1", "2")+"]").Rows
	if len(rows) != maxChanges+1 || rows[maxChanges][0].Text != fmt.Sprintf("and %d further values", 2*maxChanges+1) {
		t.Errorf("many changes are %d rows, the last %v", len(rows), rows[len(rows)-1])
	}
}

// TestListsInWords names the items of a list, and tells those that have no name by what
// they hold.
func TestListsInWords(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`[1,"two",null]`: "1, two, ",
		`[{"id":7},{"code":"a"},{"code":"b","name":"Bee"},{"first_name":"Ann","last_name":"Lee"}]`: "7, a, Bee, Ann Lee",
		`[{"starts":1,"price":"9"},{"starts":50,"price":"7.5"}]`:                                   "price 9, starts 1; price 7.5, starts 50",
		`[{"day":1},{"day":2}]`: "day 1, day 2",
		`[{"plan":{"name":"Team"}},{"id":3,"plan":{"name":"Enterprise"}}]`: "Team, Enterprise (3)",
	} {
		if got := jsonWords([]byte(value)); got != want {
			t.Errorf("%s is %q, want %q", value, got, want)
		}
	}
}

// TestQuantitiesWithoutALimit calls a quantity that nothing limits what all pages call it.
func TestQuantitiesWithoutALimit(t *testing.T) {
	t.Parallel()
	const body = `{"payload":{"change":{"features":[{"code":"seats","name":"Seats","quantity":%s},{"code":"sso","name":"SSO","quantity":null}]}}}`
	table := bodyChanges(fmt.Sprintf(body, "5"), fmt.Sprintf(body, "null"))
	if len(table.Rows) != 1 || table.Rows[0][1].Text != "5" || table.Rows[0][2].Text != noLimit {
		t.Errorf("it says %+v", table.Rows)
	}
}
