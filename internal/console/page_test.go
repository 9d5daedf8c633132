package console

import "testing"

func TestEveryPageFitsItsData(t *testing.T) {
	if _, err := pages.Load(templateFiles); err != nil {
		t.Fatal(err)
	}
}
