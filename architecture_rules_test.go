package tenantry_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const tableHeader = "| package | owns | may import |"

// importRules says for each package of the table, by short name, what it may
// import of this module.
type importRules map[string]importRule

type importRule struct {
	line    int // in docs/architecture.md
	all     bool
	allowed []string
}

func (r importRule) String() string {
	switch {
	case r.all:
		return "all"
	case len(r.allowed) == 0:
		return "none"
	}
	return strings.Join(r.allowed, ", ")
}

// allows reports whether the rule names a package, or with "/…" all that are
// inside one.
func (r importRule) allows(name string) bool {
	return r.all || slices.ContainsFunc(r.allowed, func(allowed string) bool {
		parent, inside := strings.CutSuffix(allowed, "/…")
		return name == allowed || inside && strings.HasPrefix(name, parent+"/")
	})
}

// parseImportTable reads the table under tableHeader, up to the first line that
// is not a row.
func parseImportTable(doc string) (importRules, []string) {
	rules, problems := importRules{}, []string{}
	lines := strings.Split(strings.ReplaceAll(doc, "\r\n", "\n"), "\n")
	header := slices.Index(lines, tableHeader)
	if header < 0 {
		return rules, []string{"docs/architecture.md has no table with the header " + tableHeader}
	}
	for i := header + 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		cells := strings.Split(strings.Trim(strings.TrimSpace(lines[i]), "|"), "|")
		if len(cells) != 3 {
			problems = append(problems, fmt.Sprintf("docs/architecture.md:%d: a row has %d cells, want 3", i+1, len(cells)))
			continue
		}
		name := cellText(cells[0])
		if _, twice := rules[name]; twice {
			problems = append(problems, fmt.Sprintf("docs/architecture.md:%d: package %s has two rows", i+1, name))
		}
		rule := importRule{line: i + 1}
		switch may := cellText(cells[2]); may {
		case "none":
		case "all":
			rule.all = true
		default:
			for item := range strings.SplitSeq(may, ",") {
				rule.allowed = append(rule.allowed, cellText(item))
			}
		}
		rules[name] = rule
	}
	if len(rules) == 0 {
		problems = append(problems, "docs/architecture.md: the table has no rows")
	}
	return rules, problems
}

func cellText(cell string) string { return strings.Trim(strings.TrimSpace(cell), "`") }

// checkTable compares the packages that exist with those the table names.
func checkTable(pkgs []goPackage, rules importRules) (problems []string) {
	exists := map[string]string{}
	for _, pkg := range pkgs {
		name := pkg.short()
		if name == "" {
			continue // the root only documents the module
		}
		if other, twice := exists[name]; twice {
			problems = append(problems, fmt.Sprintf("%s and %s have the same name %s in the table", other, pkg.path, name))
		}
		exists[name] = pkg.path
		if _, listed := rules[name]; !listed {
			problems = append(problems, fmt.Sprintf("package %s has no row %s in docs/architecture.md", pkg.path, name))
		}
	}
	for name, rule := range rules {
		for _, named := range append([]string{name}, rule.allowed...) {
			if exists[strings.TrimSuffix(named, "/…")] == "" {
				problems = append(problems, fmt.Sprintf("docs/architecture.md:%d names package %q, which does not exist", rule.line, named))
			}
		}
	}
	return problems
}

// checkImports finds imports within the module that the table does not allow.
// Tests may import anything.
func checkImports(pkgs []goPackage, rules importRules) (problems []string) {
	for _, pkg := range pkgs {
		rule := rules[pkg.short()]
		for _, file := range pkg.code() {
			for _, spec := range file.ast.Imports {
				imported := goPackage{path: importPath(spec)}
				if imported.path != modulePath && !strings.HasPrefix(imported.path, modulePath+"/") {
					continue
				}
				if !rule.allows(imported.short()) {
					problems = append(problems, fmt.Sprintf("%s:%d imports %s, but %s may import: %s",
						file.path, file.line(spec), imported.path, pkg.short(), rule))
				}
			}
		}
	}
	return problems
}

func importPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
	return path
}

// impure are the packages through which billing would reach the outside world.
var impure = []string{"context", "database/sql", "net/http", "os", "log/slog"}

// checkBillingPure keeps the rules of billing to the standard library and
// golang.org/x/text, without input, output or a clock.
func checkBillingPure(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		if !pkg.below("internal/billing") {
			continue
		}
		for _, file := range pkg.code() {
			for _, spec := range file.ast.Imports {
				path := importPath(spec)
				first, _, _ := strings.Cut(path, "/")
				standard := !strings.Contains(first, ".")
				text := strings.HasPrefix(path, "golang.org/x/text/")
				inBilling := goPackage{path: path}.below("internal/billing")
				if !standard && !text && !inBilling {
					problems = append(problems, fmt.Sprintf("%s:%d imports %s, but billing may use only the standard library and golang.org/x/text", file.path, file.line(spec), path))
				}
				for _, banned := range impure {
					if path == banned || strings.HasPrefix(path, banned+"/") {
						problems = append(problems, fmt.Sprintf("%s:%d imports %s, but billing is pure", file.path, file.line(spec), path))
					}
				}
			}
			for _, use := range timeUses(file, "Now", "Since", "Until") {
				problems = append(problems, fmt.Sprintf("%s:%d uses time.%s, but billing is handed the time", file.path, use.line, use.name))
			}
		}
	}
	return problems
}

// checkClientAlone keeps the public library, with its tests, to itself and the
// standard library, so that whoever imports it gets nothing else. Tags that its
// version of Go ignores would change what is sent; other things that are too
// new for it are found by go vet.
func checkClientAlone(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		if !pkg.below("client") {
			continue
		}
		for _, file := range pkg.files {
			for _, spec := range file.ast.Imports {
				first, _, _ := strings.Cut(importPath(spec), "/")
				if itself := (goPackage{path: importPath(spec)}).below("client"); strings.Contains(first, ".") && !itself {
					problems = append(problems, fmt.Sprintf("%s:%d imports %s, but client may use only the standard library", file.path, file.line(spec), importPath(spec)))
				}
			}
			ast.Inspect(file.ast, func(node ast.Node) bool {
				if field, ok := node.(*ast.Field); ok && field.Tag != nil && strings.Contains(field.Tag.Value, "omitzero") {
					problems = append(problems, fmt.Sprintf("%s:%d uses omitzero, which Go before 1.24 ignores", file.path, file.line(field)))
				}
				return true
			})
		}
	}
	return problems
}

const clockMark = "//house:clock"

// clockFuncs read or wait for the wall clock. A reference counts like a call,
// or a variable would be a way around the rule.
var clockFuncs = []string{"Now", "Sleep", "After", "Tick"}

// checkClock finds uses of the wall clock below internal/. internal/app hands
// the clock out; any other use says its reason in a //house:clock line above.
func checkClock(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		if !pkg.below("internal") || pkg.path == modulePath+"/internal/app" || pkg.generated() {
			continue
		}
		for _, file := range pkg.code() {
			marks := clockMarks(file)
			for _, use := range timeUses(file, clockFuncs...) {
				if _, marked := marks[use.line-1]; !marked {
					problems = append(problems, fmt.Sprintf("%s:%d uses time.%s: take the time from the clock handed in, or say why not in a %s line directly above", file.path, use.line, use.name, clockMark))
				}
			}
		}
	}
	return problems
}

// checkClockReasons finds exceptions without a reason and those that no longer
// stand above a use of the clock.
func checkClockReasons(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		for _, file := range pkg.code() {
			used := map[int]bool{}
			for _, use := range timeUses(file, clockFuncs...) {
				used[use.line] = true
			}
			for line, reason := range clockMarks(file) {
				if reason == "" {
					problems = append(problems, fmt.Sprintf("%s:%d: %s needs a reason", file.path, line, clockMark))
				}
				if !used[line+1] {
					problems = append(problems, fmt.Sprintf("%s:%d: %s stands above no use of the clock", file.path, line, clockMark))
				}
			}
		}
	}
	return problems
}

// clockMarks returns the reasons of the //house:clock lines, by line.
func clockMarks(file goFile) map[int]string {
	marks := map[int]string{}
	for _, group := range file.ast.Comments {
		for _, comment := range group.List {
			if reason, ok := strings.CutPrefix(comment.Text, clockMark); ok {
				marks[file.line(comment)] = strings.TrimSpace(reason)
			}
		}
	}
	return marks
}

// checkTestSleep finds sleeping tests: they are slow on a fast machine and
// fail on a slow one.
func checkTestSleep(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		for _, file := range pkg.files {
			if !file.test {
				continue
			}
			for _, use := range timeUses(file, "Sleep") {
				problems = append(problems, fmt.Sprintf("%s:%d uses time.Sleep: wait for the event itself", file.path, use.line))
			}
		}
	}
	return problems
}

type timeUse struct {
	name string
	line int
}

// timeUses finds references to functions of package time, under whatever name
// the file imports it.
func timeUses(file goFile, names ...string) (uses []timeUse) {
	local := ""
	for _, spec := range file.ast.Imports {
		if importPath(spec) == "time" {
			local = "time"
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	ast.Inspect(file.ast, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if of, ok := node.X.(*ast.Ident); ok && of.Name == local && slices.Contains(names, node.Sel.Name) {
				uses = append(uses, timeUse{node.Sel.Name, file.line(node)})
			}
		case *ast.CallExpr:
			// import . "time" leaves nothing but the bare name.
			if callee, ok := node.Fun.(*ast.Ident); ok && local == "." && slices.Contains(names, callee.Name) {
				uses = append(uses, timeUse{callee.Name, file.line(node)})
			}
		}
		return true
	})
	return uses
}

// vague are the names of packages that say nothing of their purpose.
var vague = []string{"util", "utils", "common", "types", "models", "helpers"}

func checkPackageNames(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		last := pkg.path[strings.LastIndex(pkg.path, "/")+1:]
		if !pkg.generated() && (slices.Contains(vague, pkg.name) || slices.Contains(vague, last)) {
			problems = append(problems, fmt.Sprintf("package %s (%s): name it after what it does", pkg.name, pkg.path))
		}
	}
	return problems
}

// sqlStart wants a blank after the keyword: "UPDATE" alone is a word.
var sqlStart = regexp.MustCompile(`^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s`)

var withSQL = []string{"internal/store", "internal/delivery/outbox", "internal/delivery/log", "internal/bench", "internal/service/servicetest", "client/webhook"}

// checkSQL finds SQL outside of the packages that keep data: the store with what is
// below it, the outbox and the webhook log. The benchmarks and the tests of operations
// may look around them, and the library for receivers writes to their database, not
// to ours.
func checkSQL(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		if slices.ContainsFunc(withSQL, pkg.below) || pkg.generated() {
			continue
		}
		for _, file := range pkg.code() {
			ast.Inspect(file.ast, func(node ast.Node) bool {
				literal, ok := node.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				if text, err := strconv.Unquote(literal.Value); err == nil && sqlStart.MatchString(text) {
					problems = append(problems, fmt.Sprintf("%s:%d has SQL: it belongs into internal/store, internal/delivery/outbox or internal/delivery/log", file.path, file.line(literal)))
				}
				return true
			})
		}
	}
	return problems
}

const maxLines = 450

func checkFileLength(pkgs []goPackage) (problems []string) {
	for _, pkg := range pkgs {
		for _, file := range pkg.code() {
			if !pkg.generated() && !ast.IsGenerated(file.ast) && file.lines > maxLines {
				problems = append(problems, fmt.Sprintf("%s has %d lines, more than %d: split it by what it does", file.path, file.lines, maxLines))
			}
		}
	}
	return problems
}
