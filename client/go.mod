module github.com/tenantry/tenantry/client

go 1.23.0
