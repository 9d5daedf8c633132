package tenantry_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/tenantry/tenantry"

// TestArchitecture holds the code to docs/architecture.md and the house rules.
func TestArchitecture(t *testing.T) {
	pkgs := loadModule(t)
	t.Run("imports", func(t *testing.T) {
		doc, err := os.ReadFile("docs/architecture.md")
		if err != nil {
			t.Fatal(err)
		}
		rules, problems := parseImportTable(string(doc))
		reportAll(t, problems)
		reportAll(t, checkTable(pkgs, rules))
		reportAll(t, checkImports(pkgs, rules))
	})
	for name, check := range houseRules {
		t.Run(name, func(t *testing.T) { reportAll(t, check(pkgs)) })
	}
}

// houseRules are the rules that need no table; each returns what breaks it.
var houseRules = map[string]func([]goPackage) []string{
	"billing is pure":                checkBillingPure,
	"client stands alone":            checkClientAlone,
	"clock is handed in":             checkClock,
	"tests do not sleep":             checkTestSleep,
	"packages say what they do":      checkPackageNames,
	"SQL is where data is kept":      checkSQL,
	"hand-written files stay small":  checkFileLength,
	"clock exceptions have a reason": checkClockReasons,
}

func reportAll(t *testing.T, problems []string) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
}

// goPackage is what the rules look at. Its short name is its path in the module
// without internal/, as in the table; the root package's is empty.
type goPackage struct {
	path, name string
	files      []goFile
}

type goFile struct {
	path  string // relative to the module
	fset  *token.FileSet
	ast   *ast.File
	lines int
	test  bool
}

func (p goPackage) short() string {
	inModule := strings.TrimPrefix(strings.TrimPrefix(p.path, modulePath), "/")
	return strings.TrimPrefix(inModule, "internal/")
}

// code returns the files that are not tests.
func (p goPackage) code() []goFile {
	return slices.DeleteFunc(slices.Clone(p.files), func(f goFile) bool { return f.test })
}

// below reports whether the package is dir or inside it, dir relative to the module.
func (p goPackage) below(dir string) bool {
	return p.path == modulePath+"/"+dir || strings.HasPrefix(p.path, modulePath+"/"+dir+"/")
}

// generated reports whether the package is free of the style rules.
func (p goPackage) generated() bool { return p.below("internal/graphql/gen") }

func (f goFile) line(node ast.Node) int { return f.fset.Position(node.Pos()).Line }

// loadModule reads every Go file of the module and of the library's that belongs
// to a package, also those for other systems.
func loadModule(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...", modulePath+"/client/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var listed struct {
			ImportPath, Name, Dir                                        string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		pkg := goPackage{path: listed.ImportPath, name: listed.Name}
		for _, name := range slices.Concat(listed.GoFiles, listed.CgoFiles, listed.IgnoredGoFiles, listed.TestGoFiles, listed.XTestGoFiles) {
			path := filepath.Join(listed.Dir, name)
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parseGoFile(relative, string(source))
			if err != nil {
				t.Fatal(err)
			}
			if belongs(file, listed.Name) {
				pkg.files = append(pkg.files, file)
			}
		}
		pkgs = append(pkgs, pkg)
	}
}

// belongs tells the files of a package from programs that only lie beside it
// and are switched off by a build tag.
func belongs(file goFile, pkg string) bool {
	return strings.TrimSuffix(file.ast.Name.Name, "_test") == pkg
}

func parseGoFile(path, source string) (goFile, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	return goFile{
		path:  filepath.ToSlash(path),
		fset:  fset,
		ast:   parsed,
		lines: strings.Count(source, "\n"),
		test:  strings.HasSuffix(path, "_test.go"),
	}, err
}
