/** `host`: entries of the hosts file (3006.16 salt/states/host.py). */
import { ArgumentError } from '../../errors/errors.ts';
import { isIP } from 'node:net';
import { defineModule } from '../../runtime/loader/module.ts';
import { oneLine } from '../../runtime/loader/words.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

/** What is to be done to the file. */
interface Plan {
  readonly add: Value[];
  readonly comment: Value[];
  readonly remove: Value[];
  readonly comments: string[];
  readonly warnings: string[];
  isInvalid: boolean;
}

/** Who is asked for: a name, its addresses, and more. */
interface WantedHost {
  readonly name: string;
  readonly addresses: readonly Value[];
  readonly comment: Value;
  readonly clean: boolean;
}

const listOf = (value: Value): Value[] => (Array.isArray(value) ? value : [value]);

function hasName(entry: Value, name: string): boolean {
  const aliases = isDict(entry) ? entry.get('aliases') : undefined;
  return Array.isArray(aliases) && aliases.includes(name);
}

function planHost(hosts: Dict, { name, addresses, comment, clean }: WantedHost): Plan {
  const missing = addresses.filter((address) => !hosts.has(address));
  const plan: Plan = {
    add: [...missing],
    comment: truthy(comment) ? [...missing] : [],
    remove: [],
    comments: [],
    warnings: [],
    isInvalid: false,
  };
  for (const [address, entry] of hosts) {
    const text = pyStr(address);
    if (!addresses.includes(address)) {
      if (!hasName(entry, name)) continue;
      if (clean) plan.remove.push(address);
      else
        plan.warnings.push(
          `Host ${name} present for IP address ${text}. To get rid of this warning, either run this state with ` +
            `'clean' set to True to remove ${name} from ${text}, or add ${text} to the 'ip' argument.`,
        );
    } else if (hasName(entry, name)) {
      const noted = isDict(entry) ? entry.get('comment') : undefined;
      if (truthy(comment) && !valuesEqual(noted ?? null, comment)) plan.comment.push(address);
      else plan.comments.push(`Host ${name} (${text}) already present`);
    } else if (isIP(text) > 0) {
      plan.add.push(address);
      if (truthy(comment)) plan.comment.push(address);
    } else {
      plan.isInvalid = true;
      plan.comments.push(`Invalid IP Address for ${name} (${text})`);
    }
  }
  return plan;
}

/** One kind of change to the file. */
interface Change {
  readonly addresses: readonly Value[];
  readonly fun: string;
  readonly value: Value;
  /** The key in the changes. */
  readonly kind: string;
  readonly planned: (address: string) => string;
  readonly done: (address: string) => string;
  readonly failed: (address: string) => string;
}

/** Makes changes of one kind. @returns whether all went well */
async function applyChange(
  ctx: StateContext,
  change: Change,
  into: { readonly comments: string[]; readonly changes: Dict },
): Promise<boolean> {
  const made: Dict = new Map();
  for (const address of change.addresses) {
    const text = pyStr(address);
    if (ctx.state.test) into.comments.push(change.planned(text));
    else if (truthy(await ctx.functions.call(`hosts.${change.fun}`, [address, change.value])))
      into.comments.push(change.done(text));
    else {
      into.comments.push(change.failed(text));
      continue;
    }
    made.set(address, [change.value]);
  }
  if (made.size > 0) into.changes.set(change.kind, made);
  return ctx.state.test || made.size === change.addresses.length;
}

async function present(ctx: StateContext, wanted: WantedHost): Promise<StateResult> {
  const { name, comment } = wanted;
  const plan = planHost((await ctx.functions.call('hosts.list_hosts')) as Dict, wanted);
  const said = pyStr(comment);
  const into = { comments: plan.comments, changes: dict() };
  const isAdded = await applyChange(
    ctx,
    {
      ...{ addresses: plan.add, fun: 'add_host', value: name, kind: 'added' },
      planned: (address) => `Host ${name} (${address}) would be added`,
      done: (address) => `Added host ${name} (${address})`,
      failed: (address) => `Failed to add host ${name} (${address})`,
    },
    into,
  );
  const isNoted = await applyChange(
    ctx,
    {
      ...{ addresses: plan.comment, fun: 'set_comment', value: comment, kind: 'comment_added' },
      planned: (address) => `Comment for ${address} (${said}) would be added`,
      done: (address) => `Set comment for host ${address} (${said})`,
      failed: (address) => `Failed to add comment for host ${address} (${said})`,
    },
    into,
  );
  const isRemoved = await applyChange(
    ctx,
    {
      ...{ addresses: plan.remove, fun: 'rm_host', value: name, kind: 'removed' },
      planned: (address) => `Host ${name} (${address}) would be removed`,
      done: (address) => `Removed host ${name} (${address})`,
      failed: (address) => `Failed to remove host ${name} (${address})`,
    },
    into,
  );
  const isPlanned = ctx.state.test && plan.add.length + plan.remove.length > 0;
  const isGood = !plan.isInvalid && isAdded && isNoted && isRemoved;
  return {
    ...outcome(name, isPlanned ? null : isGood, into.comments.join('\n'), into.changes),
    ...(plan.warnings.length > 0 ? { warnings: plan.warnings } : {}),
  };
}

async function absent(ctx: StateContext, name: Value, addresses: readonly Value[]): Promise<StateResult> {
  const comments: string[] = [];
  let result: boolean | null = null;
  let changes = dict();
  for (const address of addresses) {
    const label = `${pyStr(name)} (${pyStr(address)})`;
    if (!truthy(await ctx.functions.call('hosts.has_pair', [address, name]))) {
      result = true;
      comments.push(`Host ${label} already absent`);
    } else if (ctx.state.test) comments.push(`Host ${label} needs to be removed`);
    else if (truthy(await ctx.functions.call('hosts.rm_host', [address, name]))) {
      changes = dict({ host: name });
      result = true;
      comments.push(`Removed host ${label}`);
    } else {
      result = false;
      comments.push('Failed to remove host');
    }
  }
  return outcome(name, result, comments.join('\n'), changes);
}

async function only(ctx: StateContext, address: Value, hostnames: Value): Promise<StateResult> {
  const text = pyStr(address);
  const old = listOf(await ctx.functions.call('hosts.get_alias', [address]))
    .map(pyStr)
    .join(' ');
  const wanted = listOf(hostnames)
    .map((host) => strip(pyStr(host)))
    .join(' ');
  if (old === wanted) return outcome(address, true, `IP address ${text} already set to "${wanted}"`);
  if (ctx.state.test) return outcome(address, null, `Would change ${text} from "${old}" to "${wanted}"`);
  if (!truthy(await ctx.functions.call('hosts.set_host', [address, wanted])))
    return outcome(address, false, `hosts.set_host failed to change ${text} from "${old}" to "${wanted}"`);
  const changes = new Map<Value, Value>([[address, dict({ old, new: wanted })]]);
  return outcome(address, true, `successfully changed ${text} from "${old}" to "${wanted}"`, changes);
}

/** Why a name cannot stand in the table, which would be read as something else. */
function nameRefusal(name: string): string | undefined {
  return /^[^\s#]+$/.test(name) ? undefined : `A name of a host has no blanks and no #: ${pyRepr(name)}`;
}

function commentRefusal(comment: Value): string | undefined {
  if (truthy(comment)) oneLine(pyStr(comment), 'comment');
  return undefined;
}

const NAME = param.text({ doc: 'The name of the host.' });
const IP = param.by(listOf, { type: 'str or list', isLine: true, doc: 'Its address, or addresses.' });

/** The states of `host`. */
export const hostStates = defineModule({
  name: 'host',
  file: 'host',
  doc: 'Entries of the hosts file.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a name stands for addresses.',
      params: {
        name: NAME,
        ip: IP,
        comment: param.value({
          default: '',
          type: 'str',
          doc: 'A comment for the lines of these addresses.',
        }),
        clean: param.flag({ default: false, doc: 'Take the name away from all other addresses.' }),
      },
      refuses: ({ name, comment }) => nameRefusal(name) ?? commentRefusal(comment),
      run: (ctx, { name, ip, comment, clean }) => present(ctx, { name, addresses: ip, comment, clean }),
    }),
    absent: defineState({
      doc: 'Makes sure that a name does not stand for addresses.',
      params: { name: NAME, ip: IP },
      run: (ctx, { name, ip }) => absent(ctx, name, ip),
    }),
    only: defineState({
      doc: 'Makes sure that an address has these names and no others.',
      params: {
        name: param.value({ type: 'str', doc: 'The address.' }),
        hostnames: param.by(
          (value) => {
            if (value === null) throw new ArgumentError("'NoneType' object is not iterable");
            return value;
          },
          { type: 'str or list', isLine: true, doc: 'Its names.' },
        ),
      },
      run: (ctx, { name, hostnames }) => only(ctx, name, hostnames),
    }),
  },
});
