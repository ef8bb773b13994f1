"""Does a language model reason with a redefined constant or unit, or fall back on what it memorised?

Data flows one way through the rooms: ``cases`` → ``respondents`` → ``grading`` → ``records`` → ``analysis`` →
``reporting``. A room imports only rooms before it; ``plugin`` holds the pytest hooks and calls the rooms.
"""

__version__ = "0.1.0"
