package abuse

import (
	"fmt"
	"strings"
)

// hostile are documents within the limits of size that are as much work to
// validate as their kind can be, by the rule that they are aimed at.
var hostile = map[string]string{
	"undefined fragments":           "{ accounts {" + repeat(7_000, " ...f%d") + " } }",
	"undefined fragments, nested":   "{" + repeat(1_000, " a%[1]d: accounts { ...f%[1]d ...g ...h ...i }") + " }",
	"one field, ten thousand times": "{ currentClient {" + repeat(14_000, " clientId") + " } }",
	"one object, many times":        "{" + repeat(3_500, " currentClient { clientId }") + " }",
	"aliases":                       "{" + repeat(4_990, " a%d: __typename") + " }",
	"aliases in nested brackets":    "{ currentClient {" + strings.Repeat("...{", 90) + repeat(4_800, " a%d: __typename") + strings.Repeat("}", 90) + " } }",
	"aliases in many brackets":      "{ currentClient {" + repeat(1_000, " ...{a%[1]d:name b%[1]d:name c%[1]d:name}") + " } }",
	"conflicting fields":            "{ currentClient {" + repeat(2_400, " x: clientId x: name") + " } }",
	"conflicting arguments":         "{" + repeat(1_300, " x: account(id: %d) { id }") + " }",
	"conflicts below":               "{" + repeat(1_300, " x: currentClient { x%[1]d: name x: clientId }") + " }",
	"fragments used, each its own":  "{ currentClient {" + repeat(1_480, " ...f%d") + " } }" + repeat(1_480, " fragment f%d on CurrentClient { name }"),
	"fragments in a chain":          "{ currentClient { ...f0 } }" + chain(1_600, " fragment f%d on CurrentClient { name ...f%d }") + " fragment f1600 on CurrentClient { name }",
	"fragments that all lead back":  "{ currentClient { ...f0 } }" + chain(1_000, " fragment f%d on CurrentClient { ...f%d }") + " fragment f1000 on CurrentClient {" + strings.Repeat(" ...f0", 3_000) + " }",
	"fragments, unused":             "{ __typename }" + repeat(2_100, " fragment f%d on Query { __typename }"),
	"fragments of one name":         "{ ...f }" + repeat(2_100, " fragment f on Query { __typename }"),
	"fragments that double":         "{ currentClient { ...f0 } }" + doubling(500),
	"fragments that nest":           nesting(6, 40),
	"fragments of unknown types":    "{ __typename }" + repeat(2_100, " fragment f%d on Acount { id }"),
	"fragments where none can be":   "{ currentClient {" + repeat(2_400, " ... on Account { id }") + " } }",
	"operations over one fragment":  repeat(1_000, " query q%d { ...f }") + " fragment f on Query {" + repeat(2_900, " a%d: __typename") + " }",
	"operations of one name":        repeat(2_900, " query q { __typename }"),
	"anonymous operations":          strings.Repeat(" { __typename }", 4_900),
	"variables, unused":             "query (" + repeat(3_700, " $v%d: Int") + ") { __typename }",
	"variables, undefined":          "{ accounts(limit: [" + repeat(7_400, " $v%d") + "]) { id } }",
	"variables, used":               "query (" + repeat(1_800, " $v%d: Int") + ") { accounts(limit: [" + repeat(3_700, " $v1799") + "]) { id } }",
	"variables of one name":         "query (" + strings.Repeat(" $v: Int", 3_700) + ") { accounts(limit: $v) { id } }",
	"variables of the wrong type":   "query ($v: String) {" + repeat(1_200, " a%d: accounts(limit: $v) { id }") + " }",
	"variables in shared fragments": repeat(200, " query q%d($v: Int) { ...f }") + " fragment f on Query {" + repeat(1_000, " a%d: accounts(limit: $v) { id }") + " }",
	"variables of deep types":       "query ($v: " + strings.Repeat("[", 95) + "Int" + strings.Repeat("]", 95) + ") {" + repeat(1_200, " a%d: accounts(limit: $v) { id }") + " }",
	"directives, unknown":           "{ __typename" + repeat(7_000, " @d%d") + " }",
	"directives, repeated":          "{ __typename" + strings.Repeat(" @skip(if: false)", 2_000) + " }",
	"directives, misplaced":         "{ __typename }" + repeat(1_050, " fragment f%d on Query @skip(if: true) { __typename }"),
	"arguments, unknown":            "{ accounts(" + repeat(4_900, " a%d: 1") + ") { id } }",
	"arguments, repeated":           "{ accounts(" + strings.Repeat(" limit: 1", 4_900) + ") { id } }",
	"arguments, missing":            "{" + repeat(2_400, " a%d: webhookEvent { id }") + " }",
	"fields, unknown":               "{" + repeat(14_900, " acounts%d") + " }",
	"fields, unknown and long":      "{" + repeat(8_000, " a%0120d") + " }",
	"fields, unknown and endless":   "{ " + strings.Repeat("a", 1_000_000) + " }",
	"fields without selection":      "{" + repeat(4_900, " a%d: accounts") + " }",
	"values, wrong":                 "mutation { accountCreate(attributes: {" + repeat(4_900, " name: 1") + "}) { errors } }",
	"values, unknown fields":        "mutation { accountCreate(attributes: {" + repeat(4_900, " nam%d: 1") + "}) { errors } }",
	"values, an endless enum":       `mutation { workflowUpdate(id: 1, release: "` + strings.Repeat("a", 1_000_000) + `", attributes: {}) { errors } }`,
	"values, an endless id":         `{ account(id: {a: "` + strings.Repeat("a", 1_000_000) + `"}) { id } }`,
	"values, objects for texts":     "mutation { accountCreate(attributes: {name: " + strings.Repeat("{a: [", 40) + repeat(7_000, " {}") + strings.Repeat("]}", 40) + "}) { errors } }",
	"values, wide and deep":         "mutation { tenantMetricsUpdate(code: \"a\", attributes: {utilizationMetrics: " + strings.Repeat("{a: [", 40) + repeat(6_900, " {}") + strings.Repeat("]}", 40) + "}) { errors } }",
	"values, in many fragments":     `{ ...f0 }` + chain(200, " fragment f%d on Query { ...f%d }") + ` fragment f200 on Query { account(id: {a: "` + strings.Repeat("a", 1<<19) + `"}) { id } }`,
	"introspection, nested":         "{" + repeat(40, " a%d: "+strings.Repeat("__schema { ", 90)+"x"+strings.Repeat(" }", 90)) + " }",
	"introspection, many":           "{" + repeat(700, " a%d: __schema { types { fields { type { name } } } }") + " }",
	"comments":                      "{ __typename }" + strings.Repeat("#\n", 14_000),
	"a long comment":                "{ __typename } #" + strings.Repeat("a", 1_000_000),
	"blanks":                        "{ __typename }" + strings.Repeat(" \n", 340_000),
	"a block string":                `{ accounts(filter: """` + strings.Repeat("\n a", 240_000) + `""") { id } }`,
	"many strings":                  "{" + repeat(1_300, ` a%d: accounts(filter: "\u0041\n") { id }`) + " }",
	"a string of escapes":           `{ accounts(filter: "` + strings.Repeat(`\ud83d\ude00`, 70_000) + `") { id } }`,
}

// repeat writes a format n times, with numbers from 0.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// chain is repeat with two numbers, of which one is the next.
func chain(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1)
	}
	return b.String()
}

// doubling has fragments that each have the next one twice, in objects of
// other names.
func doubling(n int) string {
	return chain(n, " fragment f%[1]d on CurrentClient { ...f%[2]d x%[1]d: name ...f%[2]d }") + fmt.Sprintf(" fragment f%d on CurrentClient { name }", n)
}

// nesting has fragments in objects, each of which has width of the next.
func nesting(levels, width int) string {
	var b strings.Builder
	b.WriteString("{ account(id: 1) { ...f0 } }")
	for i := range levels {
		fmt.Fprintf(&b, " fragment f%d on Account {%s }", i, repeat(width, fmt.Sprintf(" a%%d: billingContact { account { ...f%d } }", i+1)))
	}
	fmt.Fprintf(&b, " fragment f%d on Account { id }", levels)
	return b.String()
}
