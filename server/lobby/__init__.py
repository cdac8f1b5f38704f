"""Who is connected, what they ask for, and who watches."""
