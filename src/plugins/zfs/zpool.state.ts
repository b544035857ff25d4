/** `zpool`: pools of ZFS (3006.16 salt/states/zpool.py). */
import { join } from 'node:path';
import { pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { allProperties, withoutZfs } from './module/command.ts';
import { allFromZfs } from './module/values.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, foretelling, type StateContext, type StateResult } from '../shared/state-function.ts';

const ask = (ctx: StateContext, fun: string, args: readonly Value[], kwargs: Dict = dict()): Promise<Value> =>
  ctx.functions.call(`zpool.${fun}`, args, kwargs);

/** What an answer says under a label, and its error. */
function told(said: Value, label: string): { readonly isDone: boolean; readonly error: Value | undefined } {
  if (!isDict(said)) return { isDone: false, error: undefined };
  return { isDone: truthy(said.get(label) ?? null), error: said.get('error') };
}

/** A layout as words of `zpool create`; undefined where it is none. @param folder where disks without a path are */
function vdevWords(layout: Value, folder: string | undefined): string[] | undefined {
  const placed = (disk: Value): string => {
    const text = pyStr(disk);
    return folder === undefined || text.startsWith('/') ? text : join(folder, text);
  };
  if (Array.isArray(layout))
    return layout.flatMap((item) => (isDict(item) ? (vdevWords(item, folder) ?? []) : [placed(item)]));
  if (!isDict(layout)) return undefined;
  return [...layout].flatMap(([kind, disks]) => {
    const [type = ''] = pyStr(kind).split('-');
    const list = Array.isArray(disks) ? disks : pyStr(disks).split(' ');
    return [...(type === 'disk' ? [] : [type]), ...list.map(placed)];
  });
}

/** A pool as it is wanted. */
interface Pool {
  readonly name: string;
  readonly properties: Dict;
  readonly filesystem_properties: Dict;
  readonly vdevs: readonly string[] | undefined;
  readonly config: Dict;
}

/** Sets what is not as wanted. Salt compat: in test mode Salt does not look, and says that all is as wanted. */
async function update(ctx: StateContext, { name, properties }: Pool): Promise<StateResult> {
  const said = await ask(ctx, 'get', [name], dict({ parsable: true }));
  const current = isDict(said) ? said : dict();
  const { test } = ctx.state;
  const changed = dict();
  const failed: string[] = [];
  for (const [key, wanted] of properties) {
    const prop = pyStr(key);
    const now = current.get(key);
    if (now === undefined) {
      ctx.log.warning(`zpool.present::${name}::update - unknown property: ${prop}`);
      continue;
    }
    // a feature that is in use is enabled, too
    const effective = prop.startsWith('feature@') && now === 'active' ? 'enabled' : now;
    if (valuesEqual(effective, wanted)) continue;
    if (test || told(await ask(ctx, 'set', [name, key, wanted]), 'set').isDone) changed.set(key, wanted);
    else failed.push(prop);
  }
  const changes = changed.size > 0 ? new Map<Value, Value>([[name, changed]]) : dict();
  if (failed.length > 0)
    return outcome(name, false, `The following properties were not updated: ${failed.join(' ')}`, changes);
  if (test)
    return changed.size > 0
      ? outcome(name, null, `properties of storage pool ${name} would have been updated`, changes)
      : outcome(name, true, `storage pool ${name} is uptodate`);
  return outcome(name, true, changed.size > 0 ? 'properties updated' : 'no update needed', changes);
}

async function make(ctx: StateContext, pool: Pool): Promise<StateResult> {
  const { name, properties, filesystem_properties, vdevs = [], config } = pool;
  const force = config.get('force') ?? null;
  if (truthy(config.get('import') ?? null)) {
    const dir = config.get('import_dirs') ?? null;
    const { isDone } = told(await ask(ctx, 'import', [name], dict({ force, dir })), 'imported');
    if (isDone) return outcome(name, true, `storage pool ${name} was imported`, dict({ [name]: 'imported' }));
  }
  if (vdevs.length === 0)
    return outcome(
      name,
      false,
      `storage pool ${name} was not imported, no (valid) layout specified for creation`,
    );
  const kwargs = dict({ force, properties, filesystem_properties });
  const { isDone, error } = told(await ask(ctx, 'create', [name, ...vdevs], kwargs), 'created');
  return isDone
    ? outcome(name, true, `storage pool ${name} was created`, dict({ [name]: 'created' }))
    : outcome(name, false, error ?? `could not create storage pool ${name}`);
}

const DEVICES: Readonly<Record<string, string>> = { SunOS: '/dev/dsk', Linux: '/dev' };

async function present(
  ctx: StateContext,
  wanted: {
    readonly name: string;
    readonly properties: Dict;
    readonly filesystem_properties: Dict;
    readonly layout: Value;
    readonly config: Dict;
  },
): Promise<StateResult> {
  const { name } = wanted;
  const config = dict({
    import: true,
    import_dirs: null,
    device_dir: DEVICES[pyStr(ctx.grains.get('kernel') ?? '')] ?? null,
    force: false,
  });
  for (const [key, value] of wanted.config) config.set(key, value);
  const folder = config.get('device_dir') ?? null;
  const isThere = truthy(folder) && pathExists(pyStr(folder));
  const exists = truthy(await ask(ctx, 'exists', [name]));
  if (ctx.state.test && !exists) {
    const verb = truthy(config.get('import') ?? null) ? 'imported' : 'created';
    return outcome(name, null, `storage pool ${name} would have been ${verb}`, dict({ [name]: verb }));
  }
  const types = await allProperties(ctx);
  const pool: Pool = {
    name,
    properties: allFromZfs(types, wanted.properties),
    filesystem_properties: allFromZfs(types, wanted.filesystem_properties),
    vdevs: vdevWords(wanted.layout, isThere ? pyStr(folder) : undefined),
    config,
  };
  return exists ? update(ctx, pool) : make(ctx, pool);
}

async function absent(
  ctx: StateContext,
  {
    name,
    export: isExported,
    force,
  }: { readonly name: string; readonly export: boolean; readonly force: Value },
): Promise<StateResult> {
  if (!truthy(await ask(ctx, 'exists', [name]))) return outcome(name, true, `storage pool ${name} is absent`);
  const [fun, verb] = isExported ? (['export', 'exported'] as const) : (['destroy', 'destroyed'] as const);
  const { isDone, error } = ctx.state.test
    ? { isDone: true, error: undefined } // Salt compat: as there, true and not None
    : told(await ask(ctx, fun, [name], dict({ force })), verb);
  return isDone
    ? outcome(name, true, `storage pool ${name} was ${verb}`, dict({ [name]: verb }))
    : outcome(name, false, error ?? '');
}

const NAME = { name: param.text({ doc: 'The pool.' }) } as const;

/** The states of `zpool`. */
export const zpoolStates = defineModule({
  name: 'zpool',
  file: 'zpool',
  doc: 'Pools of ZFS.',
  unavailable: withoutZfs('zpool state'),
  functions: foretelling({
    present: defineState({
      doc: 'Makes sure of a pool: imports it, or makes it of disks, and sets its properties.',
      params: {
        ...NAME,
        properties: param.mapping({ default: null, doc: 'Its properties.' }),
        filesystem_properties: param.mapping({ default: null, doc: 'Those of its file system.' }),
        layout: param.value({
          default: null,
          type: 'list or dict',
          doc: 'The disks: mirror and the like, with the disks of each.',
        }),
        config: param.mapping({ default: null, doc: 'import, import_dirs, device_dir and force.' }),
      },
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that a pool is not there.',
      params: {
        ...NAME,
        export: param.flag({ default: false, doc: 'Export it, and destroy nothing.' }),
        force: param.value({ default: false, type: 'bool', doc: 'Even when it is in use.' }),
      },
      run: absent,
    }),
  }),
});
