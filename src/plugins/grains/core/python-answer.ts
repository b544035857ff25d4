/**
 * What a Python has said of itself, kept in `<cachedir>/python_grains.json`: to start one takes 60 ms, and half a
 * second where its name is that of a shim, which every start of a minion and every `salt-call` would pay. It is asked
 * anew when its file has changed, and once a day, since a shim may stand for another one meanwhile.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import { dict, isDict, toNumber, type Dict } from '../../../python/values/value.ts';
import type { GrainsContext } from './context.ts';

const FILE_NAME = 'python_grains.json';
const AGE_MAX_MS = 86_400_000;

/**
 * The answer of a program, asked only where the one that is kept is not that of this file, or is old.
 * @param program its path
 * @param ask starts it; undefined when it does not say
 */
export async function keptAnswer(
  ctx: GrainsContext,
  program: string,
  ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const folder = ctx.opts.get('cachedir');
  const file = fileMark(program);
  if (typeof folder !== 'string' || folder === '' || file === undefined) return ask();
  const path = join(folder, FILE_NAME);
  const kept = read(path);
  const ageMs = ctx.clock.nowMs() - (toNumber(kept.get('asked_ms') ?? null) ?? 0);
  const said = kept.get('said');
  if (kept.get('file') === file && ageMs >= 0 && ageMs < AGE_MAX_MS && typeof said === 'string') return said;
  const answer = await ask();
  if (answer !== undefined)
    keep(ctx, path, dict({ file, asked_ms: Math.floor(ctx.clock.nowMs()), said: answer }));
  return answer;
}

/** A text that changes with the program's file; undefined where there is none. */
function fileMark(program: string): string | undefined {
  const facts = statSync(program, { throwIfNoEntry: false });
  return facts?.isFile() ? `${program} ${facts.dev}:${facts.ino} ${facts.size} ${facts.mtimeMs}` : undefined;
}

function read(path: string): Dict {
  try {
    const kept = parseJson(readFileSync(path, 'utf8'));
    return isDict(kept) ? kept : new Map();
  } catch {
    return new Map(); // not there, or not whole: it is asked
  }
}

function keep({ log }: GrainsContext, path: string, answer: Dict): void {
  try {
    writeFileAtomic(path, `${toJson(answer)}\n`, { mode: 0o600 });
  } catch (error) {
    log.debug(`What Python says of itself cannot be kept in ${path}: ${messageOf(error)}`);
  }
}
