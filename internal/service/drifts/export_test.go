package drifts

// SetSweepBatch has tests look through few tenants at a time.
func SetSweepBatch(n int) { sweepBatch = n }
