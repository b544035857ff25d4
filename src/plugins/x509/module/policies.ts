/** Signing policies: those of this minion, those of another, and having another minion sign. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { currentNames } from './issue.ts';
import { loadCertificate } from './load.ts';
import { toPem } from './sources.ts';

/** A signing policy of this minion; undefined where there is none of the name. */
async function policyNamed(ctx: ModuleContext, name: Value): Promise<Dict | undefined> {
  const sources = [
    () => ctx.functions.call('pillar.get', ['x509_signing_policies', dict()]),
    () => ctx.functions.call('config.get', ['x509_signing_policies', dict()]),
  ];
  let found: Dict | undefined;
  for (const source of sources) {
    const policies = await source();
    const policy = isDict(policies) ? policies.get(name) : undefined;
    if (isDict(policy)) found = new Map(policy);
    else if (Array.isArray(policy)) found = new Map(policy.flatMap((one) => (isDict(one) ? [...one] : [])));
    else if (policy !== undefined) found = new Map();
    if (found !== undefined && found.size > 0) return found;
  }
  return found;
}

/** A signing policy of this minion; empty where there is none of the name. */
export async function ownPolicy(ctx: ModuleContext, name: Value): Promise<Dict> {
  return (name === null ? undefined : await policyNamed(ctx, name)) ?? new Map();
}

/**
 * The policy by which this minion signs; empty where none is asked for.
 * Salt compat: Salt signs without a policy where there is none of the name.
 * @throws SaltInvocationError where there is none of the name
 */
export async function policyToSignBy(ctx: ModuleContext, name: Value): Promise<Dict> {
  if (!truthy(name)) return new Map();
  const policy = await policyNamed(ctx, name);
  if (policy === undefined)
    throw new SaltInvocationError(
      `There is no signing policy '${pyStr(name)}': neither the pillar nor the configuration of this minion has it in 'x509_signing_policies'.`,
    );
  return currentNames(policy, `x509_signing_policies:${pyStr(name)}`, ctx.log);
}

/**
 * Asks the minion that signs.
 * @returns the data of its answer
 * @throws SaltInvocationError, CommandExecutionError with what it says
 */
export async function askSigner(
  ctx: ModuleContext,
  caServer: Value,
  args: readonly [policy: Value, kwargs: Dict, policyOnly: boolean],
): Promise<Value> {
  const answers = await ctx.functions.call('publish.publish', [caServer, 'x509.sign_remote_certificate'], {
    arg: [...args],
  });
  const [answer] = isDict(answers) ? [...answers.values()] : [];
  if (answer === undefined)
    throw new SaltInvocationError(
      'ca_server did not respond. Salt master must permit peers to call the sign_remote_certificate function.',
    );
  if (!isDict(answer) || !answer.has('data')) {
    ctx.log.error(`Received invalid return value from ca_server: ${pyStr(answer)}`);
    throw new CommandExecutionError(
      'Received invalid return value from ca_server. See minion log for details',
    );
  }
  const errors = answer.get('errors');
  if (Array.isArray(errors) && errors.length > 0)
    throw new CommandExecutionError(`ca_server reported errors:\n${errors.map(pyStr).join('\n')}`);
  return answer.get('data') ?? null;
}

/** A signing policy, of this minion or of the one that signs. */
export async function policyOf(ctx: ModuleContext, name: Value, caServer: Value): Promise<Dict> {
  if (!truthy(caServer))
    return currentNames(await ownPolicy(ctx, name), `x509_signing_policies:${pyStr(name)}`, ctx.log);
  const answer = await askSigner(ctx, caServer, [name, new Map(), true]);
  const policy: Dict = isDict(answer) ? new Map(answer) : new Map();
  const signer = policy.get('signing_cert');
  if (signer !== undefined) policy.set('signing_cert', toPem('CERTIFICATE', loadCertificate(signer).whole));
  return currentNames(policy, `x509_signing_policies:${pyStr(name)} of ${pyStr(caServer)}`, ctx.log);
}

/** Whether a minion may use a policy. */
export async function mayUse(ctx: ModuleContext, test: Value, minion: string): Promise<boolean> {
  if (!pyStr(test).includes('@')) return truthy(await ctx.functions.call('match.glob', [test, minion]));
  // the minion itself is asked, which is why Salt's documents recommend globs
  const answers = await ctx.functions.call('publish.publish', [], {
    tgt: minion,
    fun: 'match.compound',
    arg: test,
  });
  const answer = isDict(answers) ? answers.get(minion) : undefined;
  if (answer === undefined)
    throw new CommandExecutionError(
      'Could not verify if minion matches compound matching expression. Make sure the ca_server is allowed to run `match.compound` on the requesting minion',
    );
  return truthy(answer);
}
