"""What makes summaries beside the sentences themselves."""
