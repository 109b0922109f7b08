"""`python -m podgrouper`: the same as the command `podgrouper`."""

from podgrouper.cli.main import main

main()
