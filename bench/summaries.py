"""Which part of planted facts survives in a summary, beside keeping the beginning or the end."""

from __future__ import annotations

from bench.episodes import POSITIONS, answered, episode, truncated
from foveal.rules.summaries import summary

EPISODES = 96
ROOMS = (200, 400, 800, 1600)


def main() -> None:
    """Print the table."""
    episodes = [episode(seed, POSITIONS[seed % len(POSITIONS)]) for seed in range(EPISODES)]
    print(f"{EPISODES} conversations of {len(episodes[0].turns)} turns, one fact in each")
    print("characters  summary  beginning  end")
    for room in ROOMS:
        kept = (
            sum(answered(summary(one.turns, room), one.answer) for one in episodes),
            sum(answered(" ".join(one.turns)[:room], one.answer) for one in episodes),
            sum(answered(truncated(one.turns, room, len), one.answer) for one in episodes),
        )
        print(f"{room:>10}  " + "     ".join(f"{count / EPISODES:.2f}" for count in kept))


if __name__ == "__main__":
    main()
