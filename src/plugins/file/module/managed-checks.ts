/**
 * What would change if a file were managed. Follows 3006.16 salt/modules/file.py `check_managed`, `check_file_meta`.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { tempFolder } from '../../../host/file-operations.ts';
import { HeldFiles } from '../../../host/held-files.ts';
import { defineFunction, type ModuleContext, type TypedArguments } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import {
  dict,
  isBytes,
  isDict,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { attributeDifference, attributeLetters } from './attributes.ts';
import { differenceOf, hidesTemplates, OBFUSCATED } from './difference.ts';
import { param } from '../../../runtime/loader/params.ts';
import { opt, P, SELINUX_PARAMS } from '../../shared/file-params.ts';
import { contextParts, selinuxContext, selinuxWanted, type SelinuxContext } from './selinux.ts';
import { cacheSource, sourceMode } from './fetch-source.ts';
import { chooseSource, environmentOf, getManaged } from './sources.ts';
import { normalizeMode, statsOf } from './stats.ts';
import { parseUrl } from '../../shared/source-url.ts';

/** What a managed file is to be. */
export interface FileMeta {
  readonly name: string;
  readonly sfn: string;
  /** What `sfn` stands for, when there is nothing at that path. */
  readonly content?: Uint8Array | undefined;
  readonly source: Value;
  readonly sourceSum: Dict;
  readonly user: Value;
  readonly group: Value;
  readonly mode: Value;
  readonly attrs: Value;
  readonly saltenv: string;
  readonly contents: Value;
  readonly selinux: SelinuxContext;
  readonly verifySsl: boolean;
  readonly followLinks: boolean;
}

/** `file.check_file_meta`: what differs, by name: newfile, diff, sum, user, group, mode, attrs, selinux. */
async function fileChanges(ctx: ModuleContext, meta: FileMeta): Promise<Dict> {
  const type = meta.sourceSum.get('hash_type');
  let facts: Dict;
  try {
    facts = await statsOf(meta.name, {
      ...(truthy(type) ? { hashType: pyStr(type as Value) } : {}),
      followLinks: meta.followLinks,
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return dict({ newfile: meta.name });
  }
  const changes: Dict = new Map();
  if (meta.sourceSum.has('hsum') && meta.sourceSum.get('hsum') !== facts.get('sum'))
    await addSourceChange(ctx, meta, changes);
  if (meta.contents !== null) await addContentChange(ctx, meta, changes);
  if (!isOwned(meta.user, facts, 'user', 'uid')) changes.set('user', meta.user);
  if (!isOwned(meta.group, facts, 'group', 'gid')) changes.set('group', meta.group);
  const mode = normalizeMode(meta.mode);
  if (mode !== null && mode !== normalizeMode(facts.get('mode') ?? null)) changes.set('mode', mode);
  if (truthy(meta.attrs)) {
    const difference = await attributeDifference(ctx, meta.name, attributeLetters(meta.attrs));
    if (difference !== undefined && (difference.added !== '' || difference.removed !== ''))
      changes.set('attrs', meta.attrs);
  }
  if (selinuxWanted(meta.selinux)) await addSelinuxChange(ctx, meta, changes);
  return changes;
}

function isOwned(wanted: Value, facts: Dict, name: string, id: string): boolean {
  if (wanted === null) return true;
  return valuesEqual(wanted, facts.get(name) ?? null) || valuesEqual(wanted, facts.get(id) ?? null);
}

async function addSourceChange(ctx: ModuleContext, meta: FileMeta, changes: Dict): Promise<void> {
  const hash = meta.sourceSum.get('hsum');
  const source =
    meta.content ??
    (meta.sfn === '' && truthy(meta.source)
      ? await cacheSource(ctx, pyStr(meta.source), {
          saltenv: meta.saltenv,
          ...(typeof hash === 'string' ? { sourceHash: hash } : {}),
          verifySsl: meta.verifySsl,
        })
      : meta.sfn);
  if (source === '') {
    changes.set('sum', 'Checksum differs');
    return;
  }
  changes.set('diff', await differenceOrError(ctx, meta.name, source, true));
}

async function differenceOrError(
  ctx: ModuleContext,
  before: string,
  after: string | Uint8Array,
  isTemplate: boolean,
): Promise<string> {
  try {
    return await differenceOf(ctx, before, after, { isTemplate, showFilenames: false });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    ctx.log.error(`Failed to diff files: ${error.message}`);
    return error.message;
  }
}

async function addContentChange(ctx: ModuleContext, meta: FileMeta, changes: Dict): Promise<void> {
  const content = isBytes(meta.contents) ? meta.contents : Buffer.from(pyStr(meta.contents));
  const difference = await differenceOrError(ctx, meta.name, content, false);
  if (difference === '') return;
  changes.set('diff', (await hidesTemplates(ctx)) ? OBFUSCATED : difference);
}

async function addSelinuxChange(ctx: ModuleContext, meta: FileMeta, changes: Dict): Promise<void> {
  const current = contextParts(await selinuxContext(ctx, meta.name));
  if (current === undefined) {
    ctx.log.error('Unable to get current selinux attributes');
    changes.set('selinux', 'Unable to get current selinux attributes');
    return;
  }
  // as in Salt, the last part that differs is the one that is told
  for (const [part, value] of current)
    if (truthy(meta.selinux[part]) && meta.selinux[part] !== value)
      changes.set('selinux', dict({ [part]: meta.selinux[part] }));
}

const CHECK_PARAMS = {
  name: param.text({ doc: P.name.doc }),
  source: P.source,
  source_hash: P.source_hash,
  source_hash_name: P.source_hash_name,
  user: P.user,
  group: P.group,
  mode: P.mode,
  attrs: P.attrs,
  template: P.template,
  context: P.context,
  defaults: P.defaults,
  saltenv: P.saltenv,
  contents: opt(P.contents, null),
  skip_verify: opt(P.skip_verify, false),
} as const;
const FOLLOW = { follow_symlinks: opt(P.follow_symlinks, false) } as const;

type CheckArgs = TypedArguments<typeof CHECK_PARAMS & typeof SELINUX_PARAMS & typeof FOLLOW>;

/** Fetches the source and compares. @returns the differences, or the sentence about what went wrong */
async function managedChanges(
  ctx: ModuleContext,
  args: CheckArgs,
  kwargs: Dict,
  more: { readonly keepMode: boolean; readonly verifySsl: boolean },
): Promise<Dict | string> {
  const saltenv = environmentOf(args.saltenv);
  const { source, sourceHash } = await chooseSource(ctx, args.source, args.source_hash, saltenv);
  const held = new HeldFiles();
  let [sfn, sourceSum, mode]: [string, Dict, Value] = ['', new Map(), args.mode];
  if (args.contents === null) {
    const wanted = {
      name: args.name,
      template: args.template,
      source,
      sourceHash,
      sourceHashName: args.source_hash_name,
      saltenv,
      context: args.context,
      defaults: args.defaults,
      skipVerify: args.skip_verify,
      verifySsl: more.verifySsl,
      useEtag: false,
      extra: new Map([
        ...kwargs,
        ...dict({ user: args.user, group: args.group, mode: args.mode, attrs: args.attrs }),
      ]),
    };
    const managed = await getManaged(ctx, wanted, held);
    ({ sfn, sourceSum } = managed);
    if (managed.comment !== '') return managed.comment;
    if (sfn !== '' && truthy(source) && more.keepMode && isModeKept(pyStr(source)))
      mode = (await sourceMode(ctx, pyStr(source), saltenv)) ?? mode;
  }
  const { seuser, serole, setype, serange } = args;
  const changes = await fileChanges(ctx, {
    name: args.name,
    sfn,
    content: held.content(sfn),
    source,
    sourceSum,
    user: args.user,
    group: args.group,
    mode,
    attrs: args.attrs,
    saltenv,
    contents: args.contents,
    selinux: { user: seuser, role: serole, type: setype, range: serange },
    verifySsl: more.verifySsl,
    followLinks: args.follow_symlinks,
  });
  return changes;
}

function isModeKept(source: string): boolean {
  return ['salt', 'file'].includes(parseUrl(source).scheme) || source.startsWith('/');
}

/** Functions that check. */
export const checkFunctions = {
  check_managed: defineFunction({
    doc: 'Returns whether a file is as file.manage_file would make it.',
    params: { ...CHECK_PARAMS, ...SELINUX_PARAMS, ...FOLLOW },
    kwargs: 'kwargs',
    returns:
      'list of true (all well), None (it would change) or false (the source cannot be had), and a sentence',
    examples: [
      "salt '*' file.check_managed /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' root, root, '755' jinja True None None base",
    ],
    run: async (ctx, args, _rest, kwargs) => {
      const changes = await managedChanges(ctx, args, kwargs, { keepMode: false, verifySsl: true });
      if (!isDict(changes)) return [false, changes];
      const name = args.name;
      if (name.startsWith(tempFolder())) for (const key of ['user', 'group', 'mode']) changes.delete(key);
      if (changes.size === 0) return [true, `The file ${name} is in the correct state`];
      const lines = [...changes].map(([key, value]) => `${pyStr(key)}: ${pyStr(value)}\n`);
      return [null, `The following values are set to be changed:\n${lines.join('')}`];
    },
  }),
  check_managed_changes: defineFunction({
    doc: 'Returns what file.manage_file would change.',
    params: {
      ...CHECK_PARAMS,
      keep_mode: opt(P.keep_mode, false),
      ...SELINUX_PARAMS,
      verify_ssl: opt(P.verify_ssl, true),
      ...FOLLOW,
    },
    kwargs: 'kwargs',
    returns: 'mapping of what would change; list of false and a sentence when the source cannot be had',
    examples: [
      "salt '*' file.check_managed_changes /etc/httpd/conf.d/httpd.conf salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' root, root, '755' jinja True None None base",
    ],
    run: async (ctx, args, _rest, kwargs) => {
      const changes = await managedChanges(ctx, args, kwargs, {
        keepMode: args.keep_mode,
        verifySsl: args.verify_ssl,
      });
      return isDict(changes) ? changes : [false, changes];
    },
  }),
  check_file_meta: defineFunction({
    doc: 'Compares a file with what it is to be.',
    params: {
      name: param.text({ doc: P.name.doc }),
      sfn: P.sfn,
      source: P.source,
      source_sum: P.source_sum,
      user: P.user,
      group: P.group,
      mode: P.mode,
      attrs: P.attrs,
      saltenv: P.saltenv,
      contents: opt(P.contents, null),
      ...SELINUX_PARAMS,
      verify_ssl: opt(P.verify_ssl, true),
      ...FOLLOW,
    },
    returns: 'mapping of what differs: newfile, diff, sum, user, group, mode, attrs, selinux',
    examples: [
      "salt '*' file.check_file_meta /etc/httpd/conf.d/httpd.conf None salt://http/httpd.conf '{hash_type: md5, hsum: <md5sum>}' root root '755' None base",
    ],
    run: (ctx, args) => {
      const { seuser, serole, setype, serange } = args;
      return fileChanges(ctx, {
        name: args.name,
        sfn: args.sfn ?? '',
        source: args.source,
        sourceSum: args.source_sum,
        user: args.user,
        group: args.group,
        mode: args.mode,
        attrs: args.attrs,
        saltenv: environmentOf(args.saltenv),
        contents: args.contents,
        selinux: { user: seuser, role: serole, type: setype, range: serange },
        verifySsl: args.verify_ssl,
        followLinks: args.follow_symlinks,
      });
    },
  }),
};
