// Package admission decides which requests run, which wait and which are
// refused: a Gate limits how many run at once, Budgets limit what each caller may
// use in a minute, and Limit limits the number of connections.
//
// It has no HTTP handlers: the API and the console ask it and write the refusals.
// Its state is per process; each replica has gates and budgets of its own.
package admission
