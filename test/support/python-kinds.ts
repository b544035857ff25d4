/**
 * The kinds of extensions that no job calls, on ours: beacons, engines, sources of top data, log-ins, reactor files.
 * What each gives has the form in which `test/compare/python-extensions/record_kinds.py` has recorded a real Salt's.
 */
import { join } from 'node:path';
import { loadMasterConfig } from '../../src/config/load.ts';
import type { MasterOptions } from '../../src/config/master-options.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { systemClock, type Clock } from '../../src/host/clock.ts';
import { createLogger, LOG_LEVELS, silentLogger, type Logger } from '../../src/host/log.ts';
import { rareLog } from '../../src/host/rare-lines.ts';
import { systemRandom } from '../../src/host/random.ts';
import { Secret } from '../../src/host/secret.ts';
import type { AuthBackend } from '../../src/plugins/shared/auth/backend.ts';
import { openOwnAuth, type OwnAuth } from '../../src/plugins/shared/auth/own-auth.ts';
import { Beacons } from '../../src/plugins/registry/beacon/beacons.ts';
import type { BeaconSpec } from '../../src/plugins/shared/beacon/beacon.ts';
import { EngineRefusal, type EngineContext } from '../../src/plugins/shared/engine/engine.ts';
import { boundOptions } from '../../src/programs/engines/run-engine.ts';
import { findEngine } from '../../src/programs/engines/find-engine.ts';
import { OwnBeacons } from '../../src/programs/minion/own-beacons.ts';
import type { MinionState } from '../../src/programs/minion/state.ts';
import { ReactionRenderer } from '../../src/programs/reactor/render-reactions.ts';
import { masterMinion } from '../../src/programs/runner/master-minion.ts';
import { PythonError } from '../../src/python/exceptions.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import type { MinionServices, ModuleContext } from '../../src/runtime/loader/module.ts';
import { MasterTops } from '../../src/runtime/tops/master-tops.ts';
import { pythonTops } from '../../src/runtime/tops/python-tops.ts';
import type { FindTop } from '../../src/runtime/tops/top-source.ts';

/** The kinds. */
export const KINDS: readonly string[] = ['beacon', 'engine', 'tops', 'auth', 'reactor'];

const [log, random] = [silentLogger, systemRandom];
/** A look is waited for, however long it takes. */
const clock: Clock = {
  ...systemClock,
  sleep: (_, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
};
/** The site that is asked. */
export interface KindsSite {
  readonly root: string;
  /** Its minion. */
  readonly state: () => Promise<MinionState>;
  readonly services: (state: MinionState) => MinionServices;
}

/** Asks the kinds. Close it. */
export class PythonKinds {
  readonly #site: KindsSite;
  readonly #ended = new AbortController();
  #beacons: OwnBeacons | undefined;
  #auth: Promise<OwnAuth> | undefined;
  #reactor: Promise<ReactionRenderer> | undefined;
  #master: MasterOptions | undefined;
  #findTop: FindTop | undefined;
  /** What sources of top data do when nobody has asked them for long: their process ends. */
  readonly #idle = new Set<() => void>();

  constructor(site: KindsSite) {
    this.#site = site;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const end of this.#idle) end();
    (await this.#auth)?.close();
  }

  /** @param words what is asked, as `cases.yaml` has it */
  async ask(kind: string, words: string): Promise<Value> {
    const [name = '', rest = ''] = /^(\S+)(?: (.*))?$/.exec(words)?.slice(1) ?? [];
    const given = rest === '' ? dict() : loadYaml(rest);
    if (!isDict(given)) throw new Error(`no mapping: ${words}`);
    if (kind === 'beacon') return this.#looks(Number(name), given);
    if (kind === 'engine') return this.#engine(name, given);
    if (kind === 'tops') return this.#tops(name, given);
    return kind === 'auth' ? this.#logIn(name, given) : this.#react(name, given);
  }

  get #masterOpts(): MasterOptions {
    return (this.#master ??= loadMasterConfig({ configDir: this.#site.root, env: {}, log }));
  }

  #context(state: MinionState, more: Partial<MinionServices> = {}): ModuleContext {
    const job = { jid: '', fun: 'kinds', pub: dict() };
    return state.context(job, { ...this.#site.services(state), ...more }, this.#ended.signal);
  }

  async #looks(times: number, configured: Dict): Promise<Value> {
    const state = await this.#site.state();
    const own = (this.#beacons ??= new OwnBeacons({
      ...{ clock, log, surroundings: () => state },
      functions: () => this.#context(state),
    }));
    const found = await own.find();
    const refused: Value[] = [];
    const say = ({ message }: { readonly message: string }): void =>
      void (message.includes('configuration invalid') && refused.push(message.split('\n').at(-1) ?? ''));
    const told = createLogger('test', [{ level: LOG_LEVELS.error, write: say }]);
    const beacons = this.#newBeacons(state, told, { configured, found });
    const looks: Value[] = [];
    for (let look = 0; look < times; look++)
      looks.push(
        (await beacons.process()).map(({ tag, data, beaconName, error }) =>
          dict({ tag, data, beacon_name: beaconName, ...(error === undefined ? {} : { error }) }),
        ),
      );
    beacons.close();
    return dict({ refused, looks });
  }

  #newBeacons(
    state: MinionState,
    log: Logger,
    { configured, found }: { readonly configured: Dict; readonly found: ReadonlyMap<string, BeaconSpec> },
  ): Beacons {
    return new Beacons({
      id: state.id,
      context: { clock, log, call: (fun, args) => this.#context(state).functions.call(fun, args) },
      configured,
      pillar: () => undefined,
      own: () => Promise.resolve(found),
      isStateRunning: () => false,
    });
  }

  async #engine(engine: string, options: Dict): Promise<Value> {
    const state = await this.#site.state();
    const events: Value[] = [];
    const fireLocal = (tag: string, data: Dict): Promise<boolean> =>
      Promise.resolve(events.push([tag, data]) > 0);
    const functions = this.#context(state, { fireLocal });
    const { opts, grains, pillar, id } = state;
    const ctx: EngineContext = {
      ...({ role: 'minion', id, opts, grains, pillar, clock, log, signal: this.#ended.signal } as const),
      fire: fireLocal,
      events: () => {
        throw new Error('no engine of the site listens');
      },
      call: (fun, args, kwargs) => functions.functions.call(fun, args ?? [], kwargs ?? dict()),
      functions: () => functions,
    };
    try {
      const spec = await findEngine({ title: engine, engine, options, kind: 'engine' }, ctx);
      await spec.start(ctx, boundOptions(spec, options, 'minion'));
      return dict({ events, raised: null });
    } catch (error) {
      if (error instanceof EngineRefusal) return error.message;
      return dict({ events, raised: raisedBy(error) });
    }
  }

  /** A clock on which the time in which nobody asks ends when all is closed. */
  #patient(): Clock {
    return {
      ...clock,
      after: (delayMs, run, options) => {
        if (options?.background !== true) return clock.after(delayMs, run, options);
        this.#idle.add(run);
        return { cancel: () => void this.#idle.delete(run) };
      },
    };
  }

  async #tops(minionId: string, settings: Dict): Promise<Value> {
    const opts = new Map(this.#masterOpts.toDict()).set('master_tops', settings.get('master_tops') ?? null);
    const own = (this.#findTop ??= pythonTops(opts, { clock: this.#patient(), log }));
    const grains = settings.get('grains') as Dict;
    try {
      const asked = { minionId, opts: dict({ id: minionId, grains }), grains };
      return await new MasterTops({ opts, own, clock, random, log }).of(asked);
    } catch (error) {
      return String(error);
    }
  }

  async #logIn(system: string, given: Dict): Promise<Value> {
    const own = await (this.#auth ??= openOwnAuth(this.#masterOpts.toDict(), { clock, log }));
    const opts = this.#masterOpts.toDict();
    const backend = own.find(system)?.make({ opts, config: dict(), clock, log });
    const [username, password] = ['username', 'password'].map((name) => pyStr(given.get(name) ?? null));
    const credentials = { username: username ?? '', password: new Secret(password ?? '') };
    const ask = async (make: (backend: AuthBackend) => Promise<Value | undefined> | undefined) => {
      if (backend === undefined) return undefined;
      try {
        return await make(backend);
      } catch {
        return undefined; // it counts as a no
      }
    };
    return dict({
      auth: (await ask((one) => one.authenticate(credentials))) ?? false,
      groups: (await ask(async (one) => [...((await one.groups?.(credentials)) ?? [])])) ?? [],
      acl: (await ask((one) => one.acl?.(credentials))) ?? null,
    });
  }

  async #react(file: string, event: Dict): Promise<Value> {
    this.#reactor ??= this.#newReactor();
    const seen = { tag: pyStr(event.get('tag') ?? null), data: event.get('data') as Dict };
    return (await this.#reactor).chunks(seen, [join(this.#site.root, 'srv', 'react', `${file}.sls`)]);
  }

  async #newReactor(): Promise<ReactionRenderer> {
    const opts = this.#masterOpts.toDict();
    const { signal } = this.#ended;
    const deps = { opts, id: pyStr(opts.get('id') ?? null), jid: '', fun: 'reactor', signal };
    const context = await masterMinion({ ...deps, clock: systemClock, random, log });
    return new ReactionRenderer({ context: () => Promise.resolve(context), log: rareLog(log, clock) });
  }
}

function raisedBy(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof PythonError) return `${cause.type}: ${pyStr(cause.message)}`;
  return String(cause);
}
