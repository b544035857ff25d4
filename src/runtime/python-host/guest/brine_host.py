"""The Python process of Brine: loads a site's own modules and runs their functions, for the program at descriptor 3.

The arguments are the most memory in bytes, 0 for no limit, the folder in which compiled files of Brine are kept, empty for none, and `prints` where standard
output is for what modules print. What is read by the oldest Python there is stands before the look at its version.
"""

import os
import sys

# what the program is told by: see python-end.ts
TOO_OLD = 87


def main():
    # nothing is written beside this program
    sys.dont_write_bytecode, written = True, sys.dont_write_bytecode
    import brine_own

    sys.dont_write_bytecode = written
    brine_own.reach(sys.argv[2] if len(sys.argv) > 2 else "")
    from brine_guest import memory
    from brine_guest.serve import serve

    memory.limit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    serve(3, 4, "prints" in sys.argv[3:])


if __name__ == "__main__":
    if sys.version_info < (3, 8):
        os._exit(TOO_OLD)
    main()
