package graphql

//go:generate go run ./translate nodes
//go:generate go run ./generate
//go:generate go run ./translate resolvers
