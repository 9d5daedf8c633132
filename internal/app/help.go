package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// asksForHelp says whether a word in the place of a command asks for help.
func asksForHelp(word string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, word)
}

// help lists the commands, or describes the command or group that is named.
func help(ctx context.Context, p Process, args []string) error {
	args = slices.DeleteFunc(slices.Clone(args), func(word string) bool { return strings.HasPrefix(word, "-") && asksForHelp(word) })
	if len(args) == 0 {
		return helpAll(p.Stdout)
	}
	if helpGroup(p.Stdout, strings.Join(args, " ")) {
		return nil
	}
	if args[0] == "help" {
		newFlags(p, "help").help()
		return nil
	}
	p.Args = append(args, "--help")
	return dispatch(ctx, p)
}

func helpAll(out io.Writer) error {
	fmt.Fprint(out, "Tenantry keeps every tenant of your application in sync with its subscription.\n\nCommands:\n")
	listCommands(out, commands())
	fmt.Fprint(out, "\nRun \"tenantry help COMMAND\" for what a command does, its flags and an example. Every flag can also be set\n"+
		"by a variable: --base-url is TENANTRY_BASE_URL. A flag wins over its variable.\n")
	return nil
}

func listCommands(out io.Writer, list []command) {
	for _, c := range list {
		fmt.Fprintf(out, "  %-30s %s\n", strings.TrimSpace(c.name+" "+c.arguments), c.summary)
	}
}

// membersOf are the commands of a group.
func membersOf(group string) []command {
	return slices.DeleteFunc(commands(), func(c command) bool { return !strings.HasPrefix(c.name, group+" ") })
}

// helpGroup describes a group and lists its commands, and reports whether there
// is one of that name.
func helpGroup(out io.Writer, name string) bool {
	for _, g := range groups {
		if g.name != name {
			continue
		}
		fmt.Fprintf(out, "tenantry %s COMMAND\n\n%s\n\nCommands:\n", g.name, g.about)
		listCommands(out, membersOf(g.name))
		fmt.Fprintf(out, "\nRun \"tenantry help %s COMMAND\" for what a command does, its flags and an example.\n", g.name)
		return true
	}
	return false
}

// inGroup answers the first word of a group that no command of it follows: with
// help if that is asked for.
func inGroup(p Process) error {
	name, rest := p.Args[0], p.Args[1:]
	members := membersOf(name)
	if len(members) == 0 {
		return usage("there is no command %q; run \"tenantry help\" for the commands", name)
	}
	if len(rest) > 0 && asksForHelp(rest[0]) {
		helpGroup(p.Stdout, name)
		return nil
	}
	var words []string
	for _, c := range members {
		words = append(words, strings.TrimPrefix(c.name, name+" "))
	}
	return usage("the %s command needs one of: %s; run \"tenantry help %s\" for what they do", name, strings.Join(words, ", "), name)
}
