"""When messages arrived, as the kernel or a process beside the server noted it."""
