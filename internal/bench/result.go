package main

// result is one line of the table: what was measured, what it is held against,
// and how far apart they may be.
type result struct {
	Name     string  `json:"name"`
	Engine   string  `json:"engine"`
	Unit     string  `json:"unit"`
	Measured float64 `json:"measured"`
	Against  float64 `json:"against"`
	Ratio    float64 `json:"ratio"`
	// AtLeast and AtMost bound the ratio; 0 is no bound.
	AtLeast float64 `json:"atLeast,omitempty"`
	AtMost  float64 `json:"atMost,omitempty"`
}

func (r result) ok() bool {
	return (r.AtLeast == 0 || r.Ratio >= r.AtLeast) && (r.AtMost == 0 || r.Ratio <= r.AtMost)
}

func (r result) atLeast(floor float64) result {
	r.AtLeast = floor
	return r
}

func (r result) atMost(ceiling float64) result {
	r.AtMost = ceiling
	return r
}
