package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience is how long the server may take to refuse something, however busy
// it is.
const patience = 10 * time.Second

// TestLimits: what is too large is refused, soon and with a clear error.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	limit := func(message string) expectation {
		return expectation{status: 200, code: tooMuch, message: message}
	}
	good := expectation{status: 200}
	table := map[string]exchange{
		"a body of 1 MiB":            {body(pad(1 << 20)), expectation{status: 200, body: itIsMe}},
		"a larger one":               {body(pad(1<<20 + 1)), expectation{status: 413, code: tooMuch, message: "1048576"}},
		"a much larger one":          {body(pad(20 << 20)), expectation{status: 413, code: tooMuch, message: "1048576"}},
		"15,000 tokens":              {post(tokens(15_000), ""), good},
		"15,001 tokens":              {post(tokens(15_001), ""), limit("15000 tokens")},
		"a million tokens":           {body(`{"query":"{` + strings.Repeat("a ", 500_000) + `}"}`), limit("15000 tokens")},
		"a depth of 15":              {post(deep(15), ""), good},
		"a depth of 16":              {post(deep(16), ""), limit("16 fields deep")},
		"a depth of 5,000":           {post(deep(5_000), ""), limit("nested")},
		"depth in fragments":         {post(deepFragments(16), ""), limit("16 fields deep")},
		"unclosed braces":            {post(strings.Repeat("{a", 7_000), ""), limit("nested")},
		"deep lists":                 {post(`{ accounts(limit: `+strings.Repeat("[", 7_000)+strings.Repeat("]", 7_000)+`) { id } }`, ""), limit("nested")},
		"deep objects":               {post(`mutation { accountCreate(attributes: `+strings.Repeat("{a:", 3_000)+"1"+strings.Repeat("}", 3_000)+`) { errors } }`, ""), limit("nested")},
		"deep types":                 {post(`query ($a: `+strings.Repeat("[", 7_000)+"Int"+strings.Repeat("]", 7_000)+`) { accounts(limit: $a) { id } }`, ""), limit("nested")},
		"a deep variable":            {post(whoami, `{"a":`+strings.Repeat("[", 98)+strings.Repeat("]", 98)+`}`), expectation{status: 200, body: itIsMe}},
		"a deeper variable":          {post(whoami, `{"a":`+strings.Repeat("[", 99)+strings.Repeat("]", 99)+`}`), expectation{status: 400, code: tooMuch, message: "100 deep"}},
		"the deepest variable":       {post(whoami, `{"a":`+strings.Repeat("[", 500_000)+`}`), expectation{status: 400, code: tooMuch, message: "100 deep"}},
		"a deep extension":           {body(`{"query":"","extensions":` + strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 102)), expectation{status: 400, code: tooMuch, message: "100 deep"}},
		"cost within reach":          {post(`{ accounts(limit: 1000) { id name contacts { id email } } }`, ""), good},
		"cost of nested lists":       {post(`{ accounts(limit: 1000) { contacts { account { contacts { account { contacts { id } } } } } } }`, ""), limit("limit or first")},
		"cost of a connection":       {post(`{ accountsConnection(first: 1000) { nodes { contacts { account { contacts { account { contacts { id } } } } } } } }`, ""), limit("values")},
		"cost by a variable":         {post(`query ($n: Int) { accounts(limit: $n) { contacts { account { contacts { account { contacts { id } } } } } } }`, `{"n": 1000}`), limit("values")},
		"cost by a default":          {post(`query ($n: Int = 1000) { accounts(limit: $n) { contacts { account { contacts { account { contacts { id } } } } } } }`, ""), limit("values")},
		"a small variable":           {post(`query ($n: Int = 1000) { accounts(limit: $n) { contacts { account { contacts { account { contacts { id } } } } } } }`, `{"n": 1}`), good},
		"cost of aliases":            {post(aliases(300, `accounts(limit: 1000) { id }`), ""), limit("values")},
		"3,000 aliases":              {post(aliases(3_000, `__typename`), ""), good},
		"1,000 aliases of fields":    {post(aliases(1_000, `account(id: 1) { id }`), ""), good},
		"one field 700 times":        {post(`{ currentClient { `+strings.Repeat("clientId ", 700)+`} }`, ""), expectation{status: 200, body: itIsMe}},
		"one field 10,000 times":     {post(`{ currentClient { `+strings.Repeat("clientId ", 10_000)+`} }`, ""), expectation{status: 200, body: itIsMe}},
		"one object 2,400 times":     {post(`{ `+strings.Repeat("currentClient { clientId } ", 2_400)+`}`, ""), expectation{status: 200, body: itIsMe}},
		"fields in inline fragments": {post(`{ currentClient { `+strings.Repeat("...{ ", 400)+strings.Repeat("clientId ", 690)+strings.Repeat("} ", 400)+`} }`, ""), limit("nested")},
		"2,000 operations":           {post(operations(1_000, 2_000), ""), limit("too much work")},
		"a fragment bomb":            {post(fragmentBomb(12, 25), ""), limit("fields deep")},
		"a wide fragment bomb":       {post(wideBomb(400), ""), limit("too much work")},
		"fragments in each other":    {post(spreads(60), ""), limit("values")},
		"many directives":            {post(`{ __typename `+strings.Repeat("@skip(if: false) ", 2_000)+`}`, ""), expectation{status: 200, code: invalid}},
		"many variables":             {post(manyVariables(600), ""), good},
		"a list of 5,000":            {post(`mutation ($ids: [ID!]!) { subscriptionCancel(ids: $ids) { errors } }`, ids(5_000)), good},
		"a list of 5,001":            {post(`mutation ($ids: [ID!]!) { subscriptionCancel(ids: $ids) { errors } }`, ids(5_001)), limit("5001 entries")},
		"a name of 128 characters":   {post(`{ `+strings.Repeat("a", 128)+`: __typename }`, ""), good},
		"a longer name":              {post(`{ `+strings.Repeat("a", 129)+`: __typename }`, ""), limit("128 characters")},
		"a long text":                {post(`{ accounts(filter: "`+strings.Repeat("a", 200)+`") { id } } # `+strings.Repeat("{", 200), ""), good},
		"introspection":              {post(introspection, ""), good},
		"introspection 5 times":      {post(strings.Replace(introspection, "{", "{ "+aliased(5, introspectionField), 1), ""), limit("values")},
		"introspection aliased":      {post(aliases(200, `__schema { types { name fields { name args { name type { name } } type { name } } } }`), ""), limit("values")},
		"deep introspection":         {post(`{ __schema { types { fields { type { `+strings.Repeat("ofType { ", 30)+"name"+strings.Repeat(" }", 30)+` } } } } }`, ""), expectation{status: 200, code: tooMuch}},
	}
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			a := s.send(t, row.request)
			if row.status == http.StatusOK && row.code == "" && row.expectation.body == "" {
				row.expectation.body = string(a.body) // any success will do
			}
			row.check(t, a)
			if took := time.Since(began); took > patience {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// pad makes a request of that many bytes.
func pad(size int) string {
	text := `{"query":"{ currentClient { clientId } }","extensions":{"pad":""}}`
	return strings.Replace(text, `""`, `"`+strings.Repeat("x", size-len(text))+`"`, 1)
}

// tokens makes a document of that many tokens.
func tokens(n int) string {
	var b strings.Builder
	for i := range (n - 2) / 3 {
		fmt.Fprintf(&b, " a%d: __typename", i)
	}
	return "{" + b.String() + strings.Repeat(" __typename", (n-2)%3) + " }"
}

// deep makes a document of that many fields in each other.
func deep(n int) string {
	fields := []string{"account", "billingContact"}
	var b strings.Builder
	b.WriteString("{ account(id: 1) {")
	for level := 1; level < n-1; level++ {
		b.WriteString(" " + fields[level%2] + " {")
	}
	return b.String() + " id" + strings.Repeat(" }", n)
}

// deepFragments is deep with a fragment for each level.
func deepFragments(n int) string {
	var b strings.Builder
	b.WriteString("{ account(id: 1) { ...f2 } }")
	types := []string{"Account", "Contact"}
	fields := []string{"billingContact", "account"}
	for i := 2; i < n; i++ {
		fmt.Fprintf(&b, " fragment f%d on %s { %s { ...f%d } }", i, types[i%2], fields[i%2], i+1)
	}
	fmt.Fprintf(&b, " fragment f%d on %s { id }", n, types[n%2])
	return b.String()
}

func aliases(n int, field string) string { return "{" + aliased(n, field) + " }" }

func aliased(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return b.String()
}

// operations makes a document of operations that share a large fragment.
func operations(n, fields int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "query q%d { ...f } ", i)
	}
	return b.String() + "fragment f on Query {" + aliased(fields, "__typename") + " }"
}

// fragmentBomb doubles itself with every level.
func fragmentBomb(levels, width int) string {
	var b strings.Builder
	b.WriteString("{ account(id: 1) { ...f0 } }")
	for i := range levels {
		fmt.Fprintf(&b, " fragment f%d on Account {", i)
		for j := range width {
			fmt.Fprintf(&b, " a%d: billingContact { account { ...f%d } }", j, i+1)
		}
		b.WriteString(" }")
	}
	fmt.Fprintf(&b, " fragment f%d on Account { id }", levels)
	return b.String()
}

// wideBomb has many fragments that each spread all that follow.
func wideBomb(n int) string {
	var b strings.Builder
	b.WriteString("{ account(id: 1) { ...f0 } }")
	for i := range n {
		fmt.Fprintf(&b, " fragment f%d on Account { id", i)
		for j := i + 1; j <= min(i+10, n); j++ {
			fmt.Fprintf(&b, " ...f%d", j)
		}
		b.WriteString(" }")
	}
	fmt.Fprintf(&b, " fragment f%d on Account { id }", n)
	return b.String()
}

// spreads doubles itself with every level, without fields between.
func spreads(levels int) string {
	var b strings.Builder
	b.WriteString("{ account(id: 1) { ...f0 } }")
	for i := range levels {
		fmt.Fprintf(&b, " fragment f%d on Account { ...f%d ...f%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment f%d on Account { id }", levels)
	return b.String()
}

// ids makes variables with a list of that many ids.
func ids(n int) string { return `{"ids":["1"` + strings.Repeat(`,"1"`, n-1) + `]}` }

func manyVariables(n int) string {
	var declared, used strings.Builder
	for i := range n {
		fmt.Fprintf(&declared, " $v%d: ID", i)
		fmt.Fprintf(&used, " a%d: account(id: $v%d, code: \"\") { id }", i, i)
	}
	return "query (" + declared.String() + ") {" + used.String() + " }"
}

const introspectionField = `__schema {
	queryType { name } mutationType { name } subscriptionType { name }
	types {
		kind name description
		fields(includeDeprecated: true) { name description args { ...input } type { ...type } isDeprecated deprecationReason }
		inputFields { ...input } interfaces { ...type } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
		possibleTypes { ...type }
	}
	directives { name description locations args { ...input } }
}
`

// introspection is what tools send.
const introspection = `query IntrospectionQuery { ` + introspectionField + ` }
fragment input on __InputValue { name description type { ...type } defaultValue }
fragment type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
	ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`
