"""The match server: its parts with everything under the thumb, and the whole over sockets."""
