package invoicing

// VerifyBatch is how many documents are verified together.
const VerifyBatch = verifyBatch

// InOrder does jobs ahead.
var InOrder = inOrder[int]
