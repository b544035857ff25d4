"""The Python process of Brine: loads a site's own modules and runs their functions, for the program at descriptor 3.

The arguments are the most memory in bytes, 0 for no limit, and `prints` where standard output is for what modules print. What is read by the oldest Python there is stands before the look at its version.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# what the program is told by: see python-end.ts
TOO_OLD = 87


def main():
    # a module's folder must not hide the standard library, and ours must not stand before the site's packages
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    sys.path.append(HERE)
    # names of Salt for where no Salt is installed: the last place that is looked at
    sys.path.append(os.path.join(HERE, "names"))
    from brine_guest import memory
    from brine_guest.serve import serve

    memory.limit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    serve(3, 4, "prints" in sys.argv[2:])


if __name__ == "__main__":
    if sys.version_info < (3, 8):
        os._exit(TOO_OLD)
    main()
