/** A whole crontab out of a file (3006.16 salt/states/cron.py `file`). */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../errors/errors.ts';
import { makeTempFile } from '../../../host/file-operations.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { isToBeMade, mayBeMade } from '../../shared/made-earlier.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import { tableRefusal } from './refusals.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { neededFile } from '../../shared/served-files.ts';
import { userAccount } from '../../shared/accounts.ts';
import { firstSource, managedContent } from '../../shared/file-answers.ts';

/** The source of the table, and how it is read. */
export interface TableSource {
  readonly name: Value;
  readonly user: Value;
  readonly source_hash: Value;
  readonly source_hash_name: Value;
  readonly template: Value;
  readonly context: Value;
  readonly defaults: Value;
  readonly backup: Value;
  readonly replace: boolean;
  /** Further keywords, which go to the functions of `file`. */
  readonly more: Dict;
}

/** A result with its fields in the order in which Salt makes them here. */
const ended = (name: Value, result: boolean | null, comment: Value, changes: Dict = dict()): StateResult => ({
  changes,
  comment,
  name,
  result,
});

async function mainGroup(ctx: StateContext, user: Value): Promise<Value | undefined> {
  try {
    const groups = (await userAccount(ctx, [user]))?.get('groups');
    return Array.isArray(groups) ? groups[0] : undefined;
  } catch {
    return undefined;
  }
}

/** Makes sure that a user's table is what a file holds. */
export async function crontabFile(ctx: StateContext, source: TableSource): Promise<StateResult> {
  const { name, user } = source;
  const group = await mainGroup(ctx, user);
  if (group === undefined && mayBeMade(ctx))
    return ended(
      name,
      null,
      `User ${pyStr(user)} is to be made by an earlier state, and would get a crontab then`,
    );
  if (group === undefined) return ended(name, false, `Could not identify group for user ${pyStr(user)}`);
  const raw = pyStr(await ctx.functions.call('cron.raw_cron', [user]));
  const table = raw.endsWith('\n') ? raw : `${raw}\n`;
  const path = makeTempFile(ctx.random, { content: table });
  try {
    // Salt compat: Salt takes the line end that it has added for a table, so that nobody ever gets one
    if (!source.replace && raw.trim() !== '')
      return ended(name, true, `User ${pyStr(user)} already has a crontab. No changes made`);
    return await fill(ctx, { ...source, path, table, group });
  } finally {
    rmSync(path, { force: true });
  }
}

type Target = TableSource & {
  /** A file with what the table is now, in which the new one is made. */
  readonly path: string;
  /** What the table is now, with an end of its last line. */
  readonly table: string;
  readonly group: Value;
};

/** Keywords that the functions of `file` share. */
function shared(ctx: StateContext, target: Target): Dict {
  const { path, group, user, more, source_hash_name, template, context, defaults } = target;
  return new Map([
    ...dict({
      name: path,
      source_hash_name,
      user,
      group,
      mode: '0600',
      attrs: [],
      template,
      context,
      defaults,
    }),
    ...dict({ saltenv: stateEnvironment(ctx) }),
    ...more,
  ]);
}

async function fill(ctx: StateContext, target: Target): Promise<StateResult> {
  const { name } = target;
  const options = shared(ctx, target);
  if (ctx.state.test) {
    if (typeof name === 'string' && isToBeMade(ctx, name))
      return ended(
        name,
        null,
        `File ${name} is to be made by an earlier state, and would be the crontab then`,
      );
    const refused = await refusal(ctx, target, options);
    if (refused !== undefined) return ended(name, false, refused);
    const kwargs = new Map([...options, ...dict({ source: name, source_hash: target.source_hash })]);
    const check = async (): Promise<Value[]> =>
      (await ctx.functions.call('file.check_managed', [], kwargs)) as Value[];
    let [result = null, comment = ''] = await check();
    if (result === null) {
      // the source may lack no more than the last line end, which applying adds
      writeFileSync(target.path, target.table.slice(0, -1));
      const without = await check();
      if (without[0] === true) [result, comment] = [true, without[1] ?? ''];
    }
    return ended(name, typeof result === 'boolean' ? result : null, comment);
  }
  try {
    return await write(ctx, target, options);
  } catch (error) {
    return ended(name, false, `Unable to manage file: ${messageOf(error)}`);
  }
}

/** The file that holds the new table, where it is here, and the sum that it has to have; or what is wrong with it. */
async function fetched(
  ctx: StateContext,
  target: Target,
  options: Dict,
): Promise<{ readonly source: Value; readonly sfn: Value; readonly sourceSum: Value } | string> {
  const saltenv = stateEnvironment(ctx);
  const chosen = await firstSource(ctx, [target.name, target.source_hash, saltenv]);
  const { source, sourceHash: source_hash } = chosen;
  const got = await managedContent(
    ctx,
    [],
    new Map([...options, ...dict({ source, source_hash, skip_verify: false })]),
  );
  return truthy(got.problem) ? pyStr(got.problem) : { source, sfn: got.sfn, sourceSum: got.sum };
}

/** In test mode: why the file can be nobody's table. Salt compat: there, test mode promises it. */
async function refusal(ctx: StateContext, target: Target, options: Dict): Promise<string | undefined> {
  let rendered: string | undefined;
  try {
    const found = await fetched(ctx, target, options);
    if (typeof found === 'string') return found;
    const { source, sfn } = found;
    rendered = truthy(target.template) && truthy(sfn) ? pyStr(sfn) : undefined;
    const path = truthy(sfn) ? pyStr(sfn) : await neededFile(ctx, pyStr(source), stateEnvironment(ctx));
    const wrong = tableRefusal(readFileSync(path, 'utf8'));
    return wrong === undefined ? undefined : `Unable to update user ${pyStr(target.user)} crontab: ${wrong}`;
  } catch (error) {
    return `Unable to manage file: ${messageOf(error)}`;
  } finally {
    if (rendered !== undefined) rmSync(rendered, { force: true });
  }
}

async function write(ctx: StateContext, target: Target, options: Dict): Promise<StateResult> {
  const { name, path, user } = target;
  const found = await fetched(ctx, target, options);
  if (typeof found === 'string') return ended(name, false, found);
  const { source, sfn, sourceSum: source_sum } = found;
  const managed = (await ctx.functions.call(
    'file.manage_file',
    [],
    new Map([
      ...['name', 'user', 'group', 'mode', 'attrs', 'saltenv'].map((key): [Value, Value] => [
        key,
        options.get(key) ?? null,
      ]),
      ...dict({ sfn, ret: dict({ changes: {}, comment: '', name, result: true }), source, source_sum }),
      ...dict({ backup: target.backup }),
    ]),
  )) as Dict;
  // Salt compat: Salt fails at each run with what cron says of a last line without an end, which it would not run
  const content = readFileSync(path);
  const isOpen = content.at(-1) !== '\n'.charCodeAt(0);
  if (isOpen) appendFileSync(path, '\n');
  const isSame = isOpen && readFileSync(path, 'utf8') === target.table;
  const changes = isSame ? dict() : managed.get('changes');
  const isGood = truthy(managed.get('result'));
  if (!isDict(changes) || !changes.has('diff'))
    return isGood
      ? ended(name, true, `Crontab for user ${pyStr(user)} is in the correct state`)
      : ended(name, false, managed.get('comment') ?? '', isDict(changes) ? changes : dict());
  const written = (await ctx.functions.call('cron.write_cron_file_verbose', [user, path])) as Dict;
  if (!truthy(written.get('retcode')))
    return ended(name, true, `Crontab for user ${pyStr(user)} was updated`, changes);
  const why = pyStr(written.get('stderr') ?? '');
  return ended(name, false, `Unable to update user ${pyStr(user)} crontab ${path}. Error: ${why}`);
}
