/** `quota`: how much of a file system users and groups may use. Follows 3006.16 salt/modules/quota.py. */
import { ArgumentError, CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll, runText } from '../shared/program.ts';

const wordsIn = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

const LIMITS = ['block-soft-limit', 'block-hard-limit', 'file-soft-limit', 'file-hard-limit'] as const;
/** The columns of repquota behind the name and its marks. */
const COLUMNS = [
  ...['block-used', 'block-soft-limit', 'block-hard-limit', 'block-grace'],
  ...['file-used', 'file-soft-limit', 'file-hard-limit', 'file-grace'],
];

type Kind = 'Users' | 'Groups';

/** Where something is mounted, as it was given and as a word. */
function placeOf(given: Value): { readonly given: Value; readonly text: string } {
  if (Array.isArray(given)) throw new ArgumentError("unhashable type: 'list'");
  return { given, text: pyStr(given) };
}

async function quotasOf(ctx: ModuleContext, mount: string, kind: Kind): Promise<Dict> {
  const said = await runText(ctx, ['repquota', '-vp', kind === 'Users' ? '-u' : '-g', mount]);
  const quotas = dict();
  const found = dict({ [kind]: quotas });
  let isBelowHeader = false;
  for (const line of splitLines(said)) {
    const [name = '', , ...values] = wordsIn(line);
    if (isBelowHeader && values.length >= COLUMNS.length - 2)
      quotas.set(name, dict(Object.fromEntries(COLUMNS.map((column, i) => [column, values[i] ?? '']))));
    else if (!isBelowHeader && line.includes('Block grace time')) {
      const [block = '', inode = ''] = line.split(';');
      found.set('Block Grace Time', block.split(': ').slice(-1));
      found.set('Inode Grace Time', inode.split(': ').slice(-1));
    } else if (line.startsWith('-')) isBelowHeader = true;
  }
  return found;
}

/** Salt compat: limits that are not named are taken away, as in Salt. */
async function setLimits(ctx: ModuleContext, device: string, kwargs: Dict): Promise<Value> {
  const [user, group] = [kwargs.get('user'), kwargs.get('group')];
  if (user !== undefined && group !== undefined)
    throw new SaltInvocationError('Please specify a user or group, not both.');
  const whose = user ?? group;
  if (whose === undefined) throw new CommandExecutionError('A valid user or group was not found');
  const limits = dict(Object.fromEntries(LIMITS.map((limit) => [limit, kwargs.get(limit) ?? 0])));
  const words = ['setquota', user === undefined ? '-g' : '-u', pyStr(whose)];
  const { retcode, stderr } = await runAll(ctx, [...words, ...[...limits.values()].map(pyStr), device]);
  if (retcode !== 0)
    throw new CommandExecutionError(`Unable to set desired quota. Error follows: \n${stderr}`);
  return dict({ [`${user === undefined ? 'Group' : 'User'}: ${pyStr(whose)}`]: limits });
}

async function modesOf(ctx: ModuleContext, device: string): Promise<Dict> {
  const found = dict();
  for (const line of splitLines(await runText(ctx, ['quotaon', '-p', device]))) {
    // `group quota on / (/dev/sda1) is off`, or a complaint of quotaon itself
    const [kind = '', second = '', , mount = '', last = '', , mode = ''] = wordsIn(line);
    if (kind.startsWith('quotaon')) {
      if (second.startsWith('Mountpoint')) found.set(last, 'disabled');
      else if (second.startsWith('Cannot')) return found.set(device, 'Not found');
      continue;
    }
    const known = found.get(mount);
    const about = isDict(known) ? known : dict({ device: last.replace(/[()]/g, '') });
    found.set(mount, about.set(kind, mode));
  }
  return found;
}

const DEVICE = { device: param.text({ doc: 'The device, or where it is mounted.' }) } as const;

/** The module. */
export const quotaModule = defineModule({
  name: 'quota',
  file: 'quota',
  doc: 'How much of a file system users and groups may use.',
  words: {},
  unavailable: () =>
    findProgram('setquota') === undefined
      ? 'The quota execution module cannot be loaded: the module is only available on POSIX-like systems with the setquota binary available.'
      : undefined,
  functions: {
    report: defineFunction({
      doc: 'Reports the quotas of a file system.',
      params: { mount: param.by(placeOf, { type: 'str', doc: 'Where it is mounted.' }) },
      returns: 'mapping with User Quotas and Group Quotas',
      examples: ["salt '*' quota.report /media/data"],
      run: async (ctx, { mount }) => {
        const users = await quotasOf(ctx, mount.text, 'Users');
        const groups = await quotasOf(ctx, mount.text, 'Groups');
        return new Map([[mount.given, dict({ 'User Quotas': users, 'Group Quotas': groups })]]);
      },
    }),
    set: defineFunction({
      doc: 'Sets the limits of a user or a group: keywords user or group, and block-soft-limit and its like.',
      params: DEVICE,
      kwargs: 'kwargs',
      returns: 'mapping of the user or group to its limits',
      examples: ["salt '*' quota.set /media/data user=larry block-soft-limit=1048576"],
      pythonName: 'set_',
      run: (ctx, { device }, _rest, kwargs) => setLimits(ctx, device, kwargs),
    }),
    warn: defineFunction({
      doc: 'Has those warned by mail who use too much.',
      returns: 'None',
      examples: ["salt '*' quota.warn"],
      run: async (ctx) => {
        await runText(ctx, ['quotawarn']);
        return null;
      },
    }),
    stats: defineFunction({
      doc: 'Returns the figures of quotastats.',
      returns: 'mapping of names to texts',
      examples: ["salt '*' quota.stats"],
      run: async (ctx) => {
        const lines = splitLines(await runText(ctx, ['quotastats'])).filter((line) => line !== '');
        const pairs = lines.map((line) => line.split(': '));
        return dict(Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value])));
      },
    }),
    on: defineFunction({
      doc: 'Turns the quotas of a file system on.',
      params: DEVICE,
      returns: 'true',
      examples: ["salt '*' quota.on /media/data"],
      run: async (ctx, { device }) => {
        await runText(ctx, ['quotaon', device]);
        return true;
      },
    }),
    off: defineFunction({
      doc: 'Turns the quotas of a file system off.',
      params: DEVICE,
      returns: 'true',
      examples: ["salt '*' quota.off /media/data"],
      run: async (ctx, { device }) => {
        await runText(ctx, ['quotaoff', device]);
        return true;
      },
    }),
    get_mode: defineFunction({
      doc: 'Says whether the quotas of a file system are on.',
      params: DEVICE,
      returns: 'mapping of mount points to mappings: device, user, group; or `disabled`, `Not found`',
      examples: ["salt '*' quota.get_mode /media/data"],
      run: (ctx, { device }) => modesOf(ctx, device),
    }),
  },
});
