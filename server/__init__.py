"""The match server's shell: seats, lobby, tables, store and publisher."""
