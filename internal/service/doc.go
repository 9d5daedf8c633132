// Package service holds the operations of Tenantry: what the API, the console
// and the commands all call. Each loads what it needs, lets package billing
// decide, and saves the outcome with its audit entry in one transaction.
//
// It owns transactions and who may see which failure; it knows neither HTTP
// nor GraphQL, and no SQL.
package service
