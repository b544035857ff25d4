/**
 * The stable codes of errors. A sentence may be said better in a later version; its code stays, so that programs look
 * at the code. This table is the one place for them: `docs/reference/errors.md` is made from it, and a test holds that
 * each code is used.
 */

/** What the reference says of a code. */
export interface ErrorNote {
  /** What has happened. */
  readonly when: string;
  /** What to do next. */
  readonly remedy: string;
}

/** The codes by what they are about, in the order of the reference. */
export const ERROR_GROUPS = {
  'Command lines and configuration': {
    'usage-invalid': {
      when: 'A command line cannot be understood, or options exclude each other.',
      remedy: 'Read the sentence, and `--help` of the program.',
    },
    'config-unreadable': {
      when: 'A configuration file is no YAML, no mapping, or includes itself without end.',
      remedy: 'Mend the file that the sentence names, at its line.',
    },
    'config-invalid': {
      when: 'An option of the configuration has a value that it cannot have.',
      remedy:
        'Set the option that the sentence names to one of its values; see [configuration.md](configuration.md).',
    },
    'config-option-unserved': {
      when: 'The configuration asks for what is not served and would be missed; nothing was started.',
      remedy: 'Take the options out that the sentence lists, or stay with Salt for what they do.',
    },
    'not-permitted': {
      when: 'The user who runs the program may not use a file or folder that it needs.',
      remedy: 'Run it as the user that the sentence names, or give this one the right.',
    },
    'output-file-not-writable': {
      when: 'The file of `--out-file` cannot be written.',
      remedy: 'Give a path in a folder that exists and that this user may write to.',
    },
  },
  'Starting a daemon': {
    'minion-not-proven': {
      when: '`salt-minion --prove` found that a minion of this version does not work on this machine.',
      remedy: 'Mend what the sentence names, or stay with the version that runs.',
    },
    'user-not-found': {
      when: 'The account of the option `user` does not exist on this machine, or no account has the uid of the process.',
      remedy: 'Create the account, or name another one.',
    },
    'user-not-switchable': {
      when: 'The daemon is to run as another account and was not started by root.',
      remedy: 'Start it as root or as that account.',
    },
    'program-not-readable': {
      when: 'The program is to run as another account, which cannot read it: it lies below a folder that is closed to that account, such as `/root`.',
      remedy: 'Install it where the account can read it, or name another account in `user`.',
    },
    'folder-not-usable': {
      when: 'A folder or file that the daemon needs cannot be made.',
      remedy: 'Give the account of the daemon the folder that the sentence names.',
    },
    'address-not-listenable': {
      when: 'A port or socket cannot be listened on: another process has it, or it needs other rights.',
      remedy: 'End the process that has it (`ss -ltnp`), or set another port.',
    },
    'already-running': {
      when: 'The same daemon runs already with this pid file.',
      remedy: 'Stop it first, or give this one a `pidfile` of its own.',
    },
    'part-not-started': {
      when: 'A part of the master ended before it was ready.',
      remedy: 'Read what it said above in the log, and start the master again.',
    },
    'engine-not-started': {
      when: "An engine or a process of one's own cannot work as it is configured.",
      remedy:
        'Mend its options in `engines` or `ext_processes` as the sentence says, and restart the daemon.',
    },
    'open-files-too-few': {
      when: 'The process may not have as many open files as it needs.',
      remedy: 'Allow more: `ulimit -n`, or `LimitNOFILE=` of the unit.',
    },
  },
  Keys: {
    'key-unusable': {
      when: 'A private key cannot be read, or is none.',
      remedy: 'Restore the file that the sentence names, or remove the pair to have a new one made.',
    },
    'key-store-full': {
      when: 'There are as many waiting keys as the master keeps.',
      remedy: 'Accept, reject or delete some with `salt-key`.',
    },
    'key-rejected': {
      when: 'The master has rejected the key of this minion.',
      remedy:
        'Accept it on the master (`salt-key -a ID --include-rejected`), or remove the pair of the minion.',
    },
    'key-pending': {
      when: 'The key of this minion waits on the master to be accepted.',
      remedy: 'Accept it there: `salt-key -a ID`.',
    },
    'master-full': {
      when: 'The master has as many minions as `max_minions` allows.',
      remedy: 'Raise `max_minions` on the master, or give the minion another master.',
    },
    'master-fingerprint-wrong': {
      when: 'The key of the master is not the one of `master_finger`.',
      remedy: 'Compare with `salt-key -F master` there: it is another master, or its key has changed.',
    },
  },
  Connections: {
    'not-reachable': {
      when: 'The other side is not there, cannot be resolved, or did not answer in time.',
      remedy: 'Look whether it runs and whether its port can be reached from here.',
    },
    'master-not-reachable': {
      when: 'A local program finds no running master.',
      remedy: 'Start salt-master, or name its configuration with `-c`.',
    },
    'master-not-responding': {
      when: 'The master runs and has not answered in time.',
      remedy: 'Look at its load and its log; `--async` waits for less.',
    },
    'authentication-failed': {
      when: 'The other side answered and is not who it claims to be, or speaks another version.',
      remedy: 'Read the sentence; a new key of the master has to be made known to its minions.',
    },
    'message-invalid': {
      when: 'Two of our own processes do not understand each other.',
      remedy: 'Restart the master or minion: a part of another version runs.',
    },
    'database-not-reachable': {
      when: 'A database that keeps jobs or returns does not answer.',
      remedy: 'Look whether it runs, and at the options of its returner.',
    },
  },
  'Publishing and targets': {
    'not-authorised': {
      when: 'The master does not know the user, or does not allow him this.',
      remedy: 'Allow it in `publisher_acl`, or run it as another user.',
    },
    'master-failed': {
      when: 'The master failed itself at a request that it took.',
      remedy: 'Look at its log, which says why.',
    },
    'publication-refused': {
      when: 'The master took the request and published no job.',
      remedy: 'Read the sentence, which is the master’s.',
    },
    'target-invalid': {
      when: 'A target cannot be understood.',
      remedy: 'Mend it at the place that the sentence names; see `salt --help` for the kinds of targets.',
    },
    'target-without-minions': {
      when: 'A target matches no minion; nothing was published.',
      remedy: 'Look at `salt-key -L`, or try it with `--preview-target`.',
    },
  },
  'What became of a minion of a job': {
    'minion-failed': {
      when: 'The minion returned that the function failed.',
      remedy: 'Read its return.',
    },
    'minion-no-response': {
      when: 'The job was published, and there was no sign of the minion since.',
      remedy: 'Look whether the minion runs and has a connection to the master.',
    },
    'minion-still-running': {
      when: 'The minion has the job and may still work on it.',
      remedy: 'Wait with a longer `-t`, or look later: `salt-run jobs.lookup_jid JID`.',
    },
    'minion-never-received': {
      when: 'The minion was away, or has not taken the job.',
      remedy: 'Run the command again when the minion is back.',
    },
    'minion-connection-lost': {
      when: 'The connection of the minion was lost while the job was under way.',
      remedy: 'Its return comes when it is back: `salt-run jobs.lookup_jid JID`.',
    },
    'minion-key-not-accepted': {
      when: 'The key of the minion is waiting, denied or rejected.',
      remedy: 'Look at it: `salt-key -f ID`.',
    },
    'minion-not-known': {
      when: 'The master has no key of this name.',
      remedy: 'Look at the names: `salt-key -L`.',
    },
    'minion-not-here-yet': {
      when: 'The key is accepted, but the minion has not been here since.',
      remedy: 'Run the command again when it has come, within its `acceptance_wait_time`.',
    },
    'minion-job-refused': {
      when: 'The master beside a syndic did not take the job.',
      remedy: 'Read the reason, and look at the log of the syndic.',
    },
  },
  'Functions, states and templates': {
    'function-failed': {
      when: 'A function ran and could not do its work.',
      remedy: 'Read the sentence, which is the function’s.',
    },
    'function-not-found': {
      when: 'There is no function of this name.',
      remedy: 'Look at the names with `sys.list_functions`, or `salt-run -d`.',
    },
    'function-call-invalid': {
      when: 'A function was called in a way that it does not understand.',
      remedy: 'Look at its documentation: `salt-call sys.doc NAME`.',
    },
    'arguments-invalid': {
      when: 'Arguments are missing, too many or of unknown names.',
      remedy: 'Look at the parameters of the function: `salt-call sys.argspec NAME`.',
    },
    'command-not-found': {
      when: 'A program of the operating system is missing.',
      remedy: 'Install the program that the sentence names.',
    },
    'own-module-failed': {
      when: 'A module of the user’s own threw, or ended its process.',
      remedy: 'Mend the file at the place that the sentence names.',
    },
    'git-failed': {
      when: 'The system’s git could not do what a repository of the configuration needs.',
      remedy: 'Read git’s own words behind it; `git ls-remote ADDRESS` as the same user shows more.',
    },
    'object-store-failed': {
      when: 'A bucket of the configuration could not be read.',
      remedy: 'Read what the service answered; check the keys, the location and the name of the bucket.',
    },
    'remote-client-failed': {
      when: 'The system’s hg or svn could not do what a remote of the configuration needs.',
      remedy:
        'Read its own words behind it; `hg identify ADDRESS` or `svn info ADDRESS` as the same user shows more.',
    },
    'render-failed': {
      when: 'A file of states, pillar or a top file cannot be rendered.',
      remedy: 'Mend the file at the place that the sentence names.',
    },
    'top-data-failed': {
      when: 'A source of `master_tops` could not be had, and no highstate goes on without it.',
      remedy:
        'The sentence names the source and its reason; ask the source by hand, with the id of the minion.',
    },
    'template-failed': {
      when: 'A template cannot be rendered.',
      remedy: 'Mend it at its line; `slsutil.renderer` renders one file.',
    },
    'yaml-invalid': {
      when: 'A text is no YAML.',
      remedy: 'Mend it at the line and column that the sentence names.',
    },
    'pillar-top-invalid': {
      when: 'The top file of the pillar is not made as it has to be.',
      remedy: 'Mend the entry that the sentence names.',
    },
    'pillar-invalid': {
      when: 'The master gave no usable pillar.',
      remedy: 'Read the log of the master, which says what failed.',
    },
    'pattern-invalid': {
      when: 'A regular expression is none.',
      remedy: 'Mend it at the place that the sentence names.',
    },
    'pattern-too-costly': {
      when: 'A regular expression takes too many steps on a text.',
      remedy: 'Make its repetitions less ambiguous.',
    },
    'query-invalid': {
      when: 'A JMESPath expression is none.',
      remedy: 'Mend the expression.',
    },
  },
  'Files and documents': {
    'disk-refuses': {
      when: 'The disk does not take what was written, so nothing of it was acknowledged.',
      remedy: 'See what the kernel says of the disk that the sentence names (`dmesg`), and make room on it.',
    },
    'path-unsafe': {
      when: 'A path that came from outside would leave its folder.',
      remedy: 'Take `..` and absolute paths out of the name.',
    },
    'file-not-fetched': {
      when: 'A file cannot be brought here from the file server or a URL.',
      remedy: 'Look whether it is there: `cp.list_master`.',
    },
    'source-not-readable': {
      when: 'A file that `salt-cp` is to copy cannot be read.',
      remedy: 'Give a path that exists and that this user may read.',
    },
    'archive-invalid': {
      when: 'A zip archive is damaged or uses what is not served.',
      remedy: 'Fetch or make the archive anew.',
    },
    'python-unavailable': {
      when: 'A module in Python cannot be run: there is no interpreter, or its process has ended.',
      remedy: 'Install Python 3.8 or newer, or name an interpreter with `python_executable`.',
    },
    'xml-invalid': { when: 'A text is no XML.', remedy: 'Look at what the server sent.' },
    'sdb-failed': {
      when: 'A value behind an address `sdb://…` cannot be read or written.',
      remedy: 'Look at the profile that the sentence names, and at what it says of the store.',
    },
    'vault-failed': {
      when: 'Vault could not be asked, or did not do what it was asked for.',
      remedy: 'Look at the option `vault`, and at what the policy of its token allows.',
    },
    'queue-failed': {
      when: 'A queue cannot be used as asked: its name, an item, its file or its table.',
      remedy: 'Do what the sentence says; no item was lost.',
    },
    'http-failed': {
      when: 'A request over HTTP got no answer.',
      remedy: 'Look at the address, the certificate and the proxy.',
    },
  },
  'Taking over from Salt': {
    'takeover-refused': {
      when: 'A takeover, or the way back, was not begun; nothing was changed.',
      remedy: 'Do what the sentence says, and call it again.',
    },
    'takeover-failed': {
      when: 'A takeover, or the way back, did not come to its end.',
      remedy:
        'Read which daemons run, mend what the sentence names, and call `brine takeover` or `brine takeover --back` again: both go on where it stopped.',
    },
  },
  'Everything else': {
    failed: { when: 'Something failed that has no code of its own.', remedy: 'Read the sentence.' },
    'unexpected-error': {
      when: 'A fault of Brine itself (exit code 70).',
      remedy: 'Run it again with `-l debug`, and report what it shows.',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ErrorNote>>>>;

type CodesOf<G> = G extends unknown ? keyof G : never;

/** A stable code. */
export type ErrorCode = CodesOf<(typeof ERROR_GROUPS)[keyof typeof ERROR_GROUPS]>;
