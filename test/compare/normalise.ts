/** What is left of a command's output when everything that differs from run to run is taken away. */
import type { Finished } from '../support/fleet.ts';

/** Output that can be compared. */
export interface Comparable {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of one line of the table. */
export interface NormaliseOptions {
  /** Folder of the fleet. */
  readonly folder: string;
  /** Compare only lines that match. */
  readonly only?: string;
  /** Compare lines whatever their order. */
  readonly sortLines?: boolean;
}

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\b20\d{18}\b/g, '<JID>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?/g, '<TIME>'],
  [/\b\d{4}, [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.\d+/g, '<TIME>'],
  [/(\bpid['"]?:\s+)\d+/g, '$1<PID>'],
  [/\b(2[0-9]{4})\b/g, '<PORT>'],
];

/** Lines that begin what one minion, or one document, says. */
const CHUNK_START = /^(?:web1|web2|db1)\b|^\{|^- (?:web1|web2|db1)$/;

/** Takes ids, times, process ids, folders and the order of minions away. */
export function normalise(finished: Finished, options: NormaliseOptions): Comparable {
  return {
    code: finished.code,
    stdout: text(finished.stdout, options),
    // our hints are additions that docs/reference/commands.md lists
    stderr: text(
      finished.stderr.replace(/^(?:Hint:|ERROR: The target cannot be understood:) .*\n/gm, ''),
      options,
    ),
  };
}

function text(raw: string, { folder, only, sortLines }: NormaliseOptions): string {
  let out = raw.replaceAll(folder, '<DIR>');
  for (const [pattern, replacement] of REPLACEMENTS) out = out.replace(pattern, replacement);
  let lines = out.split('\n');
  if (only !== undefined) lines = lines.filter((line) => new RegExp(only).test(line));
  if (sortLines) return lines.sort().join('\n');
  return sortChunks(lines.join('\n'));
}

/** The summary, which follows what the minions say. */
const SUMMARY = /\n\n\n-{43}\nSummary\n[\s\S]*$/;

/** Sorts what minions say, where they say it one after the other. */
function sortChunks(whole: string): string {
  const tail = SUMMARY.exec(whole)?.[0] ?? /\n*$/.exec(whole)?.[0] ?? '';
  const chunks: string[][] = [];
  for (const line of whole.slice(0, whole.length - tail.length).split('\n')) {
    if (CHUNK_START.test(line) || chunks.length === 0) chunks.push([line]);
    else chunks.at(-1)?.push(line);
  }
  const isMinion = (chunk: string[]): boolean => CHUNK_START.test(chunk[0] ?? '');
  const text = (chunk: string[]): string => chunk.join('\n');
  const head = chunks.filter((chunk) => !isMinion(chunk)).map(text);
  return [...head, ...chunks.filter(isMinion).map(text).sort()].join('\n') + tail;
}
