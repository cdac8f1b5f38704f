"""Events under way: rounds, absences, results; may know a match, but not who else is online."""
