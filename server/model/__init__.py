"""The data of the server: matches, standings, journal entries, events, API schemas; pure.

Times of day are text: RFC 3339, in UTC.
"""
