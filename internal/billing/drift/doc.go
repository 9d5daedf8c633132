// Package drift compares what an application says it has with what it was told: it
// reads reports, judges each tenant in them, and decides what is repaired.
package drift
