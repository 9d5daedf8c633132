package apitest

import (
	"encoding/json"
	"regexp"
	"time"
)

// A placeholder stands in a scenario for what is not known when it is written:
//
//	<id>, <id:acme>          an id; with a name it is the same one everywhere
//	<text>, <text:secret>    a text that is not empty
//	<time>, <time:before>    a time
//	<now>                    what the clock shows
//	<any>                    any value
var placeholder = regexp.MustCompile(`<(id|text|time|now|any)(?::([A-Za-z0-9_.-]+))?>`)

var whole = regexp.MustCompile(`^` + placeholder.String() + `$`)

var shapes = map[string]*regexp.Regexp{
	"id":   regexp.MustCompile(`^[1-9][0-9]*$`),
	"text": regexp.MustCompile(`(?s)^.+$`),
	"time": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
}

// known is what the placeholders of a scenario have turned out to be.
type known struct {
	values map[string]string // by the placeholder as it is written
	now    func() time.Time
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// fill puts what is known in place of the placeholders in a text, and returns
// those that are not known.
func (k known) fill(text string) (string, []string) {
	var missing []string
	filled := placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if p == "<now>" {
			return k.now().UTC().Format(timeFormat)
		}
		value, have := k.values[p]
		if !have {
			missing = append(missing, p)
			return p
		}
		return value
	})
	return filled, missing
}

// same compares a value of an answer with what a scenario says of it, and
// learns from it what a placeholder stands for.
func (k known) same(want, got json.Token) bool {
	text, isText := want.(string)
	if !isText {
		return want == got
	}
	if number, isNumber := got.(json.Number); isNumber && placeholder.MatchString(text) {
		got = number.String() // an id is a number in the details of an audit entry
	}
	filled, missing := k.fill(text)
	if len(missing) == 0 {
		return filled == got
	}
	parts := whole.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	if parts[1] == "any" {
		return true
	}
	value, isText := got.(string)
	if !isText || !shapes[parts[1]].MatchString(value) {
		return false
	}
	if parts[2] != "" {
		k.values[text] = value
	}
	return true
}
