"""Language models as players."""
