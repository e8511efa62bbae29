"""What agents do, from the event of this second to what was learned from it."""
