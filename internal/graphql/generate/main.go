// Command generate writes internal/graphql/gen from the schema: it runs gqlgen
// and then makes five things in its output cheaper, which together took most of
// the time of a list (docs/performance.md has the figures).
//
//   - A plain field (a struct field, or a method that needs no context) is
//     marshalled directly, without a context, a middleware chain and closures
//     of its own.
//   - An object of which only plain fields are asked for is written from its
//     struct, with no value of its own for each field in between.
//   - Elements of a list are marshalled one after another instead of in a
//     goroutine each. Package node loads relations for all elements at once,
//     so there is nothing to wait for in parallel.
//   - @defer is not offered, so objects are not prepared for it.
//   - The data of an answer goes to a node.Answer, which is bounded, and not
//     into a buffer that grows.
//
// It also lets ids be text where they are more than a number: gqlgen takes one
// type for the ids of all arguments.
package main

import (
	"fmt"
	"go/format"
	"os"
	"regexp"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

const output = "gen/exec.go"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	cfg, err := config.LoadConfig("gqlgen.yml")
	if err != nil {
		return err
	}
	if err := addIDs(cfg); err != nil {
		return err
	}
	if err := api.Generate(cfg); err != nil {
		return err
	}
	source, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	guarded, err := guardedFields()
	if err != nil {
		return err
	}
	text, err := rewrite(string(source), guarded)
	if err != nil {
		return err
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return err
	}
	return os.WriteFile(output, formatted, 0o644)
}

var idFunction = regexp.MustCompile(`(?m)^func Marshal(\w+ID)\(`)

// addIDs tells gqlgen of the types of ids in package node.
func addIDs(cfg *config.Config) error {
	source, err := os.ReadFile("node/ids_gen.go")
	if err != nil {
		return err
	}
	for _, match := range idFunction.FindAllStringSubmatch(string(source), -1) {
		cfg.Models.Add("ID", "github.com/tenantry/tenantry/internal/graphql/node."+match[1])
	}
	return nil
}

// guardedFields are those with a @scope: they keep the middleware that checks
// it.
func guardedFields() (map[string]bool, error) {
	served, err := schema.Served()
	if err != nil {
		return nil, err
	}
	guarded := map[string]bool{}
	for _, definition := range served.Types {
		for _, field := range definition.Fields {
			if field.Directives.ForName("scope") != nil {
				guarded[definition.Name+"_"+field.Name] = true
			}
		}
	}
	return guarded, nil
}

// plainField matches the whole function of a field whose value is at hand:
// its name, the expression, and the function that marshals it.
var plainField = regexp.MustCompile(`(?s)(func \(ec \*executionContext\) _(\w+)\(ctx context\.Context, field graphql\.CollectedField, obj (\S+)\)) \(ret graphql\.Marshaler\) \{
	return graphql\.ResolveField\(
		ctx,
		ec\.OperationContext,
		field,
		func\(ctx context\.Context, field graphql\.CollectedField\) \(\*graphql\.FieldContext, error\) \{
			return \S+\(ctx, field\)
		\},
		func\(ctx context\.Context\) \(any, error\) \{
			return (obj\.\w+(?:\(\))?), nil
		\},
		nil,
		func\(ctx context\.Context, selections ast\.SelectionSet, v \S+\) graphql\.Marshaler \{
			return (\S+)\(ctx, selections, v\)
		\},
		true,
		\w+,
	\)
\}`)

const (
	concurrentSlice = "graphql.MarshalSliceConcurrently("
	serialSlice     = "node.MarshalSlice("
)

// enumNames are how the names of enums end.
const enumNames = `[A-Z]\w*(?:Kind|Type|Period|Model|Action|State|Algorithm)`

// scalarMarshal matches functions that marshal scalars and enums: those write
// no errors about their children, so they need no context of their own.
var scalarMarshal = regexp.MustCompile(`^ec\.marshal[NO](String|ID|Int|Boolean|ISO8601DateTime|ISO8601Date|BigDecimal|JSON|` + enumNames + `)2`)

func rewrite(source string, guarded map[string]bool) (string, error) {
	var plains []plain
	fields := 0
	text := plainField.ReplaceAllStringFunc(source, func(function string) string {
		part := plainField.FindStringSubmatch(function)
		signature, name, goType, value, marshal := part[1], part[2], part[3], part[4], part[5]
		if guarded[name] || !scalarMarshal.MatchString(marshal) {
			return function
		}
		fields++
		if p, ok := newPlain(name, goType, value, marshal); ok {
			plains = append(plains, p)
		}
		return fmt.Sprintf("%s graphql.Marshaler {\n\treturn %s(ctx, field.Selections, %s)\n}", signature, marshal, value)
	})
	lists := strings.Count(text, concurrentSlice)
	text = strings.ReplaceAll(text, concurrentSlice, serialSlice)
	text, objects := withoutDefer(text)
	text = withPlain(text, plains)
	text, err := withTextIDs(text)
	if err != nil {
		return "", err
	}
	if text, err = withAnswer(text); err != nil {
		return "", err
	}
	// A generator that has changed its output must not go unnoticed.
	plainObjects, plainLists := strings.Count(text, "node.Plain("), strings.Count(text, "node.PlainList(")
	if fields < 100 || lists < 10 || objects < 10 || plainObjects < 10 || plainLists < 10 || strings.Contains(text, "deferLabelToView") {
		return "", fmt.Errorf("the generated code has changed its shape: found %d plain fields, %d lists (%d of plain objects) and %d objects (%d plain)",
			fields, lists, plainLists, objects, plainObjects)
	}
	return text, nil
}

// What the data of queries and of mutations goes into.
var (
	queryData    = regexp.MustCompile(`\n\t+var buf bytes\.Buffer\n(\t+)data\.MarshalGQL\(&buf\)\n\t+response\.Data = buf\.Bytes\(\)\n`)
	mutationData = regexp.MustCompile(`\n\t+var buf bytes\.Buffer\n(\t+)data\.MarshalGQL\(&buf\)\n\n(\t+return &graphql\.Response\{)\n\t+Data: buf\.Bytes\(\),\n\t+\}\n`)
)

func withAnswer(text string) (string, error) {
	for place, replacement := range map[*regexp.Regexp]string{
		queryData:    "\n${1}node.Marshal(ctx, data)\n",
		mutationData: "\n${1}node.Marshal(ctx, data)\n${2}}\n",
	} {
		if found := len(place.FindAllString(text, -1)); found != 1 {
			return "", fmt.Errorf("the generated code has changed its shape: %d places match %s", found, place)
		}
		text = place.ReplaceAllString(text, replacement)
	}
	if !strings.Contains(text, "bytes.Buffer") {
		text = strings.Replace(text, "\t\"bytes\"\n", "", 1)
	}
	return text, nil
}

// textIDs are the mutations whose id is text.
var textIDs = []string{"subscriptionScheduledChangeCancel"}

func withTextIDs(text string) (string, error) {
	for _, name := range textIDs {
		method := strings.ToUpper(name[:1]) + name[1:]
		for _, place := range []*regexp.Regexp{
			regexp.MustCompile(`(?s)(field_Mutation_` + name + `_args\(.{0,200}\(ctx context\.Context, v any\) \()int64(, error\) \{\s+return ec\.unmarshalNID2)int64\b`),
			regexp.MustCompile(`(\b` + method + `\(ctx context\.Context, id )int64\b`),
			regexp.MustCompile(`(\b` + method + `\(ctx, fc\.Args\["id"\]\.\()int64\b`),
		} {
			if found := len(place.FindAllString(text, -1)); found != 1 {
				return "", fmt.Errorf("the generated code has changed its shape: %d places match %s", found, place)
			}
			text = place.ReplaceAllStringFunc(text, func(match string) string { return strings.ReplaceAll(match, "int64", "string") })
		}
	}
	return text, nil
}

// What an object does for @defer: two variables, a block for each field that
// may take time, and the end.
var (
	deferStart = regexp.MustCompile(`\n\tdeferredFieldSet := .*\n\tdeferLabelToView := .*\n`)
	deferField = regexp.MustCompile(`(?s)\n\t\t\tif field\.IsDeferred\(\) \{\n.*?\n\t\t\t\}\n`)
	deferEnd   = regexp.MustCompile(`(?s)\n\tatomic\.AddInt32\(&ec\.Deferred,[^\n]*\n\n\tec\.ProcessDeferredGroup\(.*?\n\t\}\)\n\n\treturn out\n`)
)

func withoutDefer(text string) (string, int) {
	objects := len(deferEnd.FindAllString(text, -1))
	text = deferStart.ReplaceAllString(text, "\n")
	text = deferField.ReplaceAllString(text, "\n")
	text = deferEnd.ReplaceAllString(text, "\n\treturn node.Object(fields, out.Values)\n")
	if !strings.Contains(text, "math.") {
		text = strings.Replace(text, "\t\"math\"\n", "", 1)
	}
	return text, objects
}
