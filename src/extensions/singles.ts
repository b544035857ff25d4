/**
 * Beacons, renderers and outputters of one's own as the programs that use them see them: what there is, and asking them in a process
 * apart.
 */
import type { Logger } from '../host/log.ts';
import { BrineError } from '../errors/errors.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { eachFile, type DescribeParts } from './describe.ts';
import { extensionFiles, type ExtensionFile } from './folder.ts';
import type { ExtensionHost, ServeHost } from './host-process.ts';
import type { SingleKind } from './host-singles.ts';

/** One of them. */
export interface OwnSingle {
  /** Name of the file. */
  readonly file: string;
  readonly path: string;
  /** The name it goes by. */
  readonly name: string;
  readonly doc: string;
  /** A beacon that looks at its configuration. */
  readonly validates: boolean;
}

/** Something of one's own failed; the message names the place in its file. */
export class OwnFaultError extends BrineError {
  override readonly name = 'OwnFaultError';
}

/** The option that names files of a kind which are not to be used (salt/loader/lazy.py `disabled`, 3006.16). */
const DISABLED_BY: Readonly<Record<SingleKind, string>> = {
  beacons: 'disable_beacons',
  renderers: 'disable_renders',
  output: 'disable_outputs',
};

/** The files of a kind that are not disabled. */
export function singleFiles(opts: Dict, kind: SingleKind): ExtensionFile[] {
  const disabled = opts.get(DISABLED_BY[kind]);
  const names: readonly Value[] = Array.isArray(disabled) ? disabled : [disabled ?? null];
  return extensionFiles(opts, kind).filter(({ name }) => !names.includes(name));
}

/** Those of a kind that can be used here, by name; faults are reported. */
export async function describeSingles(
  parts: DescribeParts,
  kind: SingleKind,
): Promise<ReadonlyMap<string, OwnSingle>> {
  const found = new Map<string, OwnSingle>();
  await eachFile({ ...parts, kind }, singleFiles(parts.opts, kind), 'single', (answer) => {
    if (!isDict(answer)) return;
    const broken = answer.get('broken');
    if (typeof broken === 'string') parts.report(broken);
    if (typeof broken === 'string' || typeof answer.get('unavailable') === 'string') return;
    const [file = '', path = '', name = '', doc = ''] = ['file', 'path', 'name', 'doc'].map((key) =>
      String(answer.get(key) ?? ''),
    );
    found.set(name, { file, path, name, doc, validates: answer.get('validates') === true });
  });
  return found;
}

/** Asks something of one's own. @throws OwnFaultError what its code has thrown, HostError when the process is gone */
export async function askSingle(host: ExtensionHost, question: Dict): Promise<Value> {
  const answer = await host.ask(question);
  const fault = isDict(answer) ? answer.get('fault') : undefined;
  if (typeof fault === 'string') throw new OwnFaultError(fault);
  return isDict(answer) ? (answer.get('value') ?? null) : null;
}

/** Serves what the code asks back for. @param call calls a function by its full name */
export function serveSingles(
  log: Logger,
  call: (fun: string, args: Value[], kwargs: Dict) => Value | Promise<Value>,
): ServeHost {
  return async (question) => {
    if (question.get('what') === 'log') {
      const level = question.get('level');
      const text = String(question.get('text'));
      if (level === 'debug' || level === 'info' || level === 'warning' || level === 'error') log[level](text);
      return null;
    }
    const args = question.get('args');
    const kwargs = question.get('kwargs');
    return call(
      String(question.get('fun')),
      Array.isArray(args) ? args : [],
      isDict(kwargs) ? kwargs : new Map(),
    );
  };
}
