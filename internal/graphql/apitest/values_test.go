package apitest

import (
	"strings"
	"testing"
)

// values tests values of one type, as literals in a document and as variables.
type values struct {
	kind     string
	literal  string   // a document with the value in the place of VALUE
	variable []string // documents with a variable $v
	inside   string   // a variable that has the value in the place of VALUE
	table    map[string]exchange
}

func (v *values) add(name, value string, literal, variable expectation) {
	if v.table == nil {
		v.table = map[string]exchange{}
	}
	name = v.kind + " " + name
	v.table[name+" in the document"] = exchange{post(strings.ReplaceAll(v.literal, "VALUE", value), ""), literal}
	v.table[name+" as a variable"] = exchange{post(v.variable[0], `{"v": `+value+`}`), variable}
	if len(v.variable) > 1 {
		v.table[name+" inside a variable"] = exchange{post(v.variable[1], `{"v": `+strings.ReplaceAll(v.inside, "VALUE", value)+`}`), variable}
	}
}

// refused is an argument that is not right, unfit a document that is not.
func refused(message string) expectation {
	return expectation{status: 200, code: badInput, message: message}
}

func unfit(message string) expectation {
	return expectation{status: 200, code: invalid, message: message}
}

// startWithAccount starts a server with one account, which must be the only one
// at the end: what is refused is not done.
func startWithAccount(t *testing.T) *server {
	t.Helper()
	s := start(t, "sqlite")
	s.do(t, `mutation { accountCreate(attributes: {name: "Acme"}) { errors } }`)
	return s
}

func (s *server) onlyAcme(t *testing.T) {
	t.Helper()
	if got := s.names(t); got != "Acme" {
		t.Errorf("something that was refused was done: %s", got)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	s := startWithAccount(t)
	v := values{kind: "ID", literal: "{ account(id: VALUE) { name } }", variable: []string{"query ($v: ID) { account(id: $v) { name } }"}}
	acme := expectation{status: 200, body: `{"data":{"account":{"name":"Acme"}}}`}
	none := expectation{status: 200, body: `{"data":{"account":null}}`}
	v.add("a number", "1", acme, acme)
	v.add("a text", `"1"`, acme, acme)
	v.add("zero", "0", none, none)
	v.add("the largest", "9007199254740991", none, none)
	v.add("too large", "9007199254740992", refused("9007199254740992"), refused("9007199254740992"))
	v.add("huge", "99999999999999999999", unfit("99999999999999999999"), refused("99999999999999999999"))
	v.add("negative", "-1", refused("-1"), refused("-1"))
	v.add("a negative text", `"-1"`, refused("-1"), refused("-1"))
	v.add("a float", "1.5", unfit("1.5"), unfit("1.5"))
	v.add("an exponent", "1e3", unfit("1e3"), unfit("1e3"))
	v.add("letters", `"abc"`, refused("abc"), refused("abc"))
	v.add("empty", `""`, refused("whole number"), refused("whole number"))
	v.add("blank", `" 1"`, refused("whole number"), refused("whole number"))
	v.add("a sign", `"+1"`, refused("+1"), refused("+1"))
	v.add("a cursor", `"aWQ6MQ"`, refused("aWQ6MQ"), refused("aWQ6MQ"))
	v.add("a truth", "true", unfit("true"), unfit("ID"))
	v.add("a list", "[1]", unfit("[1]"), unfit("ID"))
	v.add("an object", "{}", unfit("{}"), unfit("ID"))
	v.add("null", "null", refused("Give an id or a code"), refused("Give an id or a code"))
	s.exchange(t, v.table)
}

func TestInts(t *testing.T) {
	t.Parallel()
	s := startWithAccount(t)
	v := values{kind: "Int", literal: "{ accounts(limit: VALUE) { name } }", variable: []string{"query ($v: Int) { accounts(limit: $v) { name } }"}}
	list := expectation{status: 200, body: `{"data":{"accounts":[{"name":"Acme"}]}}`}
	v.add("in range", "1000", list, list)
	v.add("null", "null", list, list)
	v.add("too large", "2147483648", refused("2147483648"), unfit("2147483648"))
	v.add("too small", "-2147483649", refused("-2147483649"), unfit("-2147483649"))
	v.add("huge", "99999999999999999999", unfit("99999999999999999999"), unfit("99999999999999999999"))
	v.add("a float", "1.5", unfit("1.5"), unfit("1.5"))
	v.add("a whole float", "1.0", unfit("1.0"), unfit("1.0"))
	v.add("an exponent", "1e3", unfit("1e3"), unfit("1e3"))
	v.add("a text", `"1"`, unfit(`"1"`), unfit("Int"))
	v.add("a truth", "true", unfit("true"), unfit("Int"))
	v.add("a list", "[1]", unfit("[1]"), unfit("Int"))
	s.exchange(t, v.table)
}

func TestOtherValues(t *testing.T) {
	t.Parallel()
	s := startWithAccount(t)
	whole := `mutation ($v: AccountAttributes!) { accountCreate(attributes: $v) { userErrors { code } } }`
	text := values{
		kind: "String", literal: `mutation { accountCreate(attributes: {name: VALUE}) { userErrors { code } } }`,
		variable: []string{`mutation ($v: String) { accountCreate(attributes: {name: $v}) { userErrors { code } } }`, whole}, inside: `{"name": VALUE}`,
	}
	text.add("a number", "12", unfit("12"), unfit("String"))
	text.add("a float", "1.5", unfit("1.5"), unfit("String"))
	text.add("a truth", "true", unfit("true"), unfit("String"))
	text.add("a list", `["x"]`, unfit("x"), unfit("String"))
	text.add("an object", `{}`, unfit("{}"), unfit("String"))
	s.exchange(t, text.table)

	flag := values{
		kind: "Boolean", literal: `mutation { accountCreate(attributes: {addressValidated: VALUE}) { userErrors { code } } }`,
		variable: []string{`mutation ($v: Boolean) { accountCreate(attributes: {addressValidated: $v}) { userErrors { code } } }`, whole}, inside: `{"addressValidated": VALUE}`,
	}
	flag.add("a text", `"true"`, unfit("true"), unfit("Boolean"))
	flag.add("a number", "1", unfit("1"), unfit("Boolean"))
	flag.add("an object", "{}", unfit("{}"), unfit("Boolean"))
	s.exchange(t, flag.table)

	kind := values{
		kind: "enum", literal: `mutation { featureCreate(productId: 1, attributes: {kind: VALUE}) { userErrors { code } } }`,
		variable: []string{`mutation ($v: FeatureKind) { featureCreate(productId: 1, attributes: {kind: $v}) { userErrors { code } } }`},
	}
	kind.add("unknown", `"COLOUR"`, unfit("COLOUR"), unfit("COLOUR"))
	kind.add("in another case", `"boolean"`, unfit("boolean"), unfit("boolean"))
	kind.add("a number", "1", unfit("1"), unfit("FeatureKind"))
	kind.add("an object", "{}", unfit("{}"), unfit("FeatureKind"))
	s.exchange(t, kind.table)

	missing := expectation{status: 200, body: `{"data":{"featureCreate":{"userErrors":[{"code":"NOT_FOUND"}]}}}`}
	list := values{
		kind: "a list from", literal: `mutation { featureCreate(productId: 1, attributes: {}, planIds: VALUE) { userErrors { code } } }`,
		variable: []string{`mutation ($v: [ID!]) { featureCreate(productId: 1, attributes: {}, planIds: $v) { userErrors { code } } }`},
	}
	for name, value := range map[string]string{"one number": "7", "one text": `"7"`, "texts": `["7"]`, "numbers": "[7, 8]", "both": `["7", 8]`, "nothing": "[]", "null": "null"} {
		list.add(name, value, missing, missing)
	}
	list.add("a null", "[1, null]", unfit("null"), unfit("cannot be null"))
	list.add("a list", "[[1]]", unfit("[1]"), unfit("ID"))
	s.exchange(t, list.table)
	s.onlyAcme(t)
}

// TestArguments: what is unknown, missing or of another type.
func TestArguments(t *testing.T) {
	t.Parallel()
	s := startWithAccount(t)
	create := `mutation ($a: AccountAttributes!) { accountCreate(attributes: $a) { errors } }`
	s.exchange(t, map[string]exchange{
		"an unknown argument":                  {post(`{ accounts(offset: 1) { name } }`, ""), unfit("offset")},
		"a required argument is missing":       {post(`{ planFeature { id } }`, ""), unfit("id")},
		"a required argument is null":          {post(`{ planFeature(id: null) { id } }`, ""), unfit("null")},
		"a name for a text":                    {post(`mutation { accountCreate(attributes: {name: Acme}) { errors } }`, ""), unfit("Acme")},
		"a name for an enum":                   {post(`mutation { featureCreate(productId: 1, attributes: {kind: COLOUR}) { errors } }`, ""), unfit("COLOUR")},
		"an unknown attribute in the document": {post(`mutation { accountCreate(attributes: {colour: "red"}) { errors } }`, ""), unfit("colour")},
		"an unknown attribute in a variable":   {post(create, `{"a": {"name": "X", "colour": "red"}}`), unfit("unknown field")},
		"an unknown attribute, deeper":         {post(create, `{"a": {"name": "X", "billingContact": {"colour": "red"}}}`), unfit("$a.billingContact has an unknown field")},
		"an attribute twice":                   {post(`mutation { accountCreate(attributes: {name: "X", name: "Y"}) { errors } }`, ""), unfit("name")},
		"__typename is no attribute":           {post(create, `{"a": {"name": "X", "__typename": "Y"}}`), unfit("__typename")},
		"attributes are a list":                {post(create, `{"a": []}`), unfit("AccountAttributes")},
		"attributes are a text":                {post(create, `{"a": "name"}`), unfit("AccountAttributes")},
		"a required variable is missing":       {post(create, `{}`), unfit("must be defined")},
		"a required variable is null":          {post(create, `{"a": null}`), unfit("cannot be null")},
		"a variable that nobody declared":      {post(`{ accounts(limit: $n) { name } }`, `{"n": 1}`), unfit("$n")},
		"a variable that nobody uses":          {post(`query ($n: Int) { accounts { name } }`, `{"n": 1}`), unfit("$n")},
		"a variable of another type":           {post(`query ($n: String) { accounts(limit: $n) { name } }`, `{"n": "1"}`), unfit("$n")},
		"a variable of an unknown type":        {post(`query ($n: Colour) { accounts(limit: $n) { name } }`, `{"n": "1"}`), unfit("Colour")},
		"a variable of an output type":         {post(`query ($n: Account) { accounts(limit: $n) { name } }`, `{"n": "1"}`), unfit("Account")},
		"more variables than declared":         {post(`{ accounts { name } }`, `{"n": 1, "m": {}}`), expectation{status: 200, body: `{"data":{"accounts":[{"name":"Acme"}]}}`}},
	})
	s.onlyAcme(t)
}
