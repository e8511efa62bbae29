"""What rules draw from conversations: pairs of statements, ordinary chats, and half a year of one person."""
