package service_test

import (
	"os"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestMain also plays the process that some tests kill: the test binary starts
// itself with a role in its environment.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	storetest.Main(m)
}
