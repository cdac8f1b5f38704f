"""Questions that read several tables: for the API, for operators, and for the morning."""
