/**
 * `vault.*`: tokens of HashiCorp Vault for minions, and what they may read with them (salt/runners/vault.py, 3006.16
 * and 3007.8).
 */
import { verify } from 'node:crypto';
import { isValidMinionId } from '../../host/files.ts';
import { BrineError } from '../../errors/errors.ts';
import { issueConfig, issueNewToken, issueToken, type IssueOrder } from '../../network/http/vault-issue.ts';
import { askVault, reasonsOf } from '../../network/http/vault-request.ts';
import { VaultError, vaultSettings, type VaultSettings } from '../../network/http/vault-settings.ts';
import { policiesOf } from '../../runtime/pillar/ext/vault-pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isBytes, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineRunner,
  defineRunners,
  refusing,
  RunnerRefusal,
  type RunnerContext,
} from '../shared/runner/runner.ts';

const minion_id = param.text({ doc: 'The minion.' });

const signature = {
  type: 'any',
  doc: "The minion's id, signed with its key, or with the master's, in base64; minions of Salt send bytes.",
} as const;
const impersonated_by_master = param.flag({ default: false, doc: "It is the master's signature." });
const signedParams = {
  minion_id,
  signature,
  impersonated_by_master,
  issue_params: {
    default: null,
    type: 'any',
    doc: 'Words of the token, where allow_minion_override_params is set.',
  },
} as const;

/** The vault runner. */
export const vaultRunners = defineRunners({
  name: 'vault',
  doc: 'Tokens of HashiCorp Vault for minions.',
  failsWith: { error: ['generate_new_token', 'generate_token', 'get_config'], false: ['unseal'] },
  functions: {
    generate_token: defineRunner({
      isSecret: true,
      doc: 'Gives a minion a token with the policies of `vault:policies`. Minions call it by publish.runner, which the option peer_run has to allow.',
      params: {
        minion_id,
        signature,
        impersonated_by_master,
        ttl: { default: null, type: 'any', doc: 'How long it is good, where allow_minion_override is set.' },
        uses: {
          default: null,
          type: 'any',
          doc: 'How often it may be used, where allow_minion_override is set.',
        },
        upgrade_request: param.flag({
          default: false,
          doc: 'Do as vault.get_config: minions of 3007 ask so.',
        }),
      },
      returns: 'mapping with `token`, `url`, `uses` and further facts; or with `error`',
      examples: ['salt-run vault.generate_token myminion SIGNATURE'],
      run: (ctx, args) => {
        if (args.upgrade_request) {
          const params = dict({ explicit_max_ttl: args.ttl, num_uses: args.uses });
          return issued(ctx, args, (settings, order) =>
            issueConfig(settings, ctx.clock, { ...order, params }, true),
          );
        }
        return issued(ctx, args, (settings, order) => {
          if (isWrapAsked(ctx))
            ctx.log.warning(
              `vault:issue:wrap does not hold for the token of ${args.minion_id}: minions that ask by vault.generate_token get it without a ` +
                'wrapping. Let them ask by vault.get_config (peer_run).',
            );
          return issueToken(settings, ctx.clock, { ...order, ttl: args.ttl, uses: args.uses });
        });
      },
    }),
    generate_new_token: defineRunner({
      isSecret: true,
      doc: 'Gives a minion of 3007 a token, in a wrapping unless `vault:issue:wrap` is False. Minions call it by publish.runner, which the option peer_run has to allow.',
      params: signedParams,
      returns: 'mapping with `server` and `auth`, or `wrap_info`; or with `error`',
      examples: ['salt-run vault.generate_new_token myminion SIGNATURE'],
      run: (ctx, args) =>
        issued(ctx, args, (settings, order) =>
          issueNewToken(settings, ctx.clock, { ...order, params: args.issue_params }),
        ),
    }),
    get_config: defineRunner({
      isSecret: true,
      doc: 'Tells a minion of 3007, or of Brine, how Vault is reached, and gives it a token, in a wrapping unless `vault:issue:wrap` is False. Minions call it by publish.runner, which the option peer_run has to allow.',
      params: {
        ...signedParams,
        config_only: param.flag({ default: false, doc: 'Give no token.' }),
      },
      returns: 'mapping with `server`, `auth`, `cache` and `wrap_info_nested`; or with `error`',
      examples: ['salt-run vault.get_config myminion SIGNATURE'],
      run: (ctx, args) =>
        issued(ctx, args, (settings, order) =>
          issueConfig(settings, ctx.clock, { ...order, params: args.issue_params }, !args.config_only),
        ),
    }),
    unseal: defineRunner({
      doc: 'Unseals Vault with the keys of the option `vault:keys`, one after the other.',
      params: {},
      returns: 'whether Vault is unsealed now',
      examples: ['salt-run vault.unseal'],
      run: (ctx) => refusing(() => unseal(vaultSettings(ctx.settings.get('vault')), ctx)),
    }),
    show_policies: defineRunner({
      doc: 'Gives the policies that the option `vault:policies` means for a minion, with its grains and pillar.',
      params: {
        minion_id,
        refresh_pillar: param.flagIfGiven({
          default: null,
          doc: 'Make the pillar anew; False takes the cached one; default: vault:policies_refresh_pillar, or only when none is cached.',
        }),
        expire: { default: null, type: 'int', doc: 'Has no effect: nothing is kept.' },
      },
      returns: 'list of policies',
      examples: ['salt-run vault.show_policies myminion'],
      run: (ctx, args) => {
        const given = ctx.settings.get('vault');
        const settings = vaultSettings(isDict(given) ? given : new Map());
        return policies(ctx, settings, args.minion_id, args.refresh_pillar);
      },
    }),
  },
});

/** What a request that is signed brings about, or why it does not, as minions are told it. */
async function issued(
  ctx: RunnerContext,
  args: {
    readonly minion_id: string;
    readonly signature: Value;
    readonly impersonated_by_master: boolean;
  },
  issue: (
    settings: VaultSettings,
    order: Pick<IssueOrder, 'minionId' | 'policies' | 'jid' | 'user'>,
  ) => Promise<Dict>,
): Promise<Dict> {
  const minionId = args.minion_id;
  assertSigned(ctx, minionId, args.signature, args.impersonated_by_master);
  try {
    const settings = vaultSettings(ctx.settings.get('vault'));
    const granted = await policies(ctx, settings, minionId, undefined);
    return await issue(settings, { minionId, policies: granted, jid: ctx.jid, user: ctx.user });
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    ctx.log.error(`No token of Vault for ${minionId}: ${error.message}`);
    return dict({ error: error.message });
  }
}

/** Whether the configuration itself asks for wrappings; by default minions of 3007 get them, and others not. */
function isWrapAsked({ settings }: RunnerContext): boolean {
  const vault = settings.get('vault');
  const issue = isDict(vault) ? vault.get('issue') : undefined;
  return isDict(issue) && truthy(issue.get('wrap') ?? null);
}

/** @throws RunnerRefusal unless the id is signed by the key that the master has of this minion, or by its own */
function assertSigned({ keys }: RunnerContext, id: string, given: Value, isByMaster: boolean): void {
  const signature = isBytes(given) ? Buffer.from(given).toString('latin1') : pyStr(given);
  const refused = (): RunnerRefusal => new RunnerRefusal(`Could not validate token request from ${id}`);
  if (!isValidMinionId(id)) throw refused();
  const key = isByMaster ? keys.readLocalKey('master.pub') : keys.readKey(id, 'accepted');
  if (key === undefined) throw refused();
  let isGood = false;
  try {
    isGood = verify('sha1', Buffer.from(id), key, Buffer.from(signature, 'base64'));
  } catch {
    throw refused();
  }
  if (!isGood) throw refused();
}

async function unseal(settings: VaultSettings, { clock }: RunnerContext): Promise<boolean> {
  if (settings.keys.length === 0)
    throw new VaultError('the option vault:keys is missing: it has the keys to unseal with.');
  for (const key of settings.keys) {
    const body = dict({ key });
    const { status, data } = await askVault(
      { ...settings, clock },
      { method: 'PUT', path: 'sys/unseal', body },
    );
    if (status !== 200)
      throw new VaultError(`Vault takes no key to unseal it: it answers ${status}${reasonsOf(data)}`);
    if (isDict(data) && data.get('sealed') === false) return true;
  }
  return false;
}

async function policies(
  ctx: RunnerContext,
  { policies: { patterns, refreshPillar } }: VaultSettings,
  id: string,
  refresh: boolean | undefined,
): Promise<string[]> {
  const known = ctx.cache.read(id, 'data');
  const grains = known?.get('grains') ?? dict({ id });
  const cached = known?.get('pillar');
  const isFresh = refresh ?? refreshPillar ?? !isDict(cached);
  // a pillar whose templates ask for secrets would ask for a token, and so on: it is made only where a pattern has it
  const isNeeded = patterns.some((pattern) => pattern.includes('{pillar['));
  const pillar = isFresh && isNeeded ? await ctx.call('pillar.show_pillar', [id]) : (cached ?? new Map());
  const fields = new Map<string, Value>([
    ['minion', id],
    ['grains', grains],
    ['pillar', pillar],
  ]);
  return policiesOf(patterns, fields, (pattern) =>
    ctx.log.warning(`Could not resolve policy pattern ${pyStr(pattern)} for minion ${id}`),
  );
}
