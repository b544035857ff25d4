/** Running the external pillars of the option `ext_pillar` (3006.16 salt/pillar/__init__.py `ext_pillar`). */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { Logger } from '../../host/log.ts';
import type { ExtPillar } from './ext/ext-pillar.ts';
import type { PillarCompilerDeps, PillarRequest } from './request.ts';

/** The compilation that external pillars are part of. */
export interface Compilation {
  readonly deps: PillarCompilerDeps;
  readonly request: PillarRequest;
  readonly opts: Dict;
  readonly log: Logger;
  /** Faults, which the pillar tells in `_errors`. */
  readonly errors: string[];
  opt(name: string): Value | undefined;
  fail(message: string): void;
  merge(base: Dict, over: Dict): Dict;
  decrypt(renderer: string, value: Value): Promise<Value>;
}

/** The external pillars to run: the configured ones, and the one that was asked for, when it may be. */
function configured(compiler: Compilation): Value {
  const option = compiler.opt('ext_pillar') ?? [];
  const { ext } = compiler.request;
  if (ext === undefined || ext === null || !Array.isArray(option)) return option;
  const allowed = compiler.opt('on_demand_ext_pillar');
  if (!isDict(ext)) compiler.log.error(`On-demand pillar ${pyStr(ext)} is not formatted as a dictionary`);
  else if (Array.isArray(allowed) && [...ext.keys()].every((name) => allowed.includes(name)))
    return [...option, ext];
  else
    compiler.log.error(
      `The following ext_pillar modules are not allowed for on-demand pillar data: ${[...ext.keys()].map(pyStr).join(', ')}.`,
    );
  return option;
}

/** A pillar with the external ones merged over it, one after another. */
export async function externalPillar(compiler: Compilation, start: Dict): Promise<Dict> {
  const { override } = compiler.request;
  const sources = configured(compiler);
  if (!Array.isArray(sources)) {
    compiler.fail('The "ext_pillar" option is malformed');
    return start;
  }
  let pillar = override.size > 0 ? compiler.merge(start, override) : start;
  for (const [place, source] of sources.entries()) {
    if (!isDict(source)) {
      compiler.fail('The "ext_pillar" option is malformed');
      return new Map();
    }
    for (const [name, settings] of source) {
      const data = await runOne(compiler, { place, name: pyStr(name), settings }, pillar);
      if (data && data.size > 0) pillar = compiler.merge(pillar, data);
    }
  }
  return pillar;
}

async function runOne(
  compiler: Compilation,
  { place, name, settings }: { readonly place: number; readonly name: string; readonly settings: Value },
  pillar: Dict,
): Promise<Dict | undefined> {
  const { minionId, grains, extraMinionData } = compiler.request;
  // one source can be there twice
  const kind = `${place} ${name}`;
  try {
    const run = await findSource(compiler, name);
    if (!run) {
      // Salt compat: Salt goes on with part of the pillar, and states run as if the rest had been taken away
      compiler.errors.push(
        `Specified ext_pillar interface ${name} is unavailable${whyMissing(name, [...compiler.deps.extPillars.keys()])}`,
      );
      return undefined;
    }
    const data = await run(settings, {
      minionId,
      grains,
      ...(extraMinionData === undefined ? {} : { extraMinionData }),
      pillar,
      opts: compiler.opts,
      log: compiler.log,
      decrypt: (renderer, value) => compiler.decrypt(renderer, value),
      errors: compiler.errors,
    });
    const without = compiler.deps.failed.over(kind);
    if (without > 0)
      compiler.log.warning(
        `The ext_pillar '${name}' works again, for ${minionId}; before, ${without} pillars were made without it.`,
      );
    return isDict(data) ? data : undefined;
  } catch (error) {
    compiler.errors.push(`Failed to load ext_pillar ${name}: ${messageOf(error)}`);
    compiler.deps.failed(kind, `Exception caught loading ext_pillar '${name}': ${messageOf(error)}`);
    return undefined;
  }
}

/** Where sources are looked for. */
interface SourceSearch {
  readonly deps: Pick<PillarCompilerDeps, 'extPillars' | 'ownPillar' | 'installedPillar'>;
  readonly opts: Dict;
}

/** What is wrong with the names in the option `ext_pillar`, before a minion's pillar fails for it: a sentence each. */
export async function missingSources(search: SourceSearch): Promise<string[]> {
  const sources = search.opts.get('ext_pillar');
  const names = (Array.isArray(sources) ? sources : []).flatMap((source) =>
    isDict(source) ? [...source.keys()].map(pyStr) : [],
  );
  const out: string[] = [];
  for (const name of new Set(names)) {
    if ((await findSource(search, name)) !== undefined) continue;
    const why = whyMissing(name, [...search.deps.extPillars.keys()]);
    out.push(`ext_pillar names ${name}, and no pillar can be made${why}`);
  }
  return out;
}

/** The site's own come first, an installed Salt's last. */
async function findSource(compiler: SourceSearch, name: string): Promise<ExtPillar | undefined> {
  const { ownPillar, installedPillar, extPillars } = compiler.deps;
  const found = (await ownPillar?.(compiler.opts, name)) ?? extPillars.get(name);
  return found ?? installedPillar?.(compiler.opts, name);
}

/** Those that Salt has and this program does not (3006.16 salt/pillar/). */
const SALTS_PILLARS: ReadonlySet<string> = new Set([
  'azureblob',
  'confidant',
  'digicert',
  'django_orm',
  'ec2_pillar',
  'libvirt',
  'makostack',
  'netbox',
  'neutron',
  'pepa',
  'rethinkdb',
  'sqlcipher',
  'venafi',
  'virtkey',
  'vmware',
]);

function whyMissing(name: string, known: readonly string[]): string {
  return SALTS_PILLARS.has(name)
    ? `: it is Python of Salt's own; with a Salt installed beside, set salt_python: True`
    : `: there is no source of that name.${didYouMean(name, known)} Correct ext_pillar in the master's configuration, ` +
        'or bring the source with salt-run saltutil.sync_pillar';
}
