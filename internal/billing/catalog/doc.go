// Package catalog defines what the operator sells: products, their features,
// plans, price lists and charges, and what a price list costs in words.
package catalog
