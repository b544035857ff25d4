/**
 * Asking reclass, the site's own installation of it, for one node (3006.16 salt/utils/reclass.py): its library is
 * Python, and is called as Salt calls it, in a process that lives for one question.
 */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { askLibrary } from './ask-library.ts';

const PROGRAM = 'brine_reclass.py';
/** One question. */
export interface ReclassQuestion {
  readonly fun: 'top' | 'ext_pillar';
  readonly minionId: string;
  /** The pillar so far, for `propagate_pillar_data_to_reclass`. */
  readonly pillar: Dict;
  /** The settings behind `reclass` in the configuration. */
  readonly settings: Dict;
  /** The options of the one who asks: `file_roots`, `python_executable`. */
  readonly opts: Dict;
}

/** @throws CommandExecutionError in reclass' words, and when it is not installed */
export async function askReclass({ fun, minionId, pillar, settings, opts }: ReclassQuestion): Promise<Value> {
  const given = new Map(settings);
  const source = given.get('reclass_source_path');
  given.delete('reclass_source_path');
  const inventory = given.get('inventory_base_uri') ?? firstRoot(opts);
  if (inventory !== undefined) given.set('inventory_base_uri', inventory);
  const question = new Map<Value, Value>([
    ['fun', fun],
    ['id', minionId],
    ['pillar', propagates(given) ? pillar : new Map()],
    ['options', given],
    ['source', source ?? null],
  ]);
  return askLibrary('reclass', PROGRAM, question, opts);
}

function propagates(settings: Dict): boolean {
  return settings.get('propagate_pillar_data_to_reclass') === true;
}

function firstRoot(opts: Dict): Value | undefined {
  const roots = opts.get('file_roots');
  const base = isDict(roots) ? roots.get('base') : undefined;
  return Array.isArray(base) ? base[0] : undefined;
}
