// Command tenantry is a subscription billing service; run "tenantry help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tenantry/tenantry/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := app.Run(ctx, app.Process{Args: os.Args[1:], Env: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
