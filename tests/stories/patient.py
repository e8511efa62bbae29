"""The command line, for which a machine that is busy with other tests is no server that hangs."""

from datetime import timedelta

from foveal.backends import redis
from foveal.doors.cli import main
from foveal.doors.service import health

redis.PATIENCE = timedelta(seconds=30)
health.PATIENCE = timedelta(seconds=60)

if __name__ == "__main__":
    main()
