"""The Python process of Brine: loads a site's own modules and runs their functions, for the program at descriptor 3."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    if len(sys.argv) > 1:
        limit_memory(int(sys.argv[1]))
    # a module's folder must not hide the standard library, and ours must not stand before the site's packages
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    sys.path.append(HERE)
    # names of Salt for where no Salt is installed: the last place that is looked at
    sys.path.append(os.path.join(HERE, "names"))
    from brine_guest.serve import serve

    serve(3)


def limit_memory(most):
    """Limits the address space to `most` bytes; 0 for no limit."""
    if most == 0:
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    main()
