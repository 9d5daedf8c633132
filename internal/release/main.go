// Command release builds the release: the binary for every platform, each in an
// archive with its license, and their checksums. The same commit and the same
// version of Go produce the same bytes on any machine.
//
// It owns the list of platforms and the layout of the archives.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is a platform that the program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// release is what is to be built.
type release struct {
	root    string // of the source
	out     string
	version string
	// stamp is the time that every file in an archive has.
	stamp   time.Time
	targets []target
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	r := release{root: "."}
	set := flag.NewFlagSet("release", flag.ContinueOnError)
	set.StringVar(&r.out, "out", "dist", "the directory to write to; it must be empty or new")
	set.StringVar(&r.version, "version", "", "the version that the program says it is (required)")
	seconds := set.Int64("time", 0, "the time of the files in the archives, in seconds since 1970: that of the commit")
	only := set.String("only", "", "platforms such as linux/amd64,darwin/arm64, or native (default all)")
	if err := set.Parse(args); err != nil {
		return err
	}
	// Archives of zip begin in 1980.
	r.stamp = time.Unix(max(*seconds, time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()), 0).UTC()
	var err error
	if r.targets, err = chosen(*only); err != nil {
		return err
	}
	return r.make(ctx)
}

// chosen returns the platforms that somebody named, all if nobody did.
func chosen(names string) ([]target, error) {
	if names == "" {
		return targets, nil
	}
	var some []target
	for _, name := range strings.Split(names, ",") {
		if name == "native" {
			name = runtime.GOOS + "/" + runtime.GOARCH
		}
		at := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no release for %q; choose from %v", name, targets)
		}
		some = append(some, targets[at])
	}
	return some, nil
}
