/** The generated states: `.start` before all others of a file, `.goal` behind them. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import { SaltRenderError } from '../../renderer.ts';
import { moduleOf, statesOf, type StateconfNames } from './high.ts';

const BESIDE_IDS: ReadonlySet<string> = new Set(['include', 'exclude', 'extend']);

/** Adds the state before the first. @throws SaltRenderError when its id is taken, or no state is the first */
export function addStartState(high: Dict, sls: string, { start, settings }: StateconfNames): void {
  refuseTaken(high, start, 'start');
  if (high.size === 0) return;
  for (const [key, states] of high) {
    const id = pyStr(key);
    if (BESIDE_IDS.has(id) || id.startsWith('__') || !isDict(states)) continue;
    const from = states.get('__sls__');
    if (from !== undefined && from !== sls) continue;
    const first = pyStr(states.keys().next().value ?? '');
    high.set(start, generated(settings, 'require_in', [new Map([[moduleOf(first), id]])]));
    return;
  }
  throw new SaltRenderError("Can't determine the first state in the sls file!");
}

/** Adds the state that requires all others. @throws SaltRenderError when its id is taken */
export function addGoalState(high: Dict, { goal, settings }: StateconfNames): void {
  refuseTaken(high, goal, 'goal');
  const required: Value[] = [];
  for (const { id, states, name } of statesOf(high, BESIDE_IDS))
    // what another file has brought along belongs to that
    if (!states.has('__sls__')) required.push(new Map([[moduleOf(name), id]]));
  high.set(goal, generated(settings, 'require', required));
}

function generated(state: string, kind: string, requisites: Value[]): Dict {
  return new Map([[state, [new Map([[kind, requisites]])]]]);
}

function refuseTaken(high: Dict, id: string, what: string): void {
  if (high.has(id))
    throw new SaltRenderError(`Can't generate ${what} state(${id})! The same state id already exists!`);
}
