/**
 * Programs that say again what the true ones once said to the same words, the first time, the second time and so on.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REPLAY = `#!/bin/sh
key=$(printf '%s\\037' "\${0##*/}" "$@" | sha1sum | cut -c1-40)
place="\${0%/*}/said/$key"
[ -e "$place.1" ] || { echo "not recorded: $0 $*" >&2; exit 99; }
n=$(cat "$place.n" 2>/dev/null || echo 0); n=$((n + 1))
[ -e "$place.$n" ] || n=$((n - 1))
echo "$n" > "$place.n"
cat "$place.$n.err" >&2
cat "$place.$n"
exit "$(cat "$place.$n.code")"
`;

/** What a program said. */
export interface RecordedRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly retcode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Writes the programs into a folder, which has to come first in `PATH`. */
export function writeReplay(folder: string, names: readonly string[], runs: readonly RecordedRun[]): void {
  mkdirSync(join(folder, 'said'), { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), REPLAY);
    chmodSync(join(folder, name), 0o755);
  }
  const times = new Map<string, number>();
  for (const { program, args, retcode, stdout, stderr } of runs) {
    const words = [program, ...args].map((word) => `${word}\x1f`).join('');
    const key = createHash('sha1').update(words).digest('hex');
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    const place = join(folder, 'said', `${key}.${time}`);
    writeFileSync(place, stdout);
    writeFileSync(`${place}.err`, stderr);
    writeFileSync(`${place}.code`, String(retcode));
  }
}
