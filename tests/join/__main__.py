"""The truth corpus: models whose right lines are known, exported in every way, scored against et-inspect. docs/join.md

    python tests/join --out DIR --et-run PATH --et-inspect PATH [--models NAME…] [--flows NAME…]

Needs a Python with torch, torchao and executorch. `score.py --reuse DIR` scores again without exporting again.
"""
import argparse
import logging
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402

import models  # noqa: F401,E402  fill the table
import networks  # noqa: F401,E402
import random_models  # noqa: E402
import score  # noqa: E402
from flows import FLOWS  # noqa: E402
from generate import generate  # noqa: E402
from model import MODELS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder of the corpus")
    parser.add_argument("--et-run", required=True)
    parser.add_argument("--et-inspect", required=True)
    parser.add_argument("--models", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--flows", nargs="*", choices=FLOWS, metavar="NAME", help="default: all")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N models composed by chance, and no others")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", action="store_true", help="each model through each flow, not only those it is meant for")
    parser.add_argument("--keep", action="store_true", help="leave the cases alone that are there")
    parser.add_argument("--again", action="store_true", help="only work out the truth of the cases that are there anew")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--markdown", help="write the tables here")
    parser.add_argument("--wrong", help="write the list of what is not right here")
    args = parser.parse_args()
    torch.set_num_threads(1)
    out = Path(args.out)
    names = random_models.load(out, args.random, args.seed) if args.random else args.models or list(MODELS)
    for name in set(names) - set(MODELS):
        parser.error(f"{name}: expected a model: {', '.join(MODELS)}")
    generate(out, args.et_run, names, args.flows or FLOWS, args)
    score.finish((args, score.score_all(out, args.et_inspect)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
