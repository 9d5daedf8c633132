// Package admission decides which requests run now, which wait and which are
// refused: a Gate bounds how many run at once, Budgets what each caller may take
// in a minute, Attempts how often credentials are tried, and Limit how many
// connections there are.
//
// It owns no door: the doors ask it, and word the refusals. What it knows is of
// this process alone; each replica has gates and budgets of its own.
package admission
