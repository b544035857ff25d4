/**
 * What a master finds out about its external authentication before it starts: better than each log-in failing later.
 */
import { compilePattern } from '../../../python/regex/pattern.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { UnservedOptionError } from '../../../errors/errors.ts';
import { systemClock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { ApiTokens } from '../../../storage/tokens/api-tokens.ts';
import { given } from '../../../runtime/access/auth-list.ts';
import { faultsOfRoles } from '../../../runtime/access/roles.ts';
import { faultOfRules } from '../../../runtime/access/rule-forms.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';

/** @throws UnservedOptionError, exit code 78, naming each system that cannot work, and why */
export async function checkExternalAuth(opts: MasterOptions, log: Logger): Promise<void> {
  const faults = new Map([
    ...(truthy(opts.raw('external_auth') ?? null) ? await faultsOfLogins(opts, log) : []),
    ...faultsOfRoles(opts.get('roles')),
  ]);
  if (faults.size > 0)
    throw new UnservedOptionError(
      'salt-master does not start, because what it is to let people in by cannot work:\n' +
        [...faults].map(([name, why]) => `  ${name}: ${why}.\n`).join('') +
        'Set it right, or take it out of the configuration.',
    );
  warnOfLostRoles(opts, log);
  warnOfRules(opts, log);
  warnOfPeers(opts, log);
}

/** Entries of `peer` and `peer_run` that allow nothing. Salt compat: Salt passes over them without a word. */
function warnOfPeers(opts: MasterOptions, log: Logger): void {
  for (const option of ['peer', 'peer_run'] as const)
    for (const [pattern, list] of opts.get(option)) {
      const place = `${option}:${pyStr(pattern)}`;
      const rules = given(list, '').map(({ rule }) => rule);
      const fault = faultOfRules(rules);
      if (rules.length === 0) log.warning(`${place} names no function, and so allows nothing.`);
      else if (fault !== undefined) log.warning(`In ${place}, ${fault}.`);
      else if (option === 'peer_run' && rules.some((rule) => typeof rule !== 'string'))
        log.warning(
          `In ${place}, what is allowed for some minions only allows nothing: a runner runs on the master. Name runners alone.`,
        );
      if (typeof pattern === 'string' && !isExpression(pattern))
        log.warning(`${place} is no regular expression, and so fits no minion. For all of them: .*`);
    }
}

function isExpression(pattern: string): boolean {
  try {
    compilePattern(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Rules in a form that nothing fits. Salt compat: Salt passes over them without a word. */
function warnOfRules(opts: MasterOptions, log: Logger): void {
  const tables: [string, Value][] = [['publisher_acl', opts.get('publisher_acl')]];
  for (const [name, entries] of opts.get('external_auth'))
    tables.push([`external_auth:${pyStr(name)}`, entries]);
  for (const [table, entries] of tables)
    for (const [name, list] of isDict(entries) ? entries : []) {
      const entry = pyStr(name);
      if (entry.startsWith('^')) continue;
      const fault = faultOfRules(given(list, '').map(({ rule }) => rule));
      if (fault !== undefined) log.warning(`In ${table}:${entry}, ${fault}.`);
    }
}

/** API tokens whose roles are no longer there have less than they were made with. */
function warnOfLostRoles(opts: MasterOptions, log: Logger): void {
  const roles = opts.get('roles');
  for (const { name, roles: its } of new ApiTokens(opts.get('pki_dir')).list()) {
    const lost = its.filter((role) => !roles.has(role));
    if (lost.length > 0)
      log.warning(`The API token ${name} has roles that the option roles does not name: ${lost.join(', ')}.`);
  }
}

async function faultsOfLogins(opts: MasterOptions, log: Logger): Promise<Map<string, string>> {
  const [{ ConfiguredAuth }, { openOwnAuth }, { TOKEN_STORES }] = await Promise.all([
    import('../../../plugins/registry/auth/configured.ts'),
    import('../../../plugins/shared/auth/own-auth.ts'),
    import('../../../storage/tokens/open.ts'),
  ]);
  const deps = { clock: systemClock, log };
  const own = await openOwnAuth(opts.toDict(), deps);
  own.close();
  const auth = new ConfiguredAuth({ opts: opts.toDict(), ...deps, custom: own.find });
  const faults = auth.faults();
  const aclModule = opts.get('eauth_acl_module');
  if (aclModule !== '' && auth.aclModule()?.acl === undefined)
    faults.set('eauth_acl_module', `there is no authentication system ${aclModule} that keeps rules`);
  const store = opts.get('eauth_tokens');
  if (!TOKEN_STORES.has(store))
    faults.set('eauth_tokens', `there is no store ${store}; there are ${[...TOKEN_STORES].join(', ')}`);
  return faults;
}
