package billing

// The two ways of Changes, which give the same.
var JSONChanges, StructChanges = jsonChanges, structChanges
