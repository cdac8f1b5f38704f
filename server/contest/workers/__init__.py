"""Worker processes that play, watched by the process that started them."""
