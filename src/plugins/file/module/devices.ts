/** Device files and named pipes. Follows 3006.16 salt/modules/file.py `mknod`. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { runProcess } from '../../../host/process.ts';
import { pathExists } from '../../../python/paths.ts';
import { pyInt } from '../../../python/conversions.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { opt, P } from '../../shared/file-params.ts';
import { checkPermissions, makeParents } from './permissions.ts';
import { param } from '../../../runtime/loader/params.ts';

/** A kind of special file. */
type Kind = 'Character device' | 'Block device' | 'Fifo pipe';

interface Device {
  readonly major: Value;
  readonly minor: Value;
  readonly user: Value;
  readonly group: Value;
  readonly mode: Value;
}

const LETTERS = { 'Character device': 'c', 'Block device': 'b', 'Fifo pipe': 'p' } as const;
const NUMBER_OF_ERROR: ReadonlyMap<string, [number, string]> = new Map([
  ['No such file or directory', [2, 'FileNotFoundError']],
  ['Permission denied', [13, 'PermissionError']],
  ['Operation not permitted', [1, 'PermissionError']],
  ['Not a directory', [20, 'NotADirectoryError']],
  ['Read-only file system', [30, 'OSError']],
  ['No space left on device', [28, 'OSError']],
]);

/** Creates a special file; in test mode only says so. */
async function makeDevice(ctx: ModuleContext, kind: Kind, name: string, device: Device): Promise<Dict> {
  const ret = dict({ name, changes: {}, comment: '', result: false });
  const created = dict({ new: `${kind} ${name} created.` });
  if (truthy(ctx.opts.get('test'))) {
    ret.set('changes', created).set('result', null);
  } else if (pathExists(name)) {
    ret.set('comment', `File ${name} exists and cannot be overwritten`);
  } else {
    await create(ctx, kind, name, device);
    ret.set('changes', created).set('result', true);
  }
  const mode = truthy(device.mode) ? pyInt(pyStr(device.mode)) : null;
  await checkPermissions(ctx, name, null, { ...device, mode });
  return ret;
}

/** Node has no mknod(2), so the program does it. @throws PythonError as os.mknod would */
async function create(ctx: ModuleContext, kind: Kind, name: string, device: Device): Promise<void> {
  const mode = pyStr(device.mode).replace(/^[0Oo]+/, '');
  const numbers = kind === 'Fifo pipe' ? [] : [device.major, device.minor].map((n) => String(pyInt(n)));
  const argv = ['mknod', '-m', mode === '' ? '0' : mode, '--', name, LETTERS[kind], ...numbers];
  const { retcode, stderr } = await runProcess(argv, {
    signal: ctx.signal,
    clock: ctx.clock,
    env: new Map([
      ['PATH', process.env['PATH'] ?? '/usr/bin:/bin'],
      ['LC_ALL', 'C'],
    ]),
  });
  if (retcode === 0) return;
  const text = /: ([^:\n]*)\n?$/.exec(stderr.toString('utf8'))?.[1] ?? '';
  const [errno, type] = NUMBER_OF_ERROR.get(text) ?? [5, 'OSError'];
  throw new PythonError(type, `[Errno ${errno}] ${text}${kind === 'Fifo pipe' ? '' : `: ${pyRepr(name)}`}`);
}

const OWNER = { user: opt(P.user, null), group: opt(P.group, null) } as const;
const DEVICE = { name: P.name, major: P.major, minor: P.minor, ...OWNER, mode: opt(P.mode, '0660') } as const;
const RETURNS = '`{name, changes, comment, result}`';

/** Functions about devices. */
export const deviceFunctions = {
  mknod: defineFunction({
    doc: 'Creates a device or a named pipe, and the folders that it needs.',
    params: {
      name: P.name,
      ntype: param.text({ doc: 'c for a character device, b for a block device, p for a pipe.' }),
      major: opt(P.major, 0),
      minor: opt(P.minor, 0),
      ...OWNER,
      mode: opt(P.mode, '0600'),
    },
    returns: RETURNS,
    examples: ["salt '*' file.mknod /dev/chr c 180 31", "salt '*' file.mknod /dev/fifo p"],
    run: async (ctx, { name, ntype, ...device }) => {
      const path = name;
      await makeParents(ctx, path, { user: device.user, group: device.group, mode: null });
      if (ntype === 'c') return makeDevice(ctx, 'Character device', path, device);
      if (ntype === 'b') return makeDevice(ctx, 'Block device', path, device);
      if (ntype === 'p') return makeDevice(ctx, 'Fifo pipe', path, device);
      throw new SaltInvocationError(
        `Node type unavailable: '${ntype}'. Available node types are character ('c'), block ('b'), and pipe ('p').`,
      );
    },
  }),
  mknod_chrdev: defineFunction({
    doc: 'Creates a character device.',
    params: DEVICE,
    returns: RETURNS,
    examples: ["salt '*' file.mknod_chrdev /dev/chr 180 31"],
    run: (ctx, { name, ...device }) => makeDevice(ctx, 'Character device', name, device),
  }),
  mknod_blkdev: defineFunction({
    doc: 'Creates a block device.',
    params: DEVICE,
    returns: RETURNS,
    examples: ["salt '*' file.mknod_blkdev /dev/blk 8 999"],
    run: (ctx, { name, ...device }) => makeDevice(ctx, 'Block device', name, device),
  }),
  mknod_fifo: defineFunction({
    doc: 'Creates a named pipe.',
    params: { name: P.name, ...OWNER, mode: opt(P.mode, '0660') },
    returns: RETURNS,
    examples: ["salt '*' file.mknod_fifo /dev/fifo"],
    run: (ctx, { name, ...device }) => makeDevice(ctx, 'Fifo pipe', name, { ...device, major: 0, minor: 0 }),
  }),
};
