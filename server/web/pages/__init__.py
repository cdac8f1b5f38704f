"""The pages and pictures that people see, made of the API's answers."""
