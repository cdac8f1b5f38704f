"""The API's schemas: what the store reads and the web shows, as data.

Names are the API's: a struct here is a JSON object there, and the OpenAPI document is made of
them. No token, secret or address is among them. Times are RFC 3339 in UTC; everything ``_ms`` is
milliseconds; ratings are Elo.
"""
