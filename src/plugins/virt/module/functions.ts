/** What the functions of `virt` have in common. */
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { Virsh } from './virsh.ts';

/** Only one machine, or all. */
export const ONE = { vm_: param.textIfGiven({ default: null, doc: 'Only this machine.' }) } as const;
/** Whether something is started by itself. */
export const STATE = { state: param.textAlone({ default: 'on', doc: 'on or off.' }) } as const;
/** What a function returns that does something. */
export const DONE = 'true or false';

/** What a function does, with the connection that its keywords name. */
export const asking =
  <A>(run: (virsh: Virsh, args: A, ctx: ModuleContext, kwargs: Dict) => Promise<Value>) =>
  async (ctx: ModuleContext, args: A, _rest: readonly Value[], kwargs: Dict): Promise<Value> =>
    run(await Virsh.open(ctx, kwargs), args, ctx, kwargs);

/** A function that asks about one machine or about all, by their names. */
export async function ofEach(
  virsh: Virsh,
  name: string | undefined,
  about: (machine: string) => Promise<Value>,
  which: 'all' | 'active' = 'all',
): Promise<Dict> {
  if (name !== undefined) await virsh.needMachine(name);
  const found = dict();
  for (const machine of name === undefined ? await virsh.machines(which) : [name])
    found.set(machine, await about(machine));
  return found;
}
