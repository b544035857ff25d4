/**
 * Parameters that functions and states of Docker share, and a word about those of Python's client that have no effect
 * here.
 */
import { pyRepr } from '../../../python/values/repr.ts';
import { truthy, valuesEqual, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

const TIMEOUT_SECONDS = 60;

/** How keywords are read. */
export const CHOICE = {
  skip_translate: param.value({
    default: null,
    type: 'str or list',
    doc: 'Keywords that are handed on as they are; True: all.',
  }),
  ignore_collisions: param.flag({ default: false, doc: 'Take a keyword under two names.' }),
  validate_ip_addrs: param.flag({ default: true, doc: 'Look at addresses whether they are some.' }),
} as const;

/** How long Python's client waits. */
export const CLIENT_TIMEOUT = {
  client_timeout: param.value({
    default: TIMEOUT_SECONDS,
    type: 'int',
    doc: 'Has no effect, of which a warning tells: what takes long is waited for.',
  }),
} as const;

/** What Python's client once told the daemon of a registry. */
export const INSECURE_REGISTRY = {
  insecure_registry: param.value({
    default: false,
    type: 'bool',
    doc: 'Has no effect, of which a warning tells: name the registry in the daemon.json of the daemon.',
  }),
} as const;

/** Warns of what was said and has no effect. */
export function warnWithoutEffect(
  ctx: Pick<ModuleContext, 'log'>,
  given: { readonly client_timeout?: Value; readonly insecure_registry?: Value },
): void {
  const { client_timeout = null, insecure_registry = null } = given;
  if (client_timeout !== null && !valuesEqual(client_timeout, TIMEOUT_SECONDS))
    ctx.log.warning(
      `docker: client_timeout ${pyRepr(client_timeout)} has no effect here: what takes long is waited for`,
    );
  if (truthy(insecure_registry))
    ctx.log.warning(
      'docker: insecure_registry has no effect: name the registry under insecure-registries in the daemon.json of the daemon',
    );
}
