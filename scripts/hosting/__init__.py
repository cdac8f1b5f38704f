"""Programs of others on a server: handed in, built, checked and run in the sandbox."""
