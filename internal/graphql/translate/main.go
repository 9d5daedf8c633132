// Command translate writes what is the same for every resource of the API.
//
// A type of the schema with a connection is a resource. Its rows are those of
// the table of the same name in package store, and its operations are those of
// the same name in package service. From these, "translate nodes" writes the ids
// and the types of package node before gqlgen runs, and "translate resolvers"
// writes the resolvers of package graphql and the functions that copy attributes
// afterwards. Whatever is written by hand in these packages is not generated, so
// to make something special, write it.
package main

import (
	"fmt"
	"os"
)

func main() {
	steps := map[string]func() error{"nodes": writeNodes, "resolvers": writeResolvers}
	if len(os.Args) != 2 || steps[os.Args[1]] == nil {
		fail(fmt.Errorf("say nodes or resolvers"))
	}
	if err := steps[os.Args[1]](); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "translate:", err)
	os.Exit(1)
}
