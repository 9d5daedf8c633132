package invoicing_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/tenantry/tenantry/internal/service/servicetest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(collectorDB); url != "" {
		fmt.Fprintln(os.Stderr, collectUntilKilled(url))
		os.Exit(1)
	}
	if url := os.Getenv(mailerDB); url != "" {
		fmt.Fprintln(os.Stderr, sendUntilKilled(url))
		os.Exit(1)
	}
	servicetest.Main(m)
}
