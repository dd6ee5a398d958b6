"""Remove the directories that no file was made in: cookiecutter makes them all, and leaves out files without a name."""

import os


def prune(directory):
    for place, _, _ in os.walk(directory, topdown=False):
        if not os.listdir(place):
            os.rmdir(place)


if __name__ == "__main__":
    prune(".")
