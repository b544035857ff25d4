/** `raid`: arrays of disks (3006.16 salt/states/mdadm_raid.py). */
import { findProgram } from '../../host/which.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeByLetters as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The array: /dev/md0.' }) } as const;
const ARRAY = {
  ...NAME,
  level: param.value({ type: 'str', doc: 'The level: 1, 5.' }),
  devices: param.texts({ doc: 'The disks; missing for one that is to come later.' }),
} as const;
type Wanted = TypedArguments<typeof ARRAY>;

/** The disks that are wanted: those of an array, by its id, new ones, and those that are not there. */
interface Disks {
  readonly marked: ReadonlyMap<string, readonly string[]>;
  readonly fresh: readonly string[];
  readonly missing: readonly string[];
}

async function arrays(ctx: StateContext): Promise<Dict> {
  const found = await ctx.functions.call('raid.list');
  return isDict(found) ? found : dict();
}

async function sortDisks(ctx: StateContext, devices: readonly string[]): Promise<Disks> {
  const marked = new Map<string, string[]>();
  const fresh: string[] = [];
  const missing: string[] = [];
  for (const device of devices) {
    if (device === 'missing' || !truthy(await ctx.functions.call('file.access', [device, 'f']))) {
      missing.push(device);
      continue;
    }
    const about = await ctx.functions.call('raid.examine', [device], { quiet: true });
    const id = isDict(about) ? about.get('MD_UUID') : undefined;
    if (id === undefined) fresh.push(device);
    else marked.set(pyStr(id), [...(marked.get(pyStr(id)) ?? []), device]);
  }
  return { marked, fresh, missing };
}

/** How an array comes to be. */
interface Plan {
  readonly verb: 'assembled' | 'created';
  readonly fun: string;
  readonly args: readonly Value[];
}

function planFor({ name, level }: Wanted, { marked, fresh, missing }: Disks): Plan {
  const [own] = marked.values();
  return own === undefined
    ? {
        verb: 'created',
        fun: 'raid.create',
        args: [name, level, [...fresh, ...missing.map(() => 'missing')]],
      }
    : { verb: 'assembled', fun: 'raid.assemble', args: [name, [...own]] };
}

/** What test mode says. @param plan undefined where the array is there */
async function foretell(
  ctx: StateContext,
  name: string,
  {
    plan,
    fresh,
    missing,
    kwargs,
  }: Pick<Disks, 'fresh' | 'missing'> & { plan: Plan | undefined; kwargs: Dict },
): Promise<StateResult> {
  const command =
    plan && (await ctx.functions.call(plan.fun, plan.args, new Map([...kwargs, ['test_mode', true]])));
  let comment = plan
    ? `Raid will be ${plan.verb} with: ${pyStr(command ?? null)}`
    : `Raid ${name} already present.`;
  const isAdding = plan?.verb !== 'created' && fresh.length > 0;
  if (isAdding) comment += ` New devices will be added: ${pyRepr([...fresh])}`;
  if (missing.length > 0) comment += ` Missing devices: ${pyRepr([...missing])}`;
  return outcome(name, plan !== undefined || isAdding ? null : true, comment);
}

/** Makes the array of a plan. */
async function make(ctx: StateContext, name: string, plan: Plan, kwargs: Dict): Promise<StateResult> {
  await ctx.functions.call(plan.fun, plan.args, kwargs);
  const now = (await arrays(ctx)).get(name);
  if (!isDict(now)) return outcome(name, false, `Raid ${name} failed to be ${plan.verb}.`);
  await ctx.functions.call('raid.save_config');
  return outcome(name, true, `Raid ${name} ${plan.verb}.`, now);
}

/** Adds disks to an array. @returns what went wrong, and the sentences about each */
async function addDisks(
  ctx: StateContext,
  name: string,
  disks: readonly string[],
): Promise<{ readonly isDone: boolean; readonly said: string }> {
  let [isDone, said] = [true, ''];
  for (const disk of disks) {
    const isAdded = truthy(await ctx.functions.call('raid.add', [name, disk]));
    said += isAdded ? ` Added new device ${disk} to ${name}.\n` : ` Unable to add ${disk} to ${name}.\n`;
    isDone &&= isAdded;
  }
  return { isDone, said };
}

async function present(ctx: StateContext, wanted: Wanted, kwargs: Dict): Promise<StateResult> {
  const { name } = wanted;
  const there = (await arrays(ctx)).get(name);
  const disks = await sortDisks(ctx, wanted.devices);
  const { marked, fresh, missing } = disks;
  const ids = [...marked.keys()].sort();
  const own = isDict(there) ? (there.get('uuid') ?? null) : null;
  if (ids.length > 1)
    return outcome(
      name,
      false,
      `Devices are a mix of RAID constituents with multiple MD_UUIDs: ${pyRepr(ids)}.`,
    );
  if (ids[0] !== undefined && there !== undefined && own !== ids[0])
    return outcome(name, false, `Devices MD_UUIDs: ${ids[0]} differs from present RAID uuid ${pyStr(own)}.`);
  if (there === undefined && ids.length === 0 && fresh.length === 0)
    return outcome(name, false, `All devices are missing: ${pyRepr([...missing])}.`);
  const plan = there === undefined ? planFor(wanted, disks) : undefined;
  if (ctx.state.test) return foretell(ctx, name, { plan, fresh, missing, kwargs });
  const made = plan
    ? await make(ctx, name, plan, kwargs)
    : outcome(name, true, `Raid ${name} already present.`);
  let { result } = made;
  let comment = pyStr(made.comment);
  const changes = new Map(made.changes);
  if (plan?.verb !== 'created' && fresh.length > 0 && result === true) {
    const { isDone, said } = await addDisks(ctx, name, fresh);
    comment += said;
    result = isDone;
    if (isDone) changes.set('added', [...fresh]);
  }
  if (missing.length > 0) comment += ` Missing devices: ${pyRepr([...missing])}`;
  return outcome(name, result, comment, changes);
}

async function absent(ctx: StateContext, name: string): Promise<StateResult> {
  if (!(await arrays(ctx)).has(name)) return outcome(name, true, `Raid ${name} already absent`);
  if (ctx.state.test) return outcome(name, null, `Raid ${name} is set to be destroyed`);
  return truthy(await ctx.functions.call('raid.destroy', [name]))
    ? outcome(name, true, `Raid ${name} has been destroyed`)
    : outcome(name, false, `Raid ${name} failed to be destroyed`);
}

/** The states of `raid`. */
export const mdadmRaidStates = defineModule({
  name: 'raid',
  file: 'mdadm_raid',
  doc: 'Arrays of disks, by mdadm.',
  unavailable: () => (findProgram('mdadm') === undefined ? 'Unable to locate command: mdadm' : undefined),
  functions: {
    present: defineState({
      doc: 'Makes sure of an array: makes it, puts it together, or adds disks. Further keywords are options of mdadm.',
      params: ARRAY,
      kwargs: 'kwargs',
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that an array is not there.',
      params: NAME,
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
});
