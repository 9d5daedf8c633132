package impact_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/service/servicetest"
)

func TestMain(m *testing.M) { servicetest.Main(m) }
