/** Snapshots of snapper: listing, creating, changing and deleting them. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { snapper, snapperJson } from './command.ts';

const COLUMNS = 'number,type,pre-number,date,user,cleanup,description,userdata';

/** What a new snapshot is to be. */
export interface NewSnapshot {
  readonly config: string;
  readonly type: string;
  readonly pre: Value;
  readonly description: string;
  readonly cleanup: string;
  readonly userdata: Dict;
}

/** The rows that snapper prints. */
async function rowsOf(ctx: ModuleContext, config: string, doing: string): Promise<Dict[]> {
  const given = await snapperJson(ctx, {
    config,
    global: ['--utc', '--iso'],
    command: ['list', '--columns', COLUMNS],
    doing,
  });
  const rows = given.get(config);
  return Array.isArray(rows) ? rows.filter(isDict) : [];
}

/** A snapshot as Salt shows it; the present, which has no date, has this moment's. */
function snapshotOf(ctx: ModuleContext, row: Dict): Dict {
  const text = (name: string): string => pyStr(row.get(name) ?? '');
  const date = Date.parse(`${text('date').replace(' ', 'T')}Z`);
  const timestamp = Math.floor((Number.isNaN(date) ? ctx.clock.nowMs() : date) / 1000);
  const userdata = row.get('userdata');
  return dict({
    id: row.get('number') ?? null,
    type: text('type'),
    ...(text('type') === 'post' ? { pre: row.get('pre-number') ?? null } : {}),
    timestamp,
    user: text('user'),
    description: text('description'),
    cleanup: text('cleanup'),
    userdata: isDict(userdata) ? userdata : dict(),
  });
}

/** All snapshots of a configuration. */
export async function listSnapshots(
  ctx: ModuleContext,
  config: string,
  doing = 'listing snapshots',
): Promise<Dict[]> {
  return (await rowsOf(ctx, config, doing)).map((row) => snapshotOf(ctx, row));
}

/** The number of a snapshot. */
export const idOf = (snapshot: Dict | undefined): number => toNumber(snapshot?.get('id')) ?? 0;

/** One snapshot. @throws CommandExecutionError where there is none of this number */
export async function oneSnapshot(ctx: ModuleContext, config: string, number: number): Promise<Dict> {
  const doing = 'retrieving snapshot';
  const found = (await listSnapshots(ctx, config, doing)).find((each) => idOf(each) === number);
  if (found === undefined)
    throw new CommandExecutionError(`Error encountered while ${doing}: Invalid snapshot`);
  return found;
}

/**
 * User data as snapper's command takes it.
 * @throws SaltInvocationError for a comma in it, which the command would read as the end of a value
 */
function userdataWord(userdata: Dict): string {
  return [...userdata]
    .map(([key, value]) => {
      const pair = `${pyStr(key)}=${pyStr(value)}`;
      if (pair.includes(',') || pyStr(key).includes('='))
        throw new SaltInvocationError(
          `The user data ${pyRepr(pair)} cannot be given to snapper: a value cannot have a comma, nor a key an equals sign`,
        );
      return pair;
    })
    .join(',');
}

function userdataOption(userdata: Dict): string[] {
  return userdata.size === 0 ? [] : [`--userdata=${userdataWord(userdata)}`];
}

/** Creates a snapshot. @returns its number */
export async function createSnapshot(ctx: ModuleContext, wanted: NewSnapshot): Promise<number> {
  const { config, type, pre, description, cleanup } = wanted;
  if (!['single', 'pre', 'post'].includes(type))
    throw new CommandExecutionError(`Invalid snapshot type '${type}'`);
  if (type === 'post' && pre === null)
    throw new CommandExecutionError(
      "pre snapshot number 'pre_number' needs to be specified for snapshots of the 'post' type",
    );
  const said = await snapper(ctx, {
    config,
    command: [
      ...['create', '--print-number', `--type=${type}`],
      ...(type === 'post' ? [`--pre-number=${pyStr(pre)}`] : []),
      ...(description === '' ? [] : [`--description=${description}`]),
      ...(cleanup === '' ? [] : [`--cleanup-algorithm=${cleanup}`]),
      ...userdataOption(wanted.userdata),
    ],
    doing: 'creating a snapshot',
  });
  const number = /(\d+)\s*$/.exec(said)?.[1];
  if (number === undefined)
    throw new CommandExecutionError(`snapper does not tell the number of the new snapshot: ${said}`);
  return Number(number);
}

/** Deletes snapshots. @throws CommandExecutionError naming those that do not exist; then none is deleted */
export async function deleteSnapshots(ctx: ModuleContext, config: string, ids: Value): Promise<Dict> {
  const wanted = Array.isArray(ids) ? ids : [ids];
  const known = new Set((await listSnapshots(ctx, config)).map(idOf));
  const missing = wanted.filter((id) => !known.has(toNumber(id) ?? -1));
  if (missing.length > 0)
    throw new CommandExecutionError(`Error: Snapshots '${missing.map(pyStr).join(', ')}' not found`);
  await snapper(ctx, { config, command: ['delete', ...wanted.map(pyStr)] });
  return dict({ [config]: { ids: wanted, status: 'deleted' } });
}

/** What is to be changed of a snapshot. */
interface SnapshotChanges {
  readonly description: string | undefined;
  readonly cleanup: string | undefined;
  readonly userdata: Dict | undefined;
}

/** Changes what is given of a snapshot. @returns the snapshot as it is then */
export async function modifySnapshot(
  ctx: ModuleContext,
  config: string,
  number: number,
  { description, cleanup, userdata }: SnapshotChanges,
): Promise<Dict> {
  const before = await oneSnapshot(ctx, config, number);
  const kept = before.get('userdata');
  // the command adds to what there is, and takes a key away that has no value
  const gone = [...(isDict(kept) && userdata !== undefined ? kept.keys() : [])].filter(
    (key) => userdata?.has(key) !== true,
  );
  const all = new Map([...gone.map((key): [Value, Value] => [key, '']), ...(userdata ?? [])]);
  const options = [
    ...(description === undefined ? [] : [`--description=${description}`]),
    ...(cleanup === undefined ? [] : [`--cleanup-algorithm=${cleanup}`]),
    ...userdataOption(all),
  ];
  if (options.length > 0) await snapper(ctx, { config, command: ['modify', ...options, pyStr(number)] });
  return oneSnapshot(ctx, config, number);
}
