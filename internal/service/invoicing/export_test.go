package invoicing

import "context"

// VerifyBatch is how many documents are verified together.
const VerifyBatch = verifyBatch

// InOrder does jobs ahead.
var InOrder = inOrder[int]

// ClaimAndAsk sends requests, and forgets their answers.
func (s *Service) ClaimAndAsk(ctx context.Context) error {
	questions, err := s.claim(ctx, 10)
	for _, q := range questions {
		s.ask(ctx, q)
	}
	return err
}
