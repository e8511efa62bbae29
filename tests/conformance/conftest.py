"""What `make conformance` runs in environments of its own is not collected here."""

collect_ignore = ["suites", "offline"]
