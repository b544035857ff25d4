/**
 * The authentication systems of a configuration: which it names, what is wrong with them, and each when it is needed.
 */
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { AuthBackend, BackendContext, BackendSpec } from '../../shared/auth/backend.ts';
import { AUTH_BACKENDS } from './table.generated.ts';

/** What all of them work with. */
export interface ConfiguredAuthDeps {
  /** The master's whole configuration. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly log: Logger;
  /** Has a name taken once among several masters; not set where there is one. */
  readonly useOnce?: BackendContext['useOnce'];
  /**
   * An authentication system of the site's own, which comes before a built-in one; undefined when there is none of that
   * name.
   */
  readonly custom?: (name: string) => BackendSpec | undefined;
}

/** The authentication systems that `external_auth` names. */
export class ConfiguredAuth {
  readonly #deps: ConfiguredAuthDeps;
  readonly #made = new Map<string, AuthBackend>();

  constructor(deps: ConfiguredAuthDeps) {
    this.#deps = deps;
  }

  /** The names in `external_auth`. */
  get names(): readonly string[] {
    return [...externalAuthOf(this.#deps.opts).keys()].map(pyStr);
  }

  /** Its entries: users, groups, and settings that begin with `^`; undefined for one that is not named. */
  entries(name: string): Dict | undefined {
    const entries = externalAuthOf(this.#deps.opts).get(name);
    if (entries === undefined) return undefined;
    return isDict(entries) ? entries : new Map();
  }

  /** @returns undefined for a system that `external_auth` does not name, or that is not there */
  backend(name: string): AuthBackend | undefined {
    return this.entries(name) === undefined ? undefined : this.#make(name);
  }

  /** `eauth_acl_module`: the system that knows everybody's rules; it need not be one to log in with. */
  aclModule(): AuthBackend | undefined {
    const name = this.#deps.opts.get('eauth_acl_module');
    return typeof name === 'string' && name !== '' ? this.#make(name) : undefined;
  }

  /** What keeps each of them from working, as sentences without full stops. */
  faults(): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of this.names) {
      const spec = this.#spec(name);
      const fault =
        spec === undefined
          ? `there is no authentication system ${name}; there are ${[...AUTH_BACKENDS.keys()].sort().join(', ')}, and files in auth_dirs or <extension_modules>/auth`
          : spec.fault?.(this.#context(name));
      if (fault !== undefined) found.set(name, fault);
    }
    return found;
  }

  async close(): Promise<void> {
    for (const backend of this.#made.values()) await backend.close?.();
  }

  #make(name: string): AuthBackend | undefined {
    const made = this.#made.get(name) ?? this.#spec(name)?.make(this.#context(name));
    if (made !== undefined) this.#made.set(name, made);
    return made;
  }

  #spec(name: string): BackendSpec | undefined {
    return this.#deps.custom?.(name) ?? AUTH_BACKENDS.get(name);
  }

  #context(name: string): BackendContext {
    const { opts, clock, log, useOnce } = this.#deps;
    return { opts, clock, log, useOnce, config: this.entries(name) ?? new Map() };
  }
}

function externalAuthOf(opts: Dict): Dict {
  const value: Value | undefined = opts.get('external_auth');
  return isDict(value) ? value : new Map();
}
