package app

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// flags reads flags, and for those that were not given their variables.
type flags struct {
	*flag.FlagSet
	env func(string) (string, bool)
	out io.Writer
}

func newFlags(p Process, name string) *flags {
	set := flag.NewFlagSet("tenantry "+name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // what is wrong is said once, by Run
	set.Usage = func() {}
	return &flags{set, p.Env, p.Stdout}
}

// help says what the command does, lists its flags and shows an example.
func (f *flags) help() {
	c := commandOf(strings.TrimPrefix(f.Name(), "tenantry "))
	fmt.Fprintf(f.out, "%s\n\n%s\n\nExample:\n", strings.TrimSpace(f.Name()+" "+c.arguments), c.about)
	for line := range strings.SplitSeq(c.example, "\n") {
		fmt.Fprintf(f.out, "  %s\n", line)
	}
	first, longest := true, 0
	f.VisitAll(func(one *flag.Flag) { longest = max(longest, len(one.Name)) })
	f.VisitAll(func(one *flag.Flag) {
		if first {
			fmt.Fprintf(f.out, "\nFlags of %s:\n", f.Name())
		}
		first = false
		fmt.Fprintf(f.out, "  --%-*s %s", longest, one.Name, one.Usage)
		if one.DefValue != "" {
			fmt.Fprintf(f.out, " (default %s)", one.DefValue)
		}
		fmt.Fprintf(f.out, " [%s]\n", variable(one.Name))
	})
	if more := membersOf(c.name); len(more) > 0 {
		fmt.Fprintf(f.out, "\nMore commands:\n")
		listCommands(f.out, more)
	}
}

func variable(flagName string) string {
	return "TENANTRY_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// parse reads the arguments. Positional arguments may stand before or after
// flags; there must be as many as names, of which one in brackets may be
// missing, and one with dots may be several.
func (f *flags) parse(args []string, names ...string) ([]string, error) {
	var positional []string
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			f.help()
			return nil, err
		}
		if err != nil {
			return nil, f.wrong(err, names)
		}
		rest := f.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			positional = append(positional, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		positional = append(positional, rest[0])
		args = rest[1:]
	}
	if len(positional) > most(names) || len(positional) < required(names) {
		return nil, usage("%s takes %s", f.Name(), describe(names))
	}
	return positional, f.fromEnvironment()
}

// required is how many arguments there must be at least.
func required(names []string) (n int) {
	for _, name := range names {
		if !strings.HasPrefix(name, "[") {
			n++
		}
	}
	return n
}

// most is how many arguments there can be.
func most(names []string) int {
	if len(names) > 0 && strings.Contains(names[len(names)-1], "...") {
		return math.MaxInt
	}
	return len(names)
}

func describe(names []string) string {
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, " ")
}

// twoDashes writes flags in messages of package flag as the documents do.
var twoDashes = strings.NewReplacer("defined: -", "defined: --", "argument: -", "argument: --",
	`" for flag -`, `" for flag --`, `" for -`, `" for --`)

func (f *flags) wrong(err error, names []string) error {
	hint := ""
	if len(names) > 0 && strings.Contains(err.Error(), "not defined") {
		hint = "; write -- before an argument that begins with -"
	}
	return usage("%s; run \"%s --help\" for the flags%s", twoDashes.Replace(err.Error()), f.Name(), hint)
}

// fromEnvironment sets the flags that were not given from their variables.
func (f *flags) fromEnvironment() error {
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	var wrong error
	f.VisitAll(func(one *flag.Flag) {
		value, set := f.env(variable(one.Name))
		if given[one.Name] || !set || value == "" || wrong != nil {
			return
		}
		if err := f.Set(one.Name, value); err != nil {
			wrong = usage("%s: %q is not a value for --%s: %s", variable(one.Name), value, one.Name, err)
		}
	})
	return wrong
}

// number is a flag that says what it wants.
type number int

func (n *number) String() string { return strconv.Itoa(int(*n)) }

// Set reads a whole number.
func (n *number) Set(text string) error {
	value, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("it must be a whole number")
	}
	*n = number(value)
	return nil
}

func (f *flags) number(name string, value int, about string) *number {
	n := number(value)
	f.Var(&n, name, about)
	return &n
}

// choice is a flag of yes or no that says what it wants.
type choice bool

func (c *choice) String() string { return strconv.FormatBool(bool(*c)) }

// IsBoolFlag lets the flag stand without a value.
func (c *choice) IsBoolFlag() bool { return true }

// Set reads true or false.
func (c *choice) Set(text string) error {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it must be true or false")
	}
	*c = choice(value)
	return nil
}

func (f *flags) choice(name, about string) *choice {
	var c choice
	f.Var(&c, name, about)
	return &c
}
