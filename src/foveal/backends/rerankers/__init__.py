"""What ranks the best candidates once more, by reading question and text together."""
