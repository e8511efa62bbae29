"""What this machine gives, beside what it could give at best."""
