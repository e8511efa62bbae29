"""The metabolism: passes that move records from tier to tier, each a pure rule and one transaction a slice."""
