"""A match under way: the table, its queue, its deadline timer and its participants."""
