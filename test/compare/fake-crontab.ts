/** A stand-in for the program `crontab`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATH = process.env['PATH'] ?? '';

/**
 * Stands in for `crontab`, so that nobody's table is touched: tables are files in the folder that FAKE_CRONTABS names.
 */
const CRONTAB = `#!/bin/sh
user=root
if [ "$1" = -u ]; then user=$2; shift 2; fi
table=$FAKE_CRONTABS/$user
if [ "$1" = -l ]; then cat "$table" 2>/dev/null || { echo "no crontab for $user" >&2; exit 1; }; exit; fi
grep -q BAD "$1" && { echo "errors in crontab file" >&2; exit 1; }
cp "$1" "$table"
`;

/** Puts the stand-in first in PATH, with its tables in a folder of a comparison. */
export function useFakeCrontab(folder: string): void {
  const bin = join(folder, 'bin');
  const tables = join(folder, 'tabs');
  mkdirSync(bin, { recursive: true });
  mkdirSync(tables, { recursive: true });
  writeFileSync(join(bin, 'crontab'), CRONTAB, { mode: 0o755 });
  process.env['FAKE_CRONTABS'] = tables;
  process.env['PATH'] = `${bin}:${PATH}`;
}
