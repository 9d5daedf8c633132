package graphql

//go:generate go run ./generate
