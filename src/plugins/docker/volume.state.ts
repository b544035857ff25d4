/** `docker_volume`: volumes of Docker (3006.16 salt/states/docker_volume.py). */
import { messageOf } from '../../errors/errors.ts';
import { repackList } from '../../formats/data/repack-list.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { dockerNameRefusal } from './state/names.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The volume.' }) } as const;
const PRESENT = {
  ...NAME,
  driver: param.value({ default: null, type: 'str', doc: "Its driver; the daemon's own without one." }),
  driver_opts: param.value({ default: null, type: 'dict', doc: 'Options of the driver.' }),
  force: param.flag({
    default: false,
    doc: 'Make a volume anew that has another driver. What is in it is lost.',
  }),
} as const;

/** Why there can be no such volume, as Docker refuses it. Salt compat: there, test mode promises it. */
function refuses({ name, driver, driver_opts }: TypedArguments<typeof PRESENT>): string | undefined {
  const isOptions = driver_opts === null || isDict(driver_opts) || Array.isArray(driver_opts);
  if (!isOptions || (Array.isArray(driver_opts) && repackList(driver_opts) === undefined))
    return `driver_opts must be a mapping, not ${pyRepr(driver_opts)}`;
  if (driver !== null && typeof driver !== 'string') return `driver must be a text, not ${pyRepr(driver)}`;
  return dockerNameRefusal('A volume', name);
}

async function findVolume(ctx: StateContext, name: Value): Promise<Dict | undefined> {
  const found = await ctx.functions.call('docker.volumes');
  const volumes = isDict(found) ? found.get('Volumes') : undefined;
  return Array.isArray(volumes)
    ? volumes.filter(isDict).find((volume) => volume.get('Name') === name)
    : undefined;
}

async function make(
  ctx: StateContext,
  { name, driver, driver_opts }: TypedArguments<typeof PRESENT>,
  changes: Dict,
): Promise<StateResult> {
  const options = Array.isArray(driver_opts) ? (repackList(driver_opts) ?? driver_opts) : driver_opts;
  try {
    const made = await ctx.functions.call('docker.create_volume', [name], { driver, driver_opts: options });
    return outcome(name, true, '', changes.set('created', made));
  } catch (error) {
    return outcome(name, false, `Failed to create volume '${pyStr(name)}': ${messageOf(error)}`, changes);
  }
}

async function present(ctx: StateContext, args: TypedArguments<typeof PRESENT>): Promise<StateResult> {
  const { name, driver, force } = args;
  const [shown, { test }] = [pyStr(name), ctx.state];
  const volume = await findVolume(ctx, name);
  if (volume === undefined)
    return test ? outcome(name, null, `The volume '${shown}' will be created`) : make(ctx, args, dict());
  const own = volume.get('Driver') ?? null;
  if (driver === null || own === driver) return outcome(name, true, `Volume '${shown}' already exists.`);
  if (!force)
    return outcome(
      name,
      test ? null : false,
      `Driver for existing volume '${shown}' ('${pyStr(own)}') does not match specified driver ('${pyStr(driver)}') and force is False`,
    );
  if (test)
    return outcome(
      name,
      null,
      `The volume '${shown}' will be replaced with a new one using the driver '${pyStr(driver)}'`,
    );
  try {
    const removed = await ctx.functions.call('docker.remove_volume', [name]);
    return await make(ctx, args, dict({ removed }));
  } catch (error) {
    return failure(name, `Failed to remove volume '${shown}': ${messageOf(error)}`);
  }
}

/** The states of `docker_volume`. */
export const dockerVolumeStates = defineModule({
  name: 'docker_volume',
  file: 'docker_volume',
  doc: 'Volumes of Docker.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a volume.',
      params: PRESENT,
      refuses,
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such volume.',
      params: { ...NAME, driver: param.value({ default: null, type: 'str', doc: 'Takes no effect.' }) },
      run: async (ctx, { name }) => {
        const shown = pyStr(name);
        if ((await findVolume(ctx, name)) === undefined)
          return outcome(name, true, `Volume '${shown}' already absent`);
        // Salt compat: Salt removes the volume in test mode, too.
        if (ctx.state.test) return outcome(name, null, `The volume '${shown}' will be removed`);
        try {
          const removed = await ctx.functions.call('docker.remove_volume', [name]);
          return outcome(name, true, '', dict({ removed }));
        } catch (error) {
          return failure(name, `Failed to remove volume '${shown}': ${messageOf(error)}`);
        }
      },
    }),
  },
});
