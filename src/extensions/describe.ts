/** Knowing modules of one's own without running their code in this process. */
import type { Clock } from '../host/clock.ts';
import type { FunctionSpec, LoadContext } from '../loader/module.ts';
import { dict, isDict, type Dict, type Value } from '../values/value.ts';
import { updateDict } from '../data/dict-merge.ts';
import { NEEDS_GRAINS, readTried, type Tried } from './description.ts';
import { extensionFiles, type ExtensionFile, type ExtensionKind } from './folder.ts';
import { ExtensionHost } from './host-process.ts';

/** What describing needs. */
export interface DescribeParts extends LoadContext {
  readonly clock: Clock;
  /** Told what is wrong with a file, each time. */
  readonly report: (fault: string) => void;
  /** The program of the process, when it is not beside this one. */
  readonly hostScript?: string | undefined;
}

/**
 * Loads the execution modules, or others with functions, in a process of their own and brings back what they are.
 * @param run calls a function of theirs, by its full name, where that harms nobody
 */
export async function describeModules(
  parts: DescribeParts,
  run: (fun: string) => FunctionSpec['run'],
  kind: ExtensionKind = 'modules',
): Promise<Tried[]> {
  const files = extensionFiles(parts.opts, kind);
  const tried: Tried[] = [];
  await eachFile(parts, files, 'module', (answer) => {
    const one = readTried(answer, run);
    if (one === undefined) return;
    tried.push(one);
    if ('broken' in one) parts.report(one.broken);
  });
  return tried;
}

/**
 * The grains of one's own, in the order of the files; `disable_grains` names files that are left out (salt/loader/lazy.py
 * `disabled`, 3006.16).
 * @param known what has been collected so far
 */
export async function ownGrains(parts: DescribeParts, known: Dict): Promise<Dict> {
  const found: Dict = new Map();
  const isDeep = parts.opts.get('grains_deep_merge') === true;
  const disabled = parts.opts.get('disable_grains');
  const names: readonly Value[] = Array.isArray(disabled) ? disabled : [disabled ?? null];
  const files = extensionFiles(parts.opts, 'grains').filter(({ name }) => !names.includes(name));
  await eachFile({ ...parts, grains: known }, files, 'grains', (answer) => {
    if (!isDict(answer)) return;
    const grains = answer.get('grains');
    const faults = answer.get('faults');
    if (isDict(grains)) updateDict(found, grains, { recursive: isDeep });
    for (const fault of Array.isArray(faults) ? faults : []) parts.report(String(fault));
  });
  return found;
}

/** Asks about each file; one that ends the process or does not come back is reported, and the others follow in a new one. */
export async function eachFile(
  { opts, grains, clock, report, hostScript, kind }: DescribeParts & { readonly kind?: string },
  files: readonly ExtensionFile[],
  what: string,
  take: (answer: Value) => void,
): Promise<void> {
  if (files.length === 0) return;
  const host = new ExtensionHost(clock, { script: hostScript });
  try {
    for (const file of files) {
      const question = dict({ what, kind, name: file.name, path: file.path, opts });
      try {
        let answer = await host.ask(question);
        // grains that are collected at the first look are collected now
        if (answer === NEEDS_GRAINS) answer = await host.ask(question.set('grains', new Map(grains)));
        take(answer);
      } catch (error) {
        report(`${file.path} cannot be used: ${(error as Error).message}`);
      }
    }
  } finally {
    host.close();
  }
}
