"""What each action does and takes back, a module a subject; the operator carries it out."""
