"""A chatbot whose user changes over the weeks: it is told what is true now, and keeps what was true before.

Run it with `python examples/facts_chatbot.py [memory.db]`. It needs no key and no network; put your model where the
comment says.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from foveal import Memory

SAID = [
    (datetime(2026, 3, 2, 9, tzinfo=UTC), "I live in Utrecht, and I can't stand coriander."),
    (datetime(2026, 3, 9, 9, tzinfo=UTC), "Please always answer in Dutch."),
    (datetime(2026, 5, 3, 18, tzinfo=UTC), "We moved to Zwolle."),
    (datetime(2026, 6, 1, 8, tzinfo=UTC), "Which restaurant is near me?"),
]


def main() -> None:
    """Chat for some weeks, and correct what the bot believes."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else "memory.db") as memory:
        ada = memory.view(actor_id="ada")
        for moment, message in SAID:
            profile = ada.profile(token_budget=400).text
            context = ada.read(message, token_budget=600).text
            # Send both to your model, as a system message before the user's.
            print(f"> {message}\n{profile or 'nothing is known yet'}\n({len(context)} characters of context)\n")
            for fact in ada.remember(message, occurred_at=moment).facts:
                print(f"  learned: {fact.verdict} {fact.attribute} = {fact.value}")
        [home] = [fact for fact in ada.facts() if fact.attribute == "home"]
        ada.correct(home.id, "wrong", value="Zwolle-Zuid")
        print(ada.profile(token_budget=400).text)


if __name__ == "__main__":
    main()
