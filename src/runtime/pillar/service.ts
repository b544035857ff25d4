/** Pillar as programs use it: one object that knows how to make and keep the pillars of all minions. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { rareLog, rareLines, type RareLog } from '../../host/rare-lines.ts';
import type { Random } from '../../host/random.ts';
import { TemplateCache } from '../../formats/jinja/index.ts';
import { ParsedTexts } from '../renderers/parsed-texts.ts';
import { RenderPipe } from '../renderers/pipe.ts';
import type { TemplateFunctions } from '../renderers/renderer.ts';
import { saltCompatVersion } from '../../version.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { findOwnMatcher } from './own-matchers.ts';
import type { PillarCache } from './cache.ts';
import { pillarCache } from './cache.ts';
import { compilePillar, mergeSources, pillarTop } from './compile.ts';
import type { PillarCompilerDeps, PillarRequest } from './request.ts';
import { cmdJson, cmdYaml, cmdYamlex, hieraPillar, puppetPillar } from './ext/command.ts';
import { csvPillar } from './ext/csv.ts';
import { decryptingPillar } from './ext/decrypting.ts';
import { etcdPillar } from './ext/etcd.ts';
import { hgPillar, svnPillar } from './ext/checkouts.ts';
import { cobblerPillar, foremanPillar } from './ext/host-service.ts';
import { ldapPillar } from './ext/ldap.ts';
import { mongoPillar } from './ext/mongo.ts';
import { s3Pillar } from './ext/s3.ts';
import { varstackPillar } from './ext/varstack.ts';
import type { ExtPillar, ExtPillarContext } from './ext/ext-pillar.ts';
import type { ExtPillarName } from './ext/names.ts';
import { extraMinionDataPillar } from './ext/extra-minion-data.ts';
import { fileTree } from './ext/file-tree.ts';
import { gitPillar } from './ext/git.ts';
import { reclassPillar } from './ext/reclass.ts';
import { saltclassSource } from './ext/saltclass.ts';
import { vaultPillar } from './ext/vault.ts';
import { consulPillar } from './ext/consul.ts';
import { httpJson, httpYaml } from './ext/http-json.ts';
import { nodegroupsPillar } from './ext/nodegroups.ts';
import { redisPillar } from './ext/redis.ts';
import { mysqlPillar, postgresPillar, sqlitePillar } from './ext/sql.ts';
import { stackPillar } from './ext/stack.ts';
import { pillarModules, type PillarModules } from './own-modules.ts';
import { findInstalledPillar, findOwn, findOwnPillar } from './find-own.ts';
import { missingSources } from './external.ts';

/** What pillar is made with. */
export interface PillarServiceDeps {
  /** The options of the compiling program, by Salt's names. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The program that uses it makes it itself (no master does): errors may show lines of the files. Default false. */
  readonly isForOwnUse?: boolean;
  /** The functions behind `salt`, with a minion's options, grains and pillar; `own` finds a site's own on a master. */
  readonly functions: (
    context: {
      readonly opts: Dict;
      readonly grains: Dict;
      readonly pillar: Dict;
    },
    own: PillarModules,
  ) => TemplateFunctions;
}

/** Makes pillars. */
export class PillarService {
  readonly #deps: PillarCompilerDeps;
  readonly #cache: PillarCache | undefined;
  readonly #log: RareLog;

  constructor(given: PillarServiceDeps) {
    // one broken source or file is in the way of each minion's pillar, every time
    const log = rareLog(given.log, given.clock);
    const deps = { ...given, log };
    const { opts, clock, random, isForOwnUse = false } = deps;
    this.#log = log;
    const own = pillarModules({ clock, log, owner: this });
    const functions: PillarCompilerDeps['functions'] = (context) => deps.functions(context, own);
    const pipe = new RenderPipe(
      { cache: new TemplateCache(), clock, random, log },
      findOwn(deps, this),
      new ParsedTexts(clock),
    );
    this.#deps = {
      opts,
      pipe,
      log,
      isForOwnUse,
      failed: rareLines(clock, (text, error) => given.log.error(text, error)),
      functions,
      ownMatcher: (of, kind) => findOwnMatcher(of, kind, { clock, log, owner: this }),
      ownPillar: findOwnPillar({ clock, log, owner: this }, functions),
      installedPillar: findInstalledPillar({ clock, log, owner: this }, functions),
      extPillars: this.#sources({ ...deps, functions }, pipe),
      version: saltCompatVersion,
    };
    this.#cache = pillarCache(opts, clock);
  }

  /**
   * The pillar of a minion, from the cache when there is one. Salt compat: what is made with an override, or with an
   * external pillar that was asked for, is neither taken out of the cache nor put there; Salt gives it to whoever asks
   * next.
   * @param fresh forgets what is kept before
   */
  async pillar(request: PillarRequest, fresh = false): Promise<Dict> {
    const cache = this.#cache;
    if (!cache) return this.compile(request);
    if (fresh) cache.clear(request.minionId);
    if (request.override.size > 0 || truthy(request.ext ?? null)) return this.compile(request);
    const known = cache.get(request.minionId, request);
    if (known) return known;
    const pillar = await this.compile(request);
    cache.set(request.minionId, request, pillar);
    return pillar;
  }

  /** The external pillars that this program has, by the names that `ext_pillar` takes. */
  #sources(
    deps: Omit<PillarServiceDeps, 'functions'> & Pick<PillarCompilerDeps, 'functions'>,
    pipe: RenderPipe,
  ): ReadonlyMap<string, ExtPillar> {
    const { clock, random, log } = deps;
    const compile = (context: ExtPillarContext, roots: Dict, env: string): Promise<Dict> =>
      this.#foldersPillar(context, roots, env);
    const sources: Readonly<Record<ExtPillarName, ExtPillar>> = {
      cmd_json: cmdJson(clock),
      vault: vaultPillar(clock),
      cmd_yaml: cmdYaml(clock),
      cmd_yamlex: cmdYamlex(clock),
      cobbler: cobblerPillar(clock),
      csv: csvPillar,
      etcd: etcdPillar(clock),
      foreman: foremanPillar(clock),
      gpg: decryptingPillar('gpg'),
      hg: hgPillar({ clock, random, compile }),
      hiera: hieraPillar(clock),
      mongo: mongoPillar,
      nacl: decryptingPillar('nacl'),
      pillar_ldap: ldapPillar(pipe),
      puppet: puppetPillar(clock),
      s3: s3Pillar({ clock, compile }),
      svn: svnPillar({ clock, random, compile }),
      varstack: varstackPillar,
      file_tree: fileTree(pipe),
      git: gitPillar({ clock, random, merge: mergeSources, compile }),
      consul: consulPillar(clock),
      http_json: httpJson(),
      http_yaml: httpYaml(),
      mysql: mysqlPillar,
      extra_minion_data_in_pillar: extraMinionDataPillar,
      nodegroups: nodegroupsPillar,
      postgres: postgresPillar,
      redis: redisPillar,
      sqlite3: sqlitePillar,
      stack: stackPillar({ clock, random, log }, deps.functions),
      reclass: reclassPillar,
      saltclass: saltclassSource(deps, deps.functions),
    };
    return new Map(Object.entries(sources));
  }

  /** The pillar of folders that an external pillar has: without external pillars, and decrypted with the rest. */
  async #foldersPillar(context: ExtPillarContext, roots: Dict, environment: string): Promise<Dict> {
    const { opts, minionId, grains, errors } = context;
    const pillarenv = opts.get('pillarenv');
    const inner = new Map<Value, Value>([
      ...opts,
      ['pillar_roots', roots],
      ['ext_pillar', []],
      ['decrypt_pillar', []],
      ['pillar_opts', false],
    ]);
    const pillar = await compilePillar(
      { ...this.#depsFor(minionId), opts: inner },
      {
        minionId,
        grains,
        saltenv: environment,
        pillarenv: typeof pillarenv === 'string' ? pillarenv : null,
        override: new Map(),
      },
    );
    const faults = pillar.get('_errors');
    if (Array.isArray(faults)) errors.push(...faults.map(pyStr));
    pillar.delete('_errors');
    return pillar;
  }

  /** The pillar of a minion made anew, whatever is kept. */
  compile(request: PillarRequest): Promise<Dict> {
    return compilePillar(this.#depsFor(request.minionId), request);
  }

  /** Says which sources of `ext_pillar` are not there, without which no minion gets a pillar. */
  async sayMissingSources(): Promise<void> {
    for (const sentence of await missingSources({ deps: this.#deps, opts: this.#deps.opts }))
      this.#log.error(sentence);
  }

  /** The top data of a minion. */
  top(request: PillarRequest): Promise<{ top: Dict; errors: string[] }> {
    return pillarTop(this.#depsFor(request.minionId), request);
  }

  #depsFor(minionId: string): PillarCompilerDeps {
    return { ...this.#deps, log: this.#log.about(minionId) };
  }
}
