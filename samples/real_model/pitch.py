"""Says which pitch CREPE's output means: `python3 pitch.py OUTPUT.npy`. Standard library only."""
import array
import math
import re
import sys

NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


def main():
    data = open(sys.argv[1], "rb").read()
    header = 10 + int.from_bytes(data[8:10], "little")
    if not re.search(rb"'shape': \(1, 360,? ?\)", data[:header]):
        sys.exit(f"{sys.argv[1]}: expected a .npy file of shape [1, 360]")
    confidence = array.array("f", data[header:])
    best = max(range(360), key=confidence.__getitem__)
    near = range(max(best - 4, 0), min(best + 5, 360))  # the mean around the peak is finer than its 20 cents
    cents = sum(confidence[i] * (20 * i + 1997.3794084376191) for i in near) / sum(confidence[i] for i in near)
    hertz = 10 * 2 ** (cents / 1200)
    key = round(69 + 12 * math.log2(hertz / 440))
    print(f"{hertz:.0f} Hz, {NAMES[key % 12]}{key // 12 - 1}")


if __name__ == "__main__":
    main()
