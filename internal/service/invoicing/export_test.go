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

// ClaimAskAndLearn sends requests, and records their answers together.
func (s *Service) ClaimAskAndLearn(ctx context.Context) error {
	questions, err := s.claim(ctx, 10)
	var all []news
	for _, q := range questions {
		a := s.ask(ctx, q)
		all = append(all, a.news())
	}
	if err != nil {
		return err
	}
	return s.learn(ctx, all)
}

// Checked does something for an account as a run does, and returns the account's problem.
func Checked(do func() error) error { return (&book{}).check(do) }
