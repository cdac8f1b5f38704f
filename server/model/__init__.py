"""What a match, a journal entry and an API schema are: data only."""
