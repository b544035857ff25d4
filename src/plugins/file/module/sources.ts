/**
 * Choosing, fetching and rendering the source of a file. Follows 3006.16 salt/modules/file.py `source_list`,
 * `get_managed`.
 */
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { makeTempFile } from '../../../host/file-operations.ts';
import type { HeldFiles } from '../../../host/held-files.ts';
import { joinPath, pathExists } from '../../../python/paths.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { hashBytes, hashFile } from '../../shared/hash-kinds.ts';
import { sourceSum, sumDict } from './hashes.ts';
import { opt, P } from '../../shared/file-params.ts';
import { cachedSource, cacheSource } from './fetch-source.ts';
import { renderFile, renderTemplate, TEMPLATE_ENGINES, templateVariables } from './template.ts';
import { parseSaltUrl } from '../../../storage/fileclient/salt-url.ts';
import { parseUrl, REMOTE_PROTOCOLS, VALID_PROTOCOLS, withoutPassword } from '../../shared/source-url.ts';
import { param } from '../../../runtime/loader/params.ts';
import { servedHash } from '../../shared/served-files.ts';
import { httpAnswer } from '../../shared/http-answers.ts';

/** A chosen source and its hash. */
export interface ChosenSource {
  readonly source: Value;
  readonly sourceHash: Value;
}

/** What the file server has, asked for when the first `salt://` source is looked at. */
class ServedFiles {
  readonly #ctx: ModuleContext;
  readonly #known = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(ctx: ModuleContext) {
    this.#ctx = ctx;
  }

  async has(path: string, saltenv: string): Promise<boolean> {
    let known = this.#known.get(saltenv);
    if (known === undefined) this.#known.set(saltenv, (known = this.#list(saltenv)));
    return (await known).has(path);
  }

  async #list(saltenv: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const fun of ['cp.list_master', 'cp.list_master_dirs']) {
      const names = await this.#ctx.functions.call(fun, [saltenv]);
      if (Array.isArray(names)) for (const name of names) found.add(pyStr(name));
    }
    return found;
  }
}

/**
 * `file.source_list`: the first source of a list that exists; a single one is taken as it is.
 * @throws CommandExecutionError `none of the specified sources were found`
 */
export async function chooseSource(
  ctx: ModuleContext,
  source: Value,
  sourceHash: Value,
  saltenv: string,
): Promise<ChosenSource> {
  if (!Array.isArray(source)) return { source, sourceHash };
  const served = new ServedFiles(ctx);
  for (const item of source) {
    const [address, hash] = isDict(item) ? ([...item][0] ?? []) : [item, null];
    if (typeof address !== 'string' || (isDict(item) && item.size !== 1)) continue;
    if (await isThere(ctx, served, address, saltenv))
      return { source: address, sourceHash: truthy(hash) ? (hash as Value) : sourceHash };
  }
  throw new CommandExecutionError('none of the specified sources were found');
}

async function isThere(
  ctx: ModuleContext,
  served: ServedFiles,
  address: string,
  saltenv: string,
): Promise<boolean> {
  const { scheme, host, path } = parseUrl(address);
  if (scheme === 'salt') {
    const wanted = parseSaltUrl(address);
    return served.has(wanted.path, wanted.saltenv ?? saltenv);
  }
  if (scheme === 'file') return [host, path, joinPath(host, path)].some((place) => pathExists(place));
  if (scheme.startsWith('http') || scheme === 'ftp') {
    const answer = await httpAnswer(ctx, [address], { method: 'HEAD', decode_body: false });
    return answer.size > 0 && !answer.has('error');
  }
  return address.startsWith('/') && pathExists(address);
}

/** Everything that decides how a source becomes the file on this machine. */
export interface ManagedSource {
  readonly name: string;
  readonly template: Value;
  readonly source: Value;
  readonly sourceHash: Value;
  readonly sourceHashName: Value;
  readonly saltenv: string;
  readonly context: Value;
  readonly defaults: Value;
  readonly skipVerify: boolean;
  readonly verifySsl: boolean;
  readonly useEtag: boolean;
  /** What else a template may know. */
  readonly extra: Dict;
}

/** A source on this machine, its hash, and what went wrong (empty when nothing did). */
export interface ManagedResult {
  readonly sfn: string;
  readonly sourceSum: Dict;
  readonly comment: string;
}

const failed = (comment: string, sfn = ''): ManagedResult => ({ sfn, sourceSum: new Map(), comment });

/**
 * `file.get_managed`: fetches the source, checks it, renders it.
 * @param held takes what was rendered, for whoever does not need it as a file
 */
export async function getManaged(
  ctx: ModuleContext,
  wanted: ManagedSource,
  held?: HeldFiles,
): Promise<ManagedResult> {
  if (!truthy(wanted.source)) return { sfn: '', sourceSum: new Map(), comment: '' };
  const source = pyStr(wanted.source);
  const parts = parseUrl(source);
  const scheme = VALID_PROTOCOLS.includes(parts.scheme) ? parts.scheme : '';
  let sfn = '';
  if (scheme === '' || scheme === 'file') {
    sfn = scheme === '' ? source : joinPath(parts.host, parts.path).replace(/\/+$/, '');
    if (!pathExists(sfn)) return failed(`Local file source ${sfn} does not exist`);
  }
  const cached = await cachedSource(ctx, source, wanted.saltenv);
  // a template has the sum of what it becomes: one that is not here yet is fetched without a question for its own
  const isFetchedUnseen =
    scheme === 'salt' && truthy(wanted.template) && cached === '' && !isHashGiven(wanted.sourceHash);
  const verified = isFetchedUnseen ? new Map() : await verifiedSum(ctx, wanted, { source, scheme, sfn });
  if (typeof verified === 'string') return failed(verified);
  let sum = verified;
  if (!truthy(wanted.template) && !REMOTE_PROTOCOLS.includes(scheme))
    return { sfn, sourceSum: sum, comment: '' };
  const fetched = await fetchSource(ctx, wanted, { source, sfn, sum, cached });
  if ('comment' in fetched) return fetched;
  ({ sfn, sum } = fetched);
  if (sfn === wanted.name) throw new SaltInvocationError('Source file cannot be the same as destination');
  if (!truthy(wanted.template)) return { sfn, sourceSum: sum, comment: '' };
  return renderSource(ctx, wanted, { sfn, held });
}

/** Whether a hash is given; one of digits that was written without quotes has become a number, and is refused. */
const isHashGiven = (hash: Value): boolean =>
  truthy(hash) || typeof hash === 'number' || typeof hash === 'bigint';

/** The hash that the source has to have, empty when none is known; or a sentence. */
async function verifiedSum(
  ctx: ModuleContext,
  wanted: ManagedSource,
  { source, scheme, sfn }: { readonly source: string; readonly scheme: string; readonly sfn: string },
): Promise<Dict | string> {
  const isHashed = isHashGiven(wanted.sourceHash);
  const served = scheme === 'salt' ? await servedHash(ctx, [source, wanted.saltenv]) : undefined;
  if (scheme === 'salt' && served === undefined) return notServed(source, wanted);
  if (served !== undefined && (!isHashed || wanted.skipVerify)) return served;
  if (!isHashed && sfn !== '') return dict({ hsum: await hashFile(sfn, 'sha256'), hash_type: 'sha256' });
  if (wanted.skipVerify) return new Map();
  if (isHashed) {
    const sum = await wantedSum(ctx, wanted, source);
    if (typeof sum === 'string' || REMOTE_PROTOCOLS.includes(scheme)) return sum;
    return (await mismatch(ctx, wanted, { source, sfn, sum, served })) ?? served ?? sum;
  }
  if (wanted.useEtag) return new Map();
  return (
    `Unable to verify upstream hash of source file ${withoutPassword(source)}, please set source_hash or set ` +
    'skip_verify to True'
  );
}

/** The hash that is given for a source; or a sentence. */
async function wantedSum(ctx: ModuleContext, wanted: ManagedSource, source: string): Promise<Dict | string> {
  const { name, sourceHash, sourceHashName, saltenv, verifySsl } = wanted;
  try {
    const sum = await sourceSum(ctx, {
      ...{ fileName: name, source, sourceHash, saltenv, verifySsl },
      sourceHashName: truthy(sourceHashName) ? pyStr(sourceHashName) : undefined,
    });
    return sumDict(sum);
  } catch (error) {
    if (error instanceof CommandExecutionError) return error.message;
    throw error;
  }
}

/**
 * Says when a source of the file server, or of this machine, is not what its hash says. Salt compat: Salt does not
 * look.
 */
async function mismatch(
  ctx: ModuleContext,
  { saltenv }: ManagedSource,
  given: {
    readonly source: string;
    readonly sfn: string;
    readonly sum: Dict;
    readonly served: Dict | undefined;
  },
): Promise<string | undefined> {
  const { source, sum, served } = given;
  const [type, hsum] = [pyStr(sum.get('hash_type') ?? 'sha256'), pyStr(sum.get('hsum') ?? '').toLowerCase()];
  let actual = served?.get('hash_type') === type ? pyStr(served.get('hsum') ?? '') : undefined;
  actual ??= await hashFile(given.sfn === '' ? await cacheSource(ctx, source, { saltenv }) : given.sfn, type);
  if (actual === hsum) return undefined;
  return `Specified ${type} checksum for ${withoutPassword(source)} (${hsum}) does not match actual checksum (${actual})`;
}

interface Fetch {
  readonly source: string;
  readonly sfn: string;
  readonly sum: Dict;
  /** The copy that is here already; empty when there is none. */
  readonly cached: string;
}

/** Takes the cached copy where that is the right one, else fetches. */
async function fetchSource(
  ctx: ModuleContext,
  wanted: ManagedSource,
  { source, sfn, sum, cached }: Fetch,
): Promise<{ readonly sfn: string; readonly sum: Dict } | ManagedResult> {
  let [place, known, isStale] = [sfn, sum, false];
  if (isServed(source) && (await hasSum(cached, sum))) {
    // the server has just said what the file is to be: it is not asked a second time
    place = cached;
  } else if (cached !== '' && (truthy(wanted.sourceHash) || wanted.skipVerify || wanted.useEtag)) {
    const type = pyStr(sum.get('hash_type') ?? 'sha256');
    const cachedSum = await hashFile(cached, type);
    if (wanted.skipVerify) {
      place = cached;
      known = dict({ hsum: cachedSum, hash_type: type });
    } else if (wanted.useEtag || cachedSum !== sum.get('hsum')) {
      isStale = true;
    } else {
      place = cached;
    }
  }
  const shown = withoutPassword(source);
  if (place === '' || isStale) {
    const hash = known.get('hsum');
    try {
      place = await cacheSource(ctx, source, {
        saltenv: wanted.saltenv,
        ...(typeof hash === 'string' ? { sourceHash: hash } : {}),
        verifySsl: wanted.verifySsl,
        useEtag: wanted.useEtag,
      });
    } catch (error) {
      return failed(`Failed to cache ${shown}: ${messageOf(error)}`);
    }
  }
  if (place === '' && isServed(source)) return failed(notServed(source, wanted));
  if (place === '' || !pathExists(place)) return failed(`Source file '${shown}' not found`, place);
  return { sfn: place, sum: known };
}

function notServed(source: string, { saltenv }: ManagedSource): string {
  return `Source file ${source} not found in saltenv '${saltenv}'`;
}

function isServed(source: string): boolean {
  return parseUrl(source).scheme === 'salt';
}

/** Whether a cached copy is what a sum says. */
async function hasSum(cached: string, sum: Dict): Promise<boolean> {
  const [type, wanted] = [sum.get('hash_type'), sum.get('hsum')];
  if (cached === '' || typeof type !== 'string' || typeof wanted !== 'string' || !pathExists(cached))
    return false;
  return (await hashFile(cached, type)) === wanted;
}

async function renderSource(
  ctx: ModuleContext,
  wanted: ManagedSource,
  { sfn, held }: { readonly sfn: string; readonly held: HeldFiles | undefined },
): Promise<ManagedResult> {
  const engine = pyStr(wanted.template);
  if (!TEMPLATE_ENGINES.has(engine))
    return failed(`Specified template format ${engine} is not supported`, sfn);
  const variables = templateVariables(wanted.context, wanted.defaults);
  const rendered = await renderFile(ctx, sfn, engine, {
    saltenv: wanted.saltenv,
    variables,
    extra: new Map([...wanted.extra, ...dict({ name: wanted.name, source: wanted.source })]),
  });
  const sumOf = (hsum: string): Dict => dict({ hash_type: 'sha256', hsum });
  if (rendered === undefined) return { sfn, sourceSum: sumOf(await hashFile(sfn, 'sha256')), comment: '' };
  const content = Buffer.from(rendered);
  const place = held?.hold(content, ctx.random) ?? makeTempFile(ctx.random, { content });
  return { sfn: place, sourceSum: sumOf(hashBytes(content, 'sha256')), comment: '' };
}

/** Text of an environment argument. */
export function environmentOf(saltenv: Value): string {
  return truthy(saltenv) ? pyStr(saltenv) : 'base';
}

/** Functions about sources. */
export const sourceFunctions = {
  source_list: defineFunction({
    doc: 'Chooses the first source of a list that exists.',
    params: {
      source: param.value({
        type: 'str or list',
        doc: 'A source, or a list of sources and of `{source: hash}`.',
      }),
      source_hash: P.source_hash,
      saltenv: P.saltenv,
    },
    returns: 'list of the source and its hash',
    examples: [`salt '*' file.source_list salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' base`],
    run: async (ctx, { source, source_hash, saltenv }) => {
      const chosen = await chooseSource(ctx, source, source_hash, environmentOf(saltenv));
      return [chosen.source, chosen.sourceHash];
    },
  }),
  apply_template_on_contents: defineFunction({
    doc: 'Renders text.',
    params: {
      contents: param.text({ doc: 'The text.' }),
      template: param.text(P.template),
      context: P.context,
      defaults: P.defaults,
      saltenv: P.saltenv,
    },
    returns: 'the rendered text; `{result: false, comment}` for an unknown engine',
    examples: [
      `salt '*' file.apply_template_on_contents contents='This is a {{ template }} string.' template=jinja ` +
        `"context={}" "defaults={'template': 'cool'}" saltenv=base`,
    ],
    run: async (ctx, { contents, template: engine, context, defaults, saltenv }) => {
      if (!TEMPLATE_ENGINES.has(engine)) {
        return dict({
          result: false,
          comment: `Specified template format ${engine} is not supported`,
        });
      }
      const variables = templateVariables(context, defaults);
      return renderTemplate(ctx, contents, engine, { saltenv: environmentOf(saltenv), variables });
    },
  }),
  get_managed: defineFunction({
    doc: 'Fetches the source of a file, checks its hash and renders it.',
    params: {
      name: param.text({ doc: 'Where the file is to be.' }),
      template: P.template,
      source: P.source,
      source_hash: P.source_hash,
      source_hash_name: P.source_hash_name,
      user: P.user,
      group: P.group,
      mode: P.mode,
      attrs: P.attrs,
      saltenv: P.saltenv,
      context: P.context,
      defaults: P.defaults,
      skip_verify: opt(P.skip_verify, false),
      verify_ssl: opt(P.verify_ssl, true),
      use_etag: opt(P.use_etag, false),
    },
    kwargs: 'kwargs',
    knowsHeld: true,
    returns: 'list of where it lies, of `{hash_type, hsum}`, and of what went wrong (empty when nothing did)',
    examples: [
      "salt '*' file.get_managed /etc/httpd/conf.d/httpd.conf jinja salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' None root root 755 base None None",
    ],
    run: async (ctx, args, _rest, kwargs) => {
      const { user, group, mode, attrs } = args;
      const wanted: ManagedSource = {
        name: args.name,
        template: args.template,
        source: args.source,
        sourceHash: args.source_hash,
        sourceHashName: args.source_hash_name,
        saltenv: environmentOf(args.saltenv),
        context: args.context,
        defaults: args.defaults,
        skipVerify: args.skip_verify,
        verifySsl: args.verify_ssl,
        useEtag: args.use_etag,
        extra: new Map([...kwargs, ...dict({ user, group, mode, attrs })]),
      };
      const result = await getManaged(ctx, wanted, ctx.held);
      return [result.sfn, result.sourceSum, result.comment];
    },
  }),
};
