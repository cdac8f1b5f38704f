"""What a person sees: boards, live views, charts and reports."""
