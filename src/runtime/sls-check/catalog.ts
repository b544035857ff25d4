/** What a check knows of states and functions: those of Brine, of Salt's, and of the site's own. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { goneFrom, goneText, type GonePart, type LaterSalt } from './later-salt.ts';
import type { RuleName } from './rules.ts';
import type { FunctionDescription } from '../loader/module.ts';

/** Modules of one kind, whatever machine they are for. */
export interface ModuleSource {
  readonly names: ReadonlySet<string>;
  /** The functions of a module by name: a module that several files stand behind has several descriptions of one. */
  functions(module: string): Promise<ReadonlyMap<string, readonly FunctionDescription[]>>;
  /** Whether Salt has it where Brine does not. @param fun the function's full name */
  isSalts(fun: string): boolean;
}

/** All kinds, and what the site's own files add. */
export interface SlsCatalog {
  readonly states: ModuleSource;
  readonly modules: ModuleSource;
  readonly runners: ModuleSource;
  readonly wheel: ModuleSource;
  /** Names of the site's own modules by folder (`_states`); what is in them is not looked at. */
  readonly own: ReadonlyMap<string, ReadonlySet<string>>;
  /** The release that a site would go to, and what it no longer has. */
  readonly insteadOf?: LaterSalt;
}

/** The kinds, as findings call them, with the folder of the site's own. */
export const KINDS = {
  states: { title: 'state', folder: '_states' },
  modules: { title: 'execution function', folder: '_modules' },
  runners: { title: 'runner', folder: '_runners' },
  wheel: { title: 'wheel function', folder: '_wheel' },
} as const;

/** What came of looking a name up, and the part that a later Salt no longer has. */
export type LookedUp = Answer & { readonly gone?: GonePart };

type Answer =
  | { readonly kind: 'known'; readonly specs: readonly FunctionDescription[] }
  /** Of the site's own, or cannot be told. */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'salts' | 'missing'; readonly message: string };

/** Looks a function up. */
export async function lookUp(catalog: SlsCatalog, kind: keyof typeof KINDS, fun: string): Promise<LookedUp> {
  const found = await answerFor(catalog, kind, fun);
  if (found.kind === 'unchecked' || kind === 'wheel') return found;
  const [name = ''] = fun.split('.');
  const gone = goneFrom(catalog.insteadOf, kind, name, found.kind === 'known');
  return gone === undefined ? found : { ...found, gone };
}

/**
 * What is to be said of a look-up.
 * @param missing the rule when there is no such thing
 * @param notHere the rule when only Salt has it
 */
export function rulesFor(
  catalog: SlsCatalog,
  found: LookedUp,
  missing: 'unknown-state' | 'unknown-function',
  notHere: 'state-not-here' | 'function-not-here',
): readonly ToldRule[] {
  const { gone } = found;
  const later =
    gone === undefined
      ? []
      : [{ rule: 'gone-from-salt', message: goneText(catalog.insteadOf, gone), gone } as const];
  if (found.kind === 'missing') return [{ rule: missing, message: found.message }, ...later];
  if (found.kind === 'salts') return [{ rule: notHere, message: found.message }, ...later];
  return later;
}

/** A rule with its sentence. */
export interface ToldRule {
  readonly rule: RuleName;
  readonly message: string;
  readonly gone?: GonePart;
}

async function answerFor(catalog: SlsCatalog, kind: keyof typeof KINDS, fun: string): Promise<Answer> {
  const source = catalog[kind];
  const { title, folder } = KINDS[kind];
  const dot = fun.indexOf('.');
  const [module, name] = dot < 0 ? [fun, ''] : [fun.slice(0, dot), fun.slice(dot + 1)];
  if (catalog.own.get(folder)?.has(module) === true) return { kind: 'unchecked' };
  const functions = source.names.has(module) ? await source.functions(module) : undefined;
  const specs = functions?.get(name);
  if (specs !== undefined) return { kind: 'known', specs };
  if (source.isSalts(fun))
    return {
      kind: 'salts',
      message: `The ${title} '${fun}' is one of Salt's that Brine does not have; where a Salt is installed it is there with salt_python: True.`,
    };
  const hint =
    functions === undefined
      ? didYouMean(module, source.names)
      : didYouMean(name, functions.keys()).replaceAll(/'([^']+)'/g, `'${module}.$1'`);
  return { kind: 'missing', message: `There is no ${title} '${fun}'.${hint}` };
}
