/**
 * Where a minion's functions have their token of Vault from: its own option, or its master (3006.16
 * salt/utils/vault.py).
 */
import { readFileSync } from 'node:fs';
import { sign } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import { Secret } from '../../../host/secret.ts';
import { VaultClient, VaultError, type ConnectionSource } from '../../../network/http/vault-client.ts';
import { issueToken } from '../../../network/http/vault-issue.ts';
import { KeptVaultConnection, type GivenConnection } from '../../../network/http/vault-kept.ts';
import { unwrapIssued } from '../../../network/http/vault-login.ts';
import { vaultSettings } from '../../../network/http/vault-settings.ts';
import { policiesOf } from '../../../runtime/pillar/ext/vault-pattern.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

/** One client for each job, so that a token is used as often as it may be. */
const ofJobs = new WeakMap<object, VaultClient>();

/** Vault, for the functions of one job. @throws VaultError when the option is not whole */
export function vaultOf(ctx: ModuleContext): VaultClient {
  const known = ofJobs.get(ctx.job);
  if (known !== undefined) return known;
  const { opts, clock, log } = ctx;
  const options = opts.get('vault');
  const source = sourceOf(ctx);
  const client = new VaultClient(
    source === undefined
      ? { options, clock, log, cachedir: cachedirOf(ctx) }
      : { options, clock, log, source },
  );
  ofJobs.set(ctx.job, client);
  return client;
}

/** The folder of the file that keeps a token. */
export function cachedirOf({ opts }: Pick<ModuleContext, 'opts'>): string {
  return pyStr(opts.get('cachedir') ?? '/var/cache/salt/minion');
}

/** Where tokens come from if not from the option of this program. */
function sourceOf(ctx: ModuleContext): ConnectionSource | undefined {
  const { opts, clock } = ctx;
  const given = opts.get('vault');
  const location = isDict(given) ? given.get('config_location') : undefined;
  if (location === 'local') return undefined;
  const isMaster = opts.get('__role') === 'master';
  if (isMaster && ctx.grains.has('id')) return onMaster(ctx);
  const isAlone =
    truthy(opts.get('local')) || opts.get('file_client') === 'local' || opts.get('master_type') === 'disable';
  if (location !== 'master' && (isAlone || isMaster)) return undefined;
  return new KeptVaultConnection({ cachedir: cachedirOf(ctx), clock }, () => fromMaster(ctx));
}

/** In pillar, a token with the policies of the minion that the pillar is for. */
function onMaster({ opts, clock, grains, pillar, log, job }: ModuleContext): ConnectionSource {
  const minionId = pyStr(grains.get('id') ?? '');
  const get: ConnectionSource['get'] = async () => {
    const settings = vaultSettings(opts.get('vault'));
    const fields = new Map<string, Value>([
      ['minion', minionId],
      ['grains', grains],
      ['pillar', pillar],
    ]);
    const policies = policiesOf(settings.policies.patterns, fields, (pattern) =>
      log.warning(`Could not resolve policy pattern ${pattern} for minion ${minionId}`),
    );
    const order = { minionId, policies, jid: job.jid, user: pyStr(opts.get('user') ?? 'root') };
    return connectionOf(await issueToken(settings, clock, order)).connection;
  };
  return { get, used: () => undefined, forget: () => undefined };
}

async function fromMaster(ctx: ModuleContext): Promise<GivenConnection> {
  const { opts, id } = ctx;
  const vault = opts.get('vault');
  const auth = isDict(vault) ? vault.get('auth') : undefined;
  const wish = (name: string): Value => (isDict(auth) ? (auth.get(name) ?? null) : null);
  const signature = signatureOf(ctx);
  const ask = (fun: string, arg: Value[]): Promise<Value> =>
    ctx.functions.call('publish.runner', [fun], { arg });
  const params = isDict(vault) ? (vault.get('issue_params') ?? null) : null;
  const config = await ask('vault.get_config', [id, signature, false, params]);
  // a master of 3006 has no such runner, and others may not allow it
  if (isDict(config) && config.size > 0) return fromConfig(ctx, config);
  const answer = await ask('vault.generate_token', [id, signature, false, wish('ttl'), wish('uses')]);
  if (!isDict(answer) || answer.size === 0) {
    const said = typeof answer === 'string' && answer !== '' ? ` (${answer})` : '';
    throw new VaultError(
      `the master gives no token${said}: its option peer_run must allow the minion vault.get_config, or vault.generate_token.`,
    );
  }
  requireGiven(answer);
  return connectionOf(answer);
}

/** @throws VaultError with what the master says in place of a token */
function requireGiven(answer: Dict): void {
  if (answer.has('error'))
    throw new VaultError(`the master gives no token: ${pyStr(answer.get('error') ?? '')}`);
}

/** A token with the configuration of 3007, mostly in a wrapping, which only the first can open. */
async function fromConfig({ clock }: ModuleContext, config: Dict): Promise<GivenConnection> {
  requireGiven(config);
  const part = (name: string): Dict => {
    const value = config.get(name);
    return isDict(value) ? value : new Map();
  };
  const [server, auth] = [part('server'), part('auth')];
  const [url, namespace, method] = [server.get('url'), server.get('namespace'), auth.get('method')];
  if (typeof url !== 'string') throw new VaultError('what the master says about Vault has no url.');
  if (method !== 'token')
    throw new VaultError(
      `the master gives ${pyStr(method ?? null)}, and only tokens are taken: set vault:issue:type to token there.`,
    );
  const place = {
    url,
    namespace: typeof namespace === 'string' ? namespace : undefined,
    verify: server.get('verify') ?? undefined,
    clock,
  };
  const given = auth.get('token');
  const wrapping = isDict(given) ? given.get('wrap_info') : undefined;
  const inside = isDict(wrapping) ? wrapping.get('token') : undefined;
  const token =
    typeof inside === 'string' ? await unwrapIssued(place, inside) : isDict(given) ? given : new Map();
  const uses = token.get('num_uses') ?? part('misc_data').get('token:num_uses') ?? 1;
  return connectionOf(
    new Map<Value, Value>([
      ...server,
      ['token', token.get('client_token') ?? null],
      ['uses', uses],
      ['lease_duration', token.get('lease_duration') ?? null],
      ['issued', Math.round(clock.nowMs() / 1000)],
      ['token_backend', part('cache').get('backend') ?? 'session'],
    ]),
  );
}

/** @throws VaultError when something is missing in what the master says */
function connectionOf(answer: Dict): GivenConnection {
  const [url, token, namespace] = [answer.get('url'), answer.get('token'), answer.get('namespace')];
  if (typeof url !== 'string' || typeof token !== 'string')
    throw new VaultError('what the master says about Vault has no token and url.');
  const uses = toNumber(answer.get('uses')) ?? 1;
  const backend = pyStr(answer.get('token_backend') ?? 'session');
  const leaseSeconds = toNumber(answer.get('lease_duration'));
  const issuedSeconds = toNumber(answer.get('issued'));
  return {
    connection: {
      url,
      token: new Secret(token),
      namespace: typeof namespace === 'string' ? namespace : undefined,
      verify: answer.get('verify') ?? undefined,
      ...(uses > 0 ? { uses } : {}),
    },
    isKept: !backend.includes('session') && uses !== 1,
    ...(leaseSeconds === undefined ? {} : { leaseSeconds }),
    ...(issuedSeconds === undefined ? {} : { issuedSeconds }),
  };
}

/** The minion's id, signed with its key, by which the master knows who asks. */
function signatureOf({ opts, id }: ModuleContext): string {
  const path = join(pyStr(opts.get('pki_dir') ?? '/etc/salt/pki/minion'), 'minion.pem');
  try {
    return sign('sha1', Buffer.from(id), readFileSync(path)).toString('base64');
  } catch (error) {
    throw new VaultError(`the minion's key ${path} cannot sign: ${messageOf(error)}`, { cause: error });
  }
}
