"""What stores that keep rows in tables share: how values are written in them."""
