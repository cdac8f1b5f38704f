"""A store or a part of it carried elsewhere: copies, archives, backups, and their digests."""
