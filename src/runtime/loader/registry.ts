/**
 * The loader: finds functions by full name, importing module files on first use (Salt's LazyLoader, 3006.16
 * salt/loader/lazy.py), and the {@link FunctionCaller} that modules call each other through.
 */
import { CommandExecutionError, messageOf } from '../../errors/errors.ts';
import { asData, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { checkedCall } from './built-in-calls.ts';
import { bindCall } from './bind.ts';
import type { ModuleEntry } from './module-entry.ts';
import type {
  CatalogKind,
  FunctionCaller,
  FunctionLookup,
  FunctionSource,
  FunctionSpec,
  LoadContext,
  LoadFunctions,
  ModuleContext,
  ModuleDescription,
  ModuleSpec,
} from './module.ts';
import { withoutMinion } from './no-minion.ts';
import { checkWords } from './words.ts';

/** What a registry is built from. */
export interface RegistryOptions extends LoadContext {
  /**
   * Which options leave modules out: `disable_states`; or, by default, `disable_modules`, `whitelist_modules` and
   * `providers`.
   */
  readonly kind?: 'modules' | 'states';
  /** The modules of this program, of the wanted kind. */
  readonly table: readonly ModuleEntry[];
  /** The returners, for `ret.*`. */
  readonly returners?: () => Promise<FunctionSource>;
  /** Modules of the other kinds, for `sys.*`; each is asked for when needed. */
  readonly catalogs?: Partial<Record<CatalogKind, () => Promise<ReadonlyMap<string, ModuleDescription>>>>;
  /**
   * Custom modules, asked for once; they come before those of this program. With `file` only what the file of that name
   * has.
   */
  readonly custom?: (context: LoadContext, file?: string) => Promise<readonly CustomModule[]>;
  /** Names of the custom files, known without loading them; undefined where any of them may stand for any module. */
  readonly customFiles?: (opts: Dict) => ReadonlySet<string> | undefined;
  /** Modules of an installed Salt, asked for by name when nobody else has the module, or the function. */
  readonly installed?: (name: string, context: LoadContext) => Promise<readonly CustomModule[]>;
  /** The state modules that belong to these modules, made when they are first asked for. */
  readonly states?: (context: LoadContext) => Promise<ModuleRegistry>;
  /** What functions work with that a module calls while it is loaded. */
  readonly parts?: Pick<ModuleContext, 'clock' | 'random' | 'log'>;
}

/** A custom module, or why it cannot be used here. */
export type CustomModule =
  | {
      readonly file: string;
      readonly name: string;
      readonly load: () => Promise<ModuleSpec>;
      /** It is written for Salt. */
      readonly isPython?: boolean;
    }
  | { readonly file: string; readonly name: string; readonly unavailable: string }
  /** It cannot be loaded; the module of this program with that name, if any, stays in its place. */
  | { readonly file: string; readonly name: string; readonly broken: string };

/** A module is not for this machine, in its own words. */
export class UnavailableModule extends Error {}

/** One virtual name after its files were tried. */
type Loaded =
  | {
      readonly module: ModuleSpec;
      /** Why files of this name were left out. */ readonly leftOut?: string | undefined;
    }
  | {
      readonly module?: undefined;
      readonly reason: string;
      readonly isBroken?: boolean;
      /** No file of this name was left out, only one of another name that would have been known by it. */
      readonly isOtherFile?: boolean;
    };

/**
 * The execution modules that one minion may use. Holds no job: give each job its own {@link FunctionCaller} from
 * {@link ModuleRegistry.caller}. Build a new one to reload modules or after grains have changed.
 */
export class ModuleRegistry implements FunctionSource {
  readonly #options: RegistryOptions;
  readonly #entries = new Map<string, ModuleEntry[]>();
  readonly #loaded = new Map<string, Promise<Loaded>>();
  readonly #installed = new Map<string, Promise<Loaded | undefined>>();
  readonly #disabled: string[] = [];
  readonly #limits: Limits;
  readonly #first = new Map<string, Promise<ModuleSpec | undefined>>();
  #custom: Promise<readonly CustomModule[]> | undefined;
  #files: { readonly names: ReadonlySet<string> | undefined } | undefined;
  #states: Promise<FunctionSource> | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#limits = limitsOf(options);
    const { disabled, whitelist, providers } = this.#limits;
    for (const entry of options.table) {
      // Salt compat: Salt's white list is checked only until all modules were loaded once; here it always holds.
      const listed =
        whitelist.length === 0 || whitelist.includes(entry.name) || whitelist.includes(entry.file);
      const forced = isDict(providers) ? providers.get(entry.name) : undefined;
      if (disabled.includes(entry.file) || !listed) {
        this.#disabled.push(entry.file);
        continue;
      }
      const rivals = this.#entries.get(entry.name) ?? [];
      if (entry.file === forced) rivals.unshift(entry);
      else rivals.push(entry);
      this.#entries.set(entry.name, rivals);
    }
  }

  /** One module by virtual name; undefined when it is unknown, disabled or unavailable here. */
  async module(name: string): Promise<ModuleSpec | undefined> {
    return (await this.#named(name))?.module;
  }

  /** Looks up `module.function`. */
  async find(fun: string): Promise<FunctionLookup> {
    const dot = fun.indexOf('.');
    const moduleName = dot < 0 ? fun : fun.slice(0, dot);
    const first = await this.#firstFile(moduleName);
    const early = ownFunction(first, fun.slice(dot + 1));
    if (first !== undefined && early !== undefined && dot >= 0) return { spec: early, module: first };
    const loaded = await this.#named(moduleName);
    if (loaded && !loaded.module) {
      if (loaded.isBroken) return { missing: `'${fun}' is not available: ${loaded.reason}` };
      if (loaded.isOtherFile === true) return { missing: `'${fun}' is not available.` };
      const reason = loaded.reason === '' ? '' : `: ${loaded.reason}`;
      return { missing: `'${moduleName}' __virtual__ returned False${reason}` };
    }
    const name = fun.slice(dot + 1);
    const spec = dot < 0 ? undefined : ownFunction(loaded?.module, name);
    if (loaded?.module !== undefined && dot >= 0 && !spec) {
      const further = (await this.#fromInstalled(moduleName))?.module;
      const found = ownFunction(further, name);
      if (further !== undefined && found !== undefined) return { spec: found, module: further };
    }
    if (loaded?.leftOut !== undefined && !spec)
      return { missing: `'${fun}' is not available: ${loaded.leftOut}` };
    if (!loaded || !spec) return { missing: await this.#missingText(fun) };
    return { spec, module: loaded.module };
  }

  /**
   * Whether a function is to run in a process of its own. Where the table says so the file is not imported: who hands a
   * function to a process need not keep in memory what only that process calls. A custom function in its place would
   * run in a process, too.
   */
  async isIsolated(fun: string): Promise<boolean> {
    return this.#isListedIsolated(fun) || (await this.find(fun)).spec?.isolation === 'process';
  }

  /** Why a function cannot be called; undefined when it can. Imports no file of which the table says enough. */
  async missing(fun: string): Promise<string | undefined> {
    return this.#isListedIsolated(fun) ? undefined : (await this.find(fun)).missing;
  }

  #isListedIsolated(fun: string): boolean {
    const dot = fun.indexOf('.');
    const entries = dot < 0 ? undefined : this.#entries.get(fun.slice(0, dot));
    return entries?.some(({ isolated }) => isolated?.includes(fun.slice(dot + 1)) === true) === true;
  }

  /**
   * Names that modules of this program and custom files have, whether they are available here or not. Imports nothing.
   */
  names(): string[] {
    const { customFiles, opts } = this.#options;
    return [...new Set([...this.#entries.keys(), ...(customFiles?.(opts) ?? [])])];
  }

  /** Every module that is available here, sorted by name. Imports all of them. */
  async modules(): Promise<ReadonlyMap<string, ModuleSpec>> {
    const own = (await this.#ownModules()).map((custom) => custom.name);
    const names = [...new Set([...this.#entries.keys(), ...own])].sort();
    const modules = await Promise.all(names.map((name) => this.module(name)));
    const out = new Map<string, ModuleSpec>();
    for (const module of modules) if (module) out.set(module.name, module);
    return out;
  }

  /** The files that are not in use here. */
  async notLoaded(): Promise<readonly string[]> {
    const used = new Set([...(await this.modules()).values()].map((module) => module.file));
    const files = [...this.#entries.values()].flat().map((entry) => entry.file);
    return [...this.#disabled, ...files.filter((file) => !used.has(file))].sort();
  }

  /** The state modules; none where nothing provides them. */
  states(): Promise<FunctionSource> {
    const { states, opts, grains } = this.#options;
    this.#states ??=
      states?.({ opts, grains, functions: this.functionsWithoutJob() }) ??
      Promise.resolve(new ModuleRegistry({ opts, grains, table: [] }));
    return this.#states;
  }

  /** The same modules, to be found and loaded anew. */
  anew(context: LoadContext): ModuleRegistry {
    return new ModuleRegistry({ ...this.#options, ...context });
  }

  /** The modules of another kind; empty when nothing provides them. */
  async catalog(kind: CatalogKind): Promise<ReadonlyMap<string, ModuleDescription>> {
    if (kind === 'states' && this.#options.states !== undefined) return (await this.states()).modules();
    return this.#options.catalogs?.[kind]?.() ?? Promise.resolve(new Map());
  }

  /**
   * The calls of one job.
   * @param context gives the job's context, which in turn holds this caller; asked for at each call
   */
  caller(context: () => ModuleContext): FunctionCaller {
    return {
      call: checkedCall(async (fun, args, kwargs) => {
        const { spec, missing } = await this.find(fun);
        if (!spec) throw new CommandExecutionError(missing);
        return callFunction(fun, spec, context(), args, kwargs);
      }),
      callExactly: async (fun, args, kwargs) => {
        const { spec, missing } = await this.find(fun);
        if (!spec) throw new CommandExecutionError(missing);
        const { runExactly } = spec;
        if (runExactly !== undefined)
          return callFunction(fun, { ...spec, run: runExactly }, context(), args, kwargs);
        const named = new Map(Array.from(kwargs, ([key, value]) => [key, asData(value)]));
        return callFunction(fun, spec, context(), args.map(asData), named);
      },
      has: async (fun) => (await this.find(fun)).spec !== undefined,
      find: (fun) => this.find(fun),
      module: (name) => this.module(name),
      modules: () => this.modules(),
      notLoaded: () => this.notLoaded(),
      catalog: (kind) => this.catalog(kind),
      states: () => this.states(),
      ...(this.#options.returners === undefined ? {} : { returners: this.#options.returners }),
      within: (other, load) => (load === undefined ? this : this.anew(load)).caller(other),
    };
  }

  /**
   * The module of the file that is looked at before all others (salt/loader/lazy.py `_iter_files`, 3006.16): the one
   * that has the name, else one that has it in its name. Where its functions do, no other custom file is loaded;
   * undefined where this decides nothing.
   */
  #firstFile(name: string): Promise<ModuleSpec | undefined> | undefined {
    const { custom, customFiles, opts } = this.#options;
    if (custom === undefined || customFiles === undefined) return undefined;
    this.#files ??= { names: customFiles(opts) };
    const { names } = this.#files;
    if (names === undefined || names.size === 0) return undefined;
    let first = this.#first.get(name);
    if (!first) this.#first.set(name, (first = this.#readFirst(name, names)));
    return first;
  }

  async #readFirst(name: string, custom: ReadonlySet<string>): Promise<ModuleSpec | undefined> {
    if (custom.has(name)) return this.#namedCustom(name);
    const entries = (this.#entries.get(name) ?? []).filter((entry) => !custom.has(entry.file));
    if (![...custom].every((file) => isLookedAtBefore(entries, { name, file }))) return undefined;
    return (await this.#tryEntries(entries)).module;
  }

  async #namedCustom(name: string): Promise<ModuleSpec | undefined> {
    const found = this.#allowed((await this.#options.custom?.(this.#loadContext(), name)) ?? []);
    const loadable = found.flatMap((one) => ('load' in one && one.name === name ? [one] : []));
    return loadable[0]?.load();
  }

  async #load(name: string): Promise<Loaded | undefined> {
    const all = await this.#ownModules();
    // of one that is not for this machine, the reason is known by the name of its file, too
    const own = all.filter(
      (custom) => custom.name === name || ('unavailable' in custom && custom.file === name),
    );
    // a custom file stands for the one of the same name, whatever name the module has
    const entries = (this.#entries.get(name) ?? []).filter(
      (entry) => !all.some((custom) => custom.file === entry.file && !('broken' in custom)),
    );
    if (entries.length === 0 && own.length === 0) return undefined;
    let loading = this.#loaded.get(name);
    if (!loading) this.#loaded.set(name, (loading = this.#combine(name, own, entries)));
    return loading;
  }

  /**
   * Custom functions hide built-in ones of the same name, unless they are in Python and the built-in file is looked at
   * before; the others of the module stay.
   */
  async #combine(
    name: string,
    own: readonly CustomModule[],
    entries: readonly ModuleEntry[],
  ): Promise<Loaded> {
    const base = entries.length === 0 ? undefined : await this.#tryEntries(entries);
    const loadable = own.flatMap((custom) => ('load' in custom ? [custom] : []));
    const usable = await Promise.all(loadable.map((custom) => custom.load()));
    const broken = own.flatMap((custom) => ('broken' in custom ? [custom.broken] : []))[0];
    if (usable.length === 0) {
      if (base?.module !== undefined) return { ...base, leftOut: broken };
      const reason = own.flatMap((custom) => ('unavailable' in custom ? [custom.unavailable] : []))[0];
      return base ?? { reason: reason ?? broken ?? '', isBroken: reason === undefined };
    }
    const builtIn = base?.module ? [base.module] : [];
    const isBefore = (_: ModuleSpec, nth: number): boolean => {
      const { isPython = false, file } = loadable[nth] as (typeof loadable)[number];
      return isPython && isLookedAtBefore(entries, { name, file });
    };
    const modules = [
      ...usable.filter(isBefore),
      ...builtIn,
      ...usable.filter((one, nth) => !isBefore(one, nth)),
    ];
    const functions = Object.assign(
      {},
      ...modules.map((module) => module.functions),
    ) as ModuleSpec['functions'];
    return { module: { ...(usable[0] as ModuleSpec), name, functions }, leftOut: broken };
  }

  async #missingText(fun: string): Promise<string> {
    const { missingFunctionText } = await import('./salts-modules.ts');
    return missingFunctionText(fun, this.#options.opts.get('salt_python') === true);
  }

  #ownModules(): Promise<readonly CustomModule[]> {
    this.#custom ??= this.#readCustom();
    return this.#custom;
  }

  async #readCustom(): Promise<readonly CustomModule[]> {
    const { custom } = this.#options;
    return custom === undefined ? [] : this.#allowed(await custom(this.#loadContext()));
  }

  #allowed(found: readonly CustomModule[]): readonly CustomModule[] {
    const { disabled, whitelist } = this.#limits;
    return found.filter((one) => {
      const isListed = whitelist.length === 0 || whitelist.includes(one.name) || whitelist.includes(one.file);
      return isListed && !disabled.includes(one.file);
    });
  }

  /**
   * While modules are found, `__salt__` answers for those of the table: to ask for all would be to wait for oneself.
   */
  #loadContext(): LoadContext {
    const { opts, grains, pillarNow, table, parts, functions } = this.#options;
    const given = { opts, grains, pillarNow, table, ...(parts === undefined ? {} : { parts }) };
    return {
      ...{ opts, grains, pillarNow },
      functions: functions ?? new ModuleRegistry(given).functionsWithoutJob(),
    };
  }

  /** The functions for a file that is being loaded, or whose grains are found, when there is no job yet. */
  functionsWithoutJob(): LoadFunctions {
    const { opts, grains, pillarNow, parts } = this.#options;
    const call: LoadFunctions['call'] = async (fun, args, kwargs) => {
      if (parts === undefined)
        throw new CommandExecutionError(`${fun} cannot be called while a file is loaded.`);
      const services = withoutMinion('While modules are loaded there is no master to ask.');
      const job = { jid: '', fun, pub: new Map() };
      const signal = new AbortController().signal;
      const given = {
        id: String(opts.get('id')),
        opts,
        grains,
        pillar: pillarNow?.() ?? new Map(),
        services,
        job,
        signal,
      };
      return createModuleContext(this, { ...given, ...parts }).functions.call(fun, args, kwargs);
    };
    return { find: (fun) => this.find(fun), call };
  }

  /**
   * A module of this program or of the site; where theirs are not for this machine, an installed Salt's of that name.
   */
  async #named(name: string): Promise<Loaded | undefined> {
    const own = await this.#load(name);
    if (own?.module !== undefined) return own;
    const installed = await this.#fromInstalled(name);
    return installed?.module === undefined ? (own ?? installed) : installed;
  }

  #fromInstalled(name: string): Promise<Loaded | undefined> {
    const known = this.#installed.get(name);
    if (known !== undefined) return known;
    const trying = this.#tryInstalled(name);
    this.#installed.set(name, trying);
    return trying;
  }

  /**
   * An installed Salt's files of this name that are for this machine, together; of two functions of one name the first
   * file's counts.
   */
  async #tryInstalled(name: string): Promise<Loaded | undefined> {
    const { installed } = this.#options;
    if (installed === undefined) return undefined;
    const errors: Error[] = [];
    const modules: ModuleSpec[] = [];
    for (const one of this.#allowed(await installed(name, this.#loadContext()))) {
      if ('broken' in one) return { reason: one.broken, isBroken: true };
      if ('unavailable' in one) continue;
      try {
        const module = await one.load();
        if (module.name === name) modules.push(module);
      } catch (error) {
        errors.push(error as Error);
      }
    }
    if (modules[0] !== undefined) {
      const functions = modules.map((module) => module.functions).reverse();
      return {
        module: { ...modules[0], functions: Object.assign({}, ...functions) as ModuleSpec['functions'] },
      };
    }
    const [first] = errors;
    return first && { reason: messageOf(first), isBroken: !(first instanceof UnavailableModule) };
  }

  /** What a state module cannot do without and has not, with the reason of the execution module. */
  async #lackOf({ needs }: ModuleSpec): Promise<string | undefined> {
    const missing = needs && (await this.#options.functions?.find(needs.fun))?.missing;
    if (needs === undefined || missing === undefined) return undefined;
    return `${needs.otherwise}: ${missing.replace(/^'.*?' __virtual__ returned False: /, '')}`;
  }

  /**
   * Salt knows why a file is not for this machine by the file's name alone (salt/loader/lazy.py `_process_virtual`,
   * 3006.16).
   */
  async #tryEntries(entries: readonly ModuleEntry[]): Promise<Loaded> {
    let reason = '';
    let isBroken = false;
    const isOtherFile = entries.every((entry) => entry.file !== entry.name);
    for (const entry of entries) {
      try {
        const module = await entry.load();
        const why = module.unavailable?.(this.#options) ?? (await this.#lackOf(module));
        if (why === undefined) return { module };
        this.#options.parts?.log.info(`${entry.name} (${entry.file}) is not for this machine: ${why}`);
        if (isOtherFile || entry.file === entry.name) reason ||= why;
      } catch (error) {
        this.#options.parts?.log.error(`${entry.name} (${entry.file}) cannot be loaded: ${messageOf(error)}`);
        if (!isBroken) reason = messageOf(error);
        isBroken = true;
      }
    }
    return isBroken ? { reason, isBroken } : { reason, isOtherFile };
  }
}

/**
 * Builds the context of one job: everything the program around gives, plus the calls and the return code.
 * @param base what stays the same for every function of the job
 */
export function createModuleContext(
  registry: ModuleRegistry,
  base: Omit<ModuleContext, 'functions' | 'retcode' | 'setRetcode'>,
): ModuleContext {
  let retcode = 0;
  const context: ModuleContext = {
    ...base,
    functions: registry.caller(() => context),
    get retcode() {
      return retcode;
    },
    setRetcode(code) {
      retcode = code;
    },
  };
  return context;
}

/** Calls a function with arguments as they are, see {@link FunctionCaller.call}. */
export async function callFunction(
  fun: string,
  spec: FunctionSpec,
  ctx: ModuleContext,
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const bound = bindCall(fun.slice(fun.indexOf('.') + 1), spec, { positional: args, keywords: kwargs });
  checkWords(fun, spec.words, bound);
  return spec.run(ctx, bound.args, bound.rest, bound.kwargs);
}

/** The options that leave modules out, or put one of several files first. */
interface Limits {
  readonly disabled: readonly string[];
  readonly whitelist: readonly string[];
  readonly providers: Value | undefined;
}

function limitsOf({ opts, kind }: RegistryOptions): Limits {
  const disabled = texts(opts.get(`disable_${kind ?? 'modules'}`));
  if (kind === 'states') return { disabled, whitelist: [], providers: undefined };
  return { disabled, whitelist: texts(opts.get('whitelist_modules')), providers: opts.get('providers') };
}

/**
 * Whether Salt comes to a file of this program before it comes to a custom one (salt/loader/lazy.py `_iter_files`,
 * 3006.16).
 */
function isLookedAtBefore(
  entries: readonly ModuleEntry[],
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  if (entries.some((entry) => entry.file === name)) return true;
  return !file.includes(name) && entries.some((entry) => entry.file.includes(name));
}

function ownFunction(module: ModuleSpec | undefined, name: string): FunctionSpec | undefined {
  return module && Object.hasOwn(module.functions, name) ? module.functions[name] : undefined;
}

/** An option that is a list of names, or one name. */
function texts(value: Value | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
