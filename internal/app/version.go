package app

import (
	"context"
	"fmt"
	"runtime"
)

// version is set when a release is built.
var version = "dev"

func printVersion(_ context.Context, p Process, args []string) error {
	if _, err := newFlags(p, "version").parse(args); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "tenantry %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
