"""Programs of others on a server: handed in, checked by the robot and run in the sandbox."""
