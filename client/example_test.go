package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/tenantry/tenantry/client"
	"github.com/tenantry/tenantry/internal/app"
)

// serveExample runs a server as tenantry serve does, until stop is called.
func serveExample() (baseURL string, stop func()) {
	folder, err := os.MkdirTemp("", "tenantry-example")
	if err != nil {
		log.Fatal(err)
	}
	output := &logbook{listening: make(chan string, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- app.Run(ctx, app.Process{
			Args: []string{"serve", "--listen", "127.0.0.1:0", "--db", "sqlite:" + folder + "/tenantry.db"},
			Env:  environment, Stdout: output, Stderr: output,
		})
	}()
	stop = func() {
		cancel()
		<-ended
		os.RemoveAll(folder)
	}
	select {
	case baseURL = <-output.listening:
	case <-ended:
		log.Fatal(output.text())
	}
	return baseURL, stop
}

func Example() {
	baseURL, stop := serveExample()
	defer stop()
	ctx := context.Background()

	c, err := client.New(baseURL, firstID, firstSecret, "standard:read", "standard:write")
	if err != nil {
		log.Fatal(err)
	}
	account, err := c.AccountCreate(ctx, client.AccountAttributes{Name: client.Some("Acme Inc"), Code: client.Some("acme")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name, *account.Code)

	for account, err := range c.AllAccounts(ctx, "acme") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("found", account.Name)
	}
	// Output:
	// Acme Inc acme
	// found Acme Inc
}

func ExampleUserErrors() {
	baseURL, stop := serveExample()
	defer stop()
	c, err := client.New(baseURL, firstID, firstSecret)
	if err != nil {
		log.Fatal(err)
	}

	_, err = c.AccountCreate(context.Background(), client.AccountAttributes{Code: client.Some("acme")})
	var refused client.UserErrors
	if errors.As(err, &refused) {
		fmt.Println(refused[0].Code, refused[0].Field, refused[0].Message)
	}
	// Output: REQUIRED [name] name must not be empty.
}

func ExampleClient_Do() {
	baseURL, stop := serveExample()
	defer stop()
	c, err := client.New(baseURL, firstID, firstSecret)
	if err != nil {
		log.Fatal(err)
	}

	var data struct {
		CurrentClient struct{ Scopes []string }
	}
	if err := c.Do(context.Background(), `{ currentClient { scopes } }`, nil, &data); err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.CurrentClient.Scopes)
	// Output: [standard:read standard:write]
}
