/** Calls of `cmd` that a real Salt 3008 has made (`test/compare/record-cmd.ts`), and the scripts that they name. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a call gave. */
export interface CmdOutcome {
  readonly return?: unknown;
  /** The job's return code, as the exit code of a program. */
  readonly exit?: number;
  /** The text of an error that is meant for users. */
  readonly error?: string;
  /** The name of any other exception. */
  readonly raised?: string;
}

/** One call; `{dir}` is the folder of the scripts, `{home}` the user's. */
export interface CmdVector {
  readonly fun: string;
  readonly args: unknown[];
  readonly kwargs: Record<string, unknown>;
  /** Only root can do this. */
  readonly root?: boolean;
  /** When another module calls. */
  readonly between?: CmdOutcome;
  /** When a job calls, where that is another outcome. */
  readonly job?: CmdOutcome;
  /** What ours does on purpose in place of that; `why` stands in the differences. */
  readonly ours?: { readonly between?: CmdOutcome; readonly job?: CmdOutcome; readonly why: string };
}

/** The file of the recordings. */
export const CMD_VECTORS = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules/cmd.json');

/** The recorded calls, with their placeholders. */
export function cmdVectors(): CmdVector[] {
  return JSON.parse(readFileSync(CMD_VECTORS, 'utf8')) as CmdVector[];
}

const SCRIPT = `#!/bin/sh
echo "n=$# 1=$1 2=$2"
id -un
pwd
ls -l "$0" | cut -c1-10
echo err >&2
exit 2
`;

/**
 * Writes the scripts into a folder: one that says what it got, one without an interpreter, one whose interpreter is not
 * there.
 */
export function writeCmdScripts(dir: string): void {
  writeFileSync(join(dir, 's.sh'), SCRIPT, { mode: 0o755 });
  writeFileSync(join(dir, 'nosb.sh'), 'echo nosb $1\n');
  chmodSync(join(dir, 'nosb.sh'), 0o755);
  writeFileSync(join(dir, 'bad.sh'), '#!/nosuch/interpreter\n', { mode: 0o755 });
  writeFileSync(join(dir, 'words.sh'), '#!/bin/sh\necho "$#"\nfor a in "$@"; do echo "[$a]"; done\n', {
    mode: 0o755,
  });
}

/** The names of what {@link writeCmdScripts} writes. */
export const CMD_SCRIPTS = ['bad.sh', 'nosb.sh', 's.sh', 'words.sh'];
