package console

import "testing"

func TestEveryPageFitsItsData(t *testing.T) {
	if _, err := loadViews(); err != nil {
		t.Fatal(err)
	}
}
