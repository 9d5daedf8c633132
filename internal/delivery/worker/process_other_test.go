//go:build !unix

package worker_test

// Where processes cannot be frozen, they just go on.
func (p *process) freeze() {}

func (p *process) thaw() {}
