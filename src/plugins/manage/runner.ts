/** `manage.*`: which minions are there (salt/runners/manage.py, 3006.16). */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError } from '../../runtime/client/errors.ts';
import { KeyManager } from '../../storage/keys/manager.ts';
import { pyCount } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Value } from '../../python/values/value.ts';
import { callMinions } from '../shared/runner/minion-calls.ts';
import { versionsByState, type MinionVersion } from './runner/minion-versions.ts';
import { brineVersion } from '../../version.ts';
import { findings, shownFindings } from '../shared/runner/doctor/findings.ts';
import { measure } from '../shared/runner/doctor/measure.ts';
import {
  defineRunner,
  defineRunners,
  RunnerRefusal,
  type RunnerContext,
  type RunnerSpec,
} from '../shared/runner/runner.ts';
import { param, type TypedArguments } from '../../runtime/loader/params.ts';
import { isConnected } from '../../runtime/targeting/connected.ts';

function secondsIfGiven(value: Value): number | undefined {
  return truthy(value) ? pyCount(value) : undefined;
}

const pingParams = {
  tgt: { default: '*', type: 'str', doc: 'The minions to ask.' },
  tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
  timeout: param.by(secondsIfGiven, {
    default: null,
    type: 'int',
    doc: 'Seconds that a minion may be silent before it is asked again.',
  }),
  gather_job_timeout: param.by(secondsIfGiven, {
    default: null,
    type: 'int',
    doc: 'Seconds it may then take to answer.',
  }),
} as const;
const presenceParams = {
  subset: param.listIfGiven({ default: null, doc: 'Only these minion ids.' }),
  show_ip: param.flag({ default: false, doc: 'Tell the address of each, too.' }),
} as const;
const KEYS_DELETED = `The minion and master keys have been deleted.  Restart the Salt
Master within the next 60 seconds!!!

Wait for the minions to reconnect.  Once the minions reconnect
the new keys will appear in pending and will need to be re-
accepted by running:
    salt-key -A

Be advised that minions not currently connected to the master
will not be able to reconnect and may require manual
regeneration via a local call to
    salt-call saltutil.regen_keys`;

/** The names under which presence is asked for; all mean the same. */
const PRESENT = ['present', 'joined', 'allowed', 'alived', 'reaped'];

function presence(name: string): RunnerSpec {
  return defineRunner({
    doc: 'Lists the minions that are connected to the master now. Nothing is sent to them.',
    params: presenceParams,
    returns: 'sorted list of ids; a mapping of id to address with show_ip',
    examples: [`salt-run manage.${name}`],
    run: (ctx, { subset, show_ip }) => connected(ctx, subset, show_ip),
  });
}

function absence(name: string): RunnerSpec {
  return defineRunner({
    doc: 'Lists the minions with an accepted key that are not connected to the master now.',
    params: presenceParams,
    returns: 'list of ids',
    examples: [`salt-run manage.${name}`],
    run: async (ctx, { subset }) => {
      const present = await connectedAddresses(ctx, undefined);
      const wanted = subset === undefined ? undefined : new Set(subset);
      return ctx.keys.list('accepted').filter((id) => !present.has(id) && (wanted?.has(id) ?? true));
    },
  });
}

const presenceFunctions: Record<string, RunnerSpec> = Object.fromEntries([
  ...[...PRESENT, 'list_state'].map((name) => [name, presence(name)]),
  ...[...PRESENT.map((name) => `not_${name}`), 'list_not_state'].map((name) => [name, absence(name)]),
]);

/** The manage runner. */
export const manageRunners = defineRunners({
  name: 'manage',
  doc: 'The fleet: who is up, who is down, who needs an update.',
  failsWith: { false: ['key_regen'] },
  functions: {
    up: defineRunner({
      doc: 'Lists the minions that answer.',
      params: pingParams,
      returns: 'sorted list of ids',
      examples: ['salt-run manage.up', 'salt-run manage.up tgt="webservers" tgt_type="nodegroup"'],
      run: async (ctx, args) => (await status(ctx, args)).up,
    }),
    down: defineRunner({
      doc: 'Lists the minions that do not answer.',
      params: {
        removekeys: param.flag({ default: false, doc: 'Delete their keys.' }),
        ...pingParams,
      },
      returns: 'sorted list of ids',
      examples: ['salt-run manage.down', 'salt-run manage.down removekeys=True'],
      run: async (ctx, args) => {
        const { down } = await status(ctx, args);
        if (args.removekeys && down.length > 0) await deleteKeys(ctx, down);
        return down;
      },
    }),
    status: defineRunner({
      doc: 'Lists the minions that answer, and those that do not.',
      params: { output: { default: true, type: 'bool', doc: 'Has no effect.' }, ...pingParams },
      returns: '`{up: list, down: list}`',
      examples: ['salt-run manage.status', 'salt-run manage.status timeout=5 gather_job_timeout=10'],
      run: async (ctx, args) => {
        const { up, down } = await status(ctx, args);
        return dict({ up, down });
      },
    }),
    versions: defineRunner({
      doc: 'Compares the version of each minion that answers with that of the master.',
      returns: 'mapping of a sentence to the versions by minion, and `Master`',
      examples: ['salt-run manage.versions'],
      run: (ctx) => versions(ctx),
    }),
    doctor: defineRunner({
      doc:
        'Says what is wrong: which limit of the master binds, which minion is away and since when, which disk is nearly full, and what to do. ' +
        'Reads the figures of metrics_address, keys, connections and disks; nothing is sent to a minion. Not in Salt.',
      returns:
        '`state` (`well`, `warning` or `ill`) and `findings`: a list of mappings with `code`, `severity`, `what`, `who`, `why` and `next`',
      examples: ['salt-run manage.doctor', 'salt-run manage.doctor --out=json'],
      run: async (ctx) => shownFindings(findings(await measure(ctx))),
    }),
    ...presenceFunctions,
    key_regen: defineRunner({
      doc:
        'Has every minion throw away its keys, and deletes all keys of the master. ALL KEYS ARE REPLACED: restart the ' +
        'master within 60 seconds and accept the new keys.',
      returns: 'what to do next; False when the master does not run',
      examples: ['salt-run manage.key_regen'],
      run: (ctx) => regenerateKeys(ctx),
    }),
    safe_accept: defineRunner({
      doc: 'Would accept keys after comparing their fingerprints over salt-ssh, which is not available yet.',
      params: { target: { type: 'str', doc: 'The minions.' }, tgt_type: pingParams.tgt_type },
      returns: 'nothing',
      examples: ['salt-run manage.safe_accept my_minion'],
      run: () => {
        throw new RunnerRefusal(
          'manage.safe_accept needs salt-ssh, which is not available yet. Compare the fingerprints of salt-key -f ID and of ' +
            'salt-call --local key.finger on the minion, then run: salt-key -a ID',
        );
      },
    }),
  },
});

async function status(
  ctx: RunnerContext,
  args: TypedArguments<typeof pingParams>,
): Promise<{ up: string[]; down: string[] }> {
  const answers = await callMinions(ctx, {
    tgt: args.tgt,
    tgtType: args.tgt_type,
    fun: 'test.ping',
    ...(args.timeout === undefined ? {} : { timeoutS: args.timeout }),
    ...(args.gather_job_timeout === undefined ? {} : { gatherS: args.gather_job_timeout }),
  });
  const up = [...(answers?.returns.keys() ?? [])].sort();
  const down = (answers?.minions ?? []).filter((id) => answers?.returns.has(id) !== true);
  return { up, down: [...down].sort() };
}

async function deleteKeys(ctx: RunnerContext, ids: readonly string[]): Promise<void> {
  const fired: Promise<boolean>[] = [];
  const manager = new KeyManager({
    store: ctx.keys,
    cacheDir: ctx.opts.get('cachedir'),
    masterId: ctx.id,
    preserveCache: ctx.opts.get('preserve_minion_cache'),
    fireEvent: (tag, data) => {
      fired.push(ctx.fire(tag, data));
    },
    log: ctx.log,
  });
  const rotate = truthy(ctx.settings.get('rotate_aes_key') ?? true);
  for (const id of ids) manager.delete(manager.match(id), { rotate });
  await Promise.all(fired);
}

async function versions(ctx: RunnerContext): Promise<Value> {
  let answers;
  try {
    answers = await callMinions(ctx, { tgt: '*', fun: 'test.version' });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    ctx.print(error.message);
    return new Map();
  }
  const minions = [...(answers?.returns ?? [])].map(([id, load]): MinionVersion => {
    const version = load.get('return');
    const failed = truthy(load.get('retcode')) || typeof version !== 'string';
    return { id, salt: failed ? undefined : version, brine: brineVersionOf(ctx, id) };
  });
  return versionsByState(minions, { salt: ctx.version, brine: brineVersion });
}

/** The version of Brine that a minion had when it sent its grains; undefined for one of Salt. */
function brineVersionOf(ctx: RunnerContext, id: string): string | undefined {
  const grains = ctx.cache.read(id, 'data')?.get('grains');
  const version = isDict(grains) ? grains.get('brineversion') : undefined;
  return typeof version === 'string' ? version : undefined;
}

async function connected(
  ctx: RunnerContext,
  subset: readonly Value[] | undefined,
  showAddress: boolean,
): Promise<Value> {
  const found = await connectedAddresses(ctx, subset);
  if (showAddress) return new Map(found);
  return [...found.keys()].sort();
}

/** Minions that are connected, with their addresses: the cached one that somebody is connected from, else the first. */
async function connectedAddresses(
  ctx: RunnerContext,
  subset: readonly Value[] | undefined,
): Promise<Map<string, string>> {
  const addresses = await ctx.connectedAddresses();
  const wanted = subset !== undefined && subset.length > 0 ? subset.map(pyStr) : knownIds(ctx);
  const connections = await ctx.connections(wanted);
  const found = new Map<string, string>();
  for (const id of wanted) {
    const grains = ctx.cache.read(id, 'data')?.get('grains');
    const own = (isDict(grains) ? [grains.get('ipv4'), grains.get('ipv6')] : [])
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .map(pyStr);
    const address = own.find((text) => addresses.has(text));
    if (isConnected(id, connections, () => address !== undefined)) found.set(id, address ?? own[0] ?? '');
  }
  return found;
}

/** With `con_cache` also minions whose grains are not cached. */
function knownIds({ opts, cache, keys }: RunnerContext): readonly string[] {
  return opts.get('con_cache') ? keys.list('accepted') : cache.ids();
}

async function regenerateKeys(ctx: RunnerContext): Promise<Value> {
  try {
    await callMinions(ctx, { tgt: '*', fun: 'saltutil.regen_keys' });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    ctx.print(error.message);
    return false;
  }
  removeFilesBelow(ctx.opts.get('pki_dir'));
  return KEYS_DELETED;
}

function removeFilesBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeFilesBelow(path);
    else rmSync(path, { force: true });
  }
}
