package billing

// FeatureAccess says whether a tenant may use a feature, and why.
type FeatureAccess struct {
	Allowed  bool
	Quantity *int
	Value    string
	Reason   string
}
