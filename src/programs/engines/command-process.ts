/** A program of a site's own that runs beside the master for as long as it does (`ext_processes`). */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { startPiped } from '../../host/piped-process.ts';
import { splitWords } from '../../python/shell-words.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import type { Logger } from '../../host/log.ts';
import { defineEngine, EngineRefusal } from '../../plugins/shared/engine/engine.ts';

/** What of a line is written to the log. */
const LINE_CHARS_MAX = 4096;

/** Runs the program; what it prints goes to the log. It ends with it, and is started again by whoever starts it. */
export const commandProcess = defineEngine({
  name: 'command',
  doc: 'Runs a program beside the master.',
  params: {
    cmd: {
      doc: 'The program and its arguments: a list, or words as a shell takes them apart.',
      read: argvOf,
    },
  },
  start: async ({ log, signal }, { cmd }) => {
    if (cmd.length === 0) throw new EngineRefusal('cmd is empty');
    const child = await startPiped(cmd);
    const end = (): void => child.kill();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    await Promise.all([lines(child.stdout, log, 'info'), lines(child.stderr, log, 'warning')]);
    const how = await child.exited;
    if (!signal.aborted) throw new Error(`${cmd[0] as string} ended with ${how}`);
  },
});

function argvOf(value: Value): string[] {
  return Array.isArray(value) ? value.map(pyStr) : splitWords(pyStr(value));
}

async function lines(stream: Readable, log: Logger, level: 'info' | 'warning'): Promise<void> {
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity }))
    log[level](line.slice(0, LINE_CHARS_MAX));
}
