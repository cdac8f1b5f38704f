"""The wheel as it is installed: its contents, sizes, types and programs."""
