/** `saltutil.*`: custom modules of the master itself (salt/runners/saltutil.py, 3006.16). */
import { defineRunner, defineRunners, type RunnerSpec } from './runner.ts';

/** In the order of `sync_all`. */
const KINDS =
  'clouds modules states grains renderers returners output proxymodules runners wheel engines thorium queues pillar ' +
  'utils sdb cache fileserver tops tokens serializers executors roster';

const syncParams = {
  saltenv: { default: 'base', type: 'str', doc: 'Environments to sync from, separated by commas.' },
  extmod_whitelist: { default: null, type: 'dict', doc: 'Sync only these: kind to names.' },
  extmod_blacklist: { default: null, type: 'dict', doc: 'Do not sync these: kind to names.' },
} as const;

function syncFunction(kind: string): RunnerSpec {
  return defineRunner({
    doc: `Would copy custom ${kind} from \`salt://_${kind}\`; modules in Python cannot run here, so nothing is copied.`,
    params: syncParams,
    returns: 'list of the names that changed',
    examples: [`salt-run saltutil.sync_${kind}`],
    run: (ctx) => {
      ctx.log.debug(`There are no custom ${kind} to sync.`);
      return [];
    },
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
      returns: 'mapping of kind to the list of names that changed',
      examples: ['salt-run saltutil.sync_all'],
      run: () => new Map(names.map((kind) => [kind, []])),
    }),
    ...Object.fromEntries(
      names.map((kind) => [`sync_${kind === 'tokens' ? 'eauth_tokens' : kind}`, syncFunction(kind)]),
    ),
  },
});
