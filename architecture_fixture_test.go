package tenantry_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// fixture makes a package of one file, so that each rule can be seen to fail.
func fixture(t *testing.T, dir, file, source string) []goPackage {
	t.Helper()
	parsed, err := parseGoFile(dir+"/"+file, source)
	if err != nil {
		t.Fatal(err)
	}
	return []goPackage{{path: modulePath + "/" + dir, name: parsed.ast.Name.Name, files: []goFile{parsed}}}
}

// wantProblems checks that there is one problem for each part, in any order,
// and that some problem has that part.
func wantProblems(t *testing.T, got []string, parts ...string) {
	t.Helper()
	if len(got) != len(parts) {
		t.Fatalf("got %d problems, want %d:\n%s", len(got), len(parts), strings.Join(got, "\n"))
	}
	for _, part := range parts {
		if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, part) }) {
			t.Errorf("no problem says %q:\n%s", part, strings.Join(got, "\n"))
		}
	}
}

const fixtureTable = `# Architecture

| package | owns | may import |
|---|---|---|
| ` + "`billing`" + ` | the rules | none |
| store | all SQL | billing |
| service | operations | ` + "`billing`, `store`" + ` |
| app | start and stop | all |

| other | table |
`

func TestParseImportTable(t *testing.T) {
	rules, problems := parseImportTable(fixtureTable)
	wantProblems(t, problems)
	if names := slices.Sorted(maps.Keys(rules)); !slices.Equal(names, []string{"app", "billing", "service", "store"}) {
		t.Errorf("rows: %v", names)
	}
	for name, want := range map[string]string{"billing": "none", "store": "billing", "service": "billing, store", "app": "all"} {
		if got := rules[name].String(); got != want {
			t.Errorf("%s may import %s, want %s", name, got, want)
		}
	}

	_, problems = parseImportTable("no table")
	wantProblems(t, problems, "has no table")
	_, problems = parseImportTable(tableHeader + "\n|---|---|---|\n")
	wantProblems(t, problems, "no rows")
	_, problems = parseImportTable(tableHeader + "\n|---|---|---|\n| a | b | none |\n| a | b | none |\n| a | none |\n")
	wantProblems(t, problems, "two rows", "2 cells")
}

func TestCheckTable(t *testing.T) {
	rules, _ := parseImportTable(fixtureTable)
	pkgs := []goPackage{{path: modulePath}, {path: modulePath + "/internal/billing"}, {path: modulePath + "/internal/store"},
		{path: modulePath + "/internal/service"}, {path: modulePath + "/internal/app"}}
	wantProblems(t, checkTable(pkgs, rules))
	wantProblems(t, checkTable(append(pkgs, goPackage{path: modulePath + "/client"}), rules), "/client has no row client")
	wantProblems(t, checkTable(append(pkgs, goPackage{path: modulePath + "/store"}), rules), "same name store")
	wantProblems(t, checkTable(pkgs[:4], rules), `:8 names package "app"`)
	wantProblems(t, checkTable(slices.Delete(slices.Clone(pkgs), 1, 2), rules),
		`:5 names package "billing"`, `:6 names package "billing"`, `:7 names package "billing"`)
}

func TestCheckImports(t *testing.T) {
	rules, _ := parseImportTable(fixtureTable)
	for _, c := range []struct {
		name, dir, file, imported string
		problems                  []string
	}{
		{"allowed", "internal/store", "a.go", "internal/billing", nil},
		{"all", "internal/app", "a.go", "internal/service", nil},
		{"not in the list", "internal/store", "a.go", "internal/service",
			[]string{"internal/store/a.go:3 imports github.com/tenantry/tenantry/internal/service, but store may import: billing"}},
		{"none", "internal/billing", "a.go", "internal/store", []string{"billing may import: none"}},
		{"a longer path", "internal/store", "a.go", "internal/billing/more", []string{"internal/billing/more"}},
		{"a test", "internal/billing", "a_test.go", "internal/store", nil},
		{"no row", "client", "a.go", "internal/store", []string{"client may import: none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := "package p\n\nimport _ \"" + modulePath + "/" + c.imported + "\"\n"
			wantProblems(t, checkImports(fixture(t, c.dir, c.file, source), rules), c.problems...)
		})
	}
	wantProblems(t, checkImports(fixture(t, "internal/billing", "a.go", "package p\n\nimport _ \"fmt\"\n"), rules))
}

func TestHouseRules(t *testing.T) {
	seenToFail := map[string]bool{}
	long := "package p\n" + strings.Repeat("\n", maxLines)
	for _, c := range []struct {
		rule, name, dir, file, source string
		problems                      []string
	}{
		{"billing is pure", "text", "internal/billing", "a.go",
			"package p\nimport (\n\"strings\"\n\"golang.org/x/text/language\"\n)", nil},
		{"billing is pure", "outside", "internal/billing", "a.go",
			"package p\nimport (\n\"os\"\n\"net/http/httptest\"\n\"github.com/jackc/pgx/v5\"\n)", []string{"os,", "httptest,", "pgx/v5,"}},
		{"billing is pure", "clock", "internal/billing", "a.go",
			"package p\nimport \"time\"\nvar a, b = time.Now(), time.Since(a)", []string{"time.Now", "time.Since"}},
		{"billing is pure", "others may", "internal/store", "a.go",
			"package p\nimport _ \"context\"", nil},

		{"client stands alone", "standard", "client/webhook", "a.go", "package p\nimport _ \"database/sql\"", nil},
		{"client stands alone", "others", "client", "a.go",
			"package p\nimport (\n_ \"github.com/jackc/pgx/v5\"\n_ \"" + modulePath + "/internal/billing\"\n)", []string{"pgx/v5,", "internal/billing,"}},
		{"client stands alone", "itself", "client/webhook", "a_test.go", "package p\nimport _ \"" + modulePath + "/client\"", nil},
		{"client stands alone", "a test", "client", "a_test.go", "package p\nimport _ \"github.com/jackc/pgx/v5\"", []string{"pgx/v5,"}},
		{"client stands alone", "a tag", "client", "a.go", "package p\ntype T struct{ A int `json:\"a,omitzero\"` }", []string{":2 uses omitzero"}},

		{"clock is handed in", "all four", "internal/store", "a.go",
			"package p\nimport t \"time\"\nfunc f() {\nt.Now()\nt.Sleep(1)\n<-t.After(1)\nt.Tick(1)\n}",
			[]string{":4 uses time.Now", ":5 uses time.Sleep", ":6 uses time.After", ":7 uses time.Tick"}},
		{"clock is handed in", "a reference", "internal/store", "a.go", "package p\nimport \"time\"\nvar now = time.Now", []string{"time.Now"}},
		{"clock is handed in", "bare", "internal/store", "a.go", "package p\nimport . \"time\"\nvar now = Now()", []string{"time.Now"}},
		{"clock is handed in", "with a reason", "internal/store", "a.go",
			"package p\nimport \"time\"\n//house:clock the log is in wall time\nvar now = time.Now()", nil},
		{"clock is handed in", "reason too far", "internal/store", "a.go",
			"package p\nimport \"time\"\n//house:clock the log is in wall time\n\nvar now = time.Now()", []string{":5"}},
		{"clock is handed in", "app", "internal/app", "a.go", "package p\nimport \"time\"\nvar now = time.Now()", nil},
		{"clock is handed in", "outside internal", "client", "a.go", "package p\nimport \"time\"\nvar now = time.Now()", nil},
		{"clock is handed in", "a test", "internal/store", "a_test.go", "package p\nimport \"time\"\nvar now = time.Now()", nil},
		{"clock is handed in", "another time", "internal/store", "a.go", "package p\nimport \"x/time\"\nvar now = time.Now()", nil},

		{"clock exceptions have a reason", "none", "internal/store", "a.go",
			"package p\nimport \"time\"\n//house:clock\nvar now = time.Now()", []string{"needs a reason"}},
		{"clock exceptions have a reason", "stale", "internal/store", "a.go",
			"package p\n//house:clock the log is in wall time\nvar now = 1", []string{"above no use"}},
		{"clock exceptions have a reason", "good", "internal/store", "a.go",
			"package p\nimport \"time\"\n//house:clock the log is in wall time\nvar now = time.Now()", nil},

		{"tests do not sleep", "test", "client", "a_test.go", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", []string{"client/a_test.go:3"}},
		{"tests do not sleep", "code", "client", "a.go", "package p\nimport \"time\"\nfunc f() { time.Sleep(1) }", nil},

		{"packages say what they do", "name", "internal/money", "a.go", "package types", []string{"package types"}},
		{"packages say what they do", "path", "internal/util", "a.go", "package money", []string{"internal/util"}},
		{"packages say what they do", "good", "internal/money", "a.go", "package money", nil},

		{"SQL is where data is kept", "each statement", "internal/service", "a.go",
			"package p\nvar a = []string{`\n\tSELECT 1`, \"INSERT INTO t\", \"UPDATE t\", \"DELETE FROM t\"," +
				"\n\"WITH a AS (SELECT 1)\"}", []string{":2", ":3", ":3", ":3", ":4"}},
		{"SQL is where data is kept", "words", "internal/service", "a.go",
			"package p\nvar a = []string{\"UPDATE\", \"update the account\", \"SELECTED x\"}", nil},
		{"SQL is where data is kept", "store", "internal/store", "a.go", "package p\nvar a = `SELECT 1`", nil},
		{"SQL is where data is kept", "outbox", "internal/delivery/outbox", "a.go", "package p\nvar a = `SELECT 1`", nil},
		{"SQL is where data is kept", "worker", "internal/delivery/worker", "a.go", "package p\nvar a = `SELECT 1`", []string{":2"}},
		{"SQL is where data is kept", "engine", "internal/store/db", "a.go", "package p\nvar a = `SELECT 1`", nil},
		{"SQL is where data is kept", "bench", "internal/bench", "a.go", "package p\nvar a = `SELECT 1`", nil},
		{"SQL is where data is kept", "receivers", "client/webhook", "a.go", "package p\nvar a = `SELECT 1`", nil},
		{"SQL is where data is kept", "client", "client", "a.go", "package p\nvar a = `SELECT 1`", []string{":2"}},
		{"SQL is where data is kept", "test", "internal/service", "a_test.go", "package p\nvar a = `SELECT 1`", nil},

		{"hand-written files stay small", "long", "internal/store", "a.go", long, []string{"451 lines"}},
		{"hand-written files stay small", "just fits", "internal/store", "a.go", long[:len(long)-1], nil},
		{"hand-written files stay small", "generated", "internal/store", "a.go", "// Code generated by x. DO NOT EDIT.\n\n" + long, nil},
		{"hand-written files stay small", "gen", "internal/graphql/gen", "a.go", long, nil},
		{"hand-written files stay small", "test", "internal/store", "a_test.go", long, nil},
	} {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			check, ok := houseRules[c.rule]
			if !ok {
				t.Fatalf("there is no rule %q", c.rule)
			}
			wantProblems(t, check(fixture(t, c.dir, c.file, c.source)), c.problems...)
		})
		seenToFail[c.rule] = seenToFail[c.rule] || len(c.problems) > 0
	}
	for rule := range houseRules {
		if !seenToFail[rule] {
			t.Errorf("no fixture breaks the rule %q: it may be one that cannot fail", rule)
		}
	}
}

// TestModuleIsRead proves that the rules see the real files: this test's own
// package, its tests, and none of another module.
func TestModuleIsRead(t *testing.T) {
	pkgs := loadModule(t)
	i := slices.IndexFunc(pkgs, func(p goPackage) bool { return p.path == modulePath })
	if i < 0 {
		t.Fatalf("go list does not show %s", modulePath)
	}
	var tests int
	for _, file := range pkgs[i].files {
		if file.test {
			tests++
		}
	}
	if tests < 3 || len(pkgs[i].code()) != 1 {
		t.Errorf("the root has %d tests and %d other files, want at least 3 and doc.go", tests, len(pkgs[i].code()))
	}
	for _, pkg := range pkgs {
		if pkg.path != modulePath && !strings.HasPrefix(pkg.path, modulePath+"/") {
			t.Errorf("%s is not of this module", pkg.path)
		}
	}
}
