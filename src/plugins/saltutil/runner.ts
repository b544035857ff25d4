/** `saltutil.*`: custom modules of the master itself (salt/runners/saltutil.py, 3006.16). */
import { BrineError } from '../../errors/errors.ts';
import { param, type TypedArguments } from '../../runtime/loader/params.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { Synced } from '../../runtime/extensions/sync.ts';
import { defineRunner, defineRunners, type RunnerContext, type RunnerSpec } from '../shared/runner/runner.ts';

/** In the order of `sync_all`. */
const KINDS =
  'clouds modules states grains renderers returners output proxymodules runners wheel engines thorium queues pillar ' +
  'utils sdb cache fileserver tops tokens serializers executors roster';

/** Where the folder has another name than the function. */
const FOLDERS: Readonly<Record<string, string>> = { proxymodules: 'proxy' };
const folderOf = (kind: string): string => FOLDERS[kind] ?? kind;

const syncParams = {
  saltenv: param.texts({
    default: 'base',
    type: 'str',
    doc: 'Environments to sync from, separated by commas.',
  }),
  extmod_whitelist: { default: null, type: 'dict', doc: 'Sync only these: kind to names.' },
  extmod_blacklist: { default: null, type: 'dict', doc: 'Do not sync these: kind to names.' },
} as const;

type SyncArguments = TypedArguments<typeof syncParams>;

/** Copies one kind from the files that this master serves to its `extension_modules`. */
async function sync(ctx: RunnerContext, kind: string, args: SyncArguments, isWhole = false): Promise<Synced> {
  const [{ syncExtensions }, { openFileClient }] = await Promise.all([
    import('../../runtime/extensions/sync.ts'),
    import('../../storage/fileclient/open.ts'),
  ]);
  const opts: Dict = ctx.opts.toDict().set('file_client', 'local');
  const services = {
    request: () => Promise.reject(new BrineError('There is no master to ask: this is the master.')),
  };
  return syncExtensions({
    client: openFileClient({ opts, services, clock: ctx.clock, random: ctx.random, log: ctx.log }),
    opts,
    kind: folderOf(kind),
    environments: args.saltenv,
    whitelist: args.extmod_whitelist,
    blacklist: args.extmod_blacklist,
    isWhole,
    log: ctx.log,
  });
}

/** Syncs one kind, and says so when there is nothing to sync, which an empty list alone does not tell. */
async function syncOne(ctx: RunnerContext, kind: string, args: SyncArguments): Promise<Value[]> {
  const { changed, found } = await sync(ctx, kind, args);
  if (found === 0)
    ctx.log.warning(
      `No files to sync: salt://_${folderOf(kind)} is in no folder of file_roots of ${args.saltenv.join(',')}.`,
    );
  return changed;
}

function syncFunction(kind: string): RunnerSpec {
  return defineRunner({
    doc: `Copies custom ${kind} from \`salt://_${folderOf(kind)}\` to the \`extension_modules\` of the master.`,
    params: syncParams,
    returns: 'list of the names that changed',
    examples: [`salt-run saltutil.sync_${kind}`],
    run: (ctx, args) => syncOne(ctx, kind, args),
  });
}

const names = KINDS.split(' ');

/** The saltutil runner. */
export const saltutilRunners = defineRunners({
  name: 'saltutil',
  doc: 'Custom modules of the master.',
  functions: {
    sync_all: defineRunner({
      doc: 'Syncs custom modules of all kinds.',
      params: syncParams,
      returns:
        'mapping of kind to the list of names that changed. The log says which modules in Python are not loaded, and why',
      examples: ['salt-run saltutil.sync_all'],
      run: async (ctx, args) => {
        const changed: Dict = new Map();
        for (const kind of names) {
          const found = await sync(ctx, kind, args, true);
          changed.set(kind, found.changed);
        }
        return changed;
      },
    }),
    ...Object.fromEntries(
      names.map((kind) => [`sync_${kind === 'tokens' ? 'eauth_tokens' : kind}`, syncFunction(kind)]),
    ),
  },
});
