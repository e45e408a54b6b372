"""What decode_side.py and network_side.py are told: which runtime, its model and how many threads."""
import argparse


def parser(about, sides):
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("side", choices=sides)
    made.add_argument("model")
    made.add_argument("--threads", type=int, default=1)
    return made
