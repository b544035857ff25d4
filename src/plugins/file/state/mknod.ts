/** `file.mknod`: devices and pipes. Follows 3006.16 salt/states/file.py `mknod`. */
import { opt } from '../../shared/file-params.ts';
import { isAbs, linkExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, valuesEqual, type Dict } from '../../../python/values/value.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { param } from '../../../runtime/loader/params.ts';
import { OWNER_PARAMS, S, type ArgsOf } from './params.ts';
import { checkedPermissions, fileExists } from '../../shared/file-answers.ts';

/** A kind of node: its name within a sentence, and the function that recognises it. */
interface Kind {
  readonly text: string;
  readonly test: string;
  readonly hasNumbers: boolean;
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['c', { text: 'character device', test: 'file.is_chrdev', hasNumbers: true }],
  ['b', { text: 'block device', test: 'file.is_blkdev', hasNumbers: true }],
  ['p', { text: 'fifo pipe', test: 'file.is_fifo', hasNumbers: false }],
]);

const MKNOD_PARAMS = {
  name: S.file_name,
  ntype: param.text({ doc: 'c for a character device, b for a block device, p for a pipe.' }),
  major: opt(S.major, 0),
  minor: opt(S.minor, 0),
  ...OWNER_PARAMS,
  mode: opt(S.mode, '0600'),
} as const;

async function mknod(
  ctx: StateContext,
  name: string,
  args: ArgsOf<typeof MKNOD_PARAMS>,
  outcome: FileOutcome,
): Promise<Dict> {
  const { ntype, major, minor, user, group, mode } = args;
  const kind = KINDS.get(ntype);
  if (kind === undefined) {
    return outcome.fail(
      `Node type unavailable: '${ntype}'. Available node types are character ('c'), block ('b'), and pipe ('p')`,
    );
  }
  const title = kind.text.charAt(0).toUpperCase() + kind.text.slice(1);
  if (await fileExists(ctx, [name]))
    return outcome.fail(`File ${name} exists and is not a ${kind.text}. Refusing to continue`);
  if (!truthy(await ctx.functions.call(kind.test, [name]))) {
    if (ctx.state.test && linkExists(name))
      return outcome.fail(`File ${name} exists and cannot be overwritten`);
    if (ctx.state.test) return outcome.end(null, `${title} ${name} is set to be created`);
    outcome.adopt(await ctx.functions.call('file.mknod', [name, ntype, major, minor, user, group, mode]));
    return outcome.ret;
  }
  if (kind.hasNumbers) {
    const numbers = await ctx.functions.call('file.get_devmm', [name]);
    if (!valuesEqual(numbers, [major, minor])) {
      const shown = (Array.isArray(numbers) ? numbers : []).map(pyStr).join('/');
      return outcome.fail(
        `${title} ${name} exists and has a different major/minor ${shown}. Refusing to continue`,
      );
    }
  }
  outcome.adopt((await checkedPermissions(ctx, [name, null, user, group, mode])).ret);
  if (outcome.changes.size === 0) outcome.comment = `${title} ${name} is in the correct state`;
  return outcome.ret;
}

/** The state `mknod`. */
export const mknodStates = {
  mknod: defineState({
    doc: 'Makes sure that there is a device or a named pipe.',
    params: MKNOD_PARAMS,
    run: async (ctx, args) => {
      const { name } = args;
      const outcome = new FileOutcome(name, { order: 'moved', result: false });
      if (name === '') return outcome.fail('Must provide name to file.mknod');
      if (!isAbs(name)) return outcome.fail(`Specified file ${name} is not an absolute path`);
      return mknod(ctx, name, args, outcome);
    },
  }),
};
