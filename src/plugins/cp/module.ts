/** `cp.*`: files of the master, of other places, and to the master (salt/modules/cp.py, 3006.16). */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { externalFilePath } from '../../storage/fileclient/cache-paths.ts';
import type { FileClient } from '../../storage/fileclient/client.ts';
import {
  cacheDestination,
  cachedFiles,
  cacheLocalFile,
  isCached,
} from '../../storage/fileclient/local-cache.ts';
import { mapLimited } from '../../storage/fileclient/limited.ts';
import { isSaltUrl, redactUrl, parseSaltUrl } from '../../storage/fileclient/salt-url.ts';
import { FileReplacement } from '../../host/file-replacement.ts';
import { makeFolders } from '../../host/make-folders.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { isAbs, isDir } from '../../python/paths.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isDict, toNumber, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { cacheUrl, environmentOf, fetchUrl, withFileClient } from '../shared/cp-client.ts';
import { pushFile, pushFolder } from './module/push.ts';
import { renderPaths, renderTemplateText, type TemplateUse } from '../shared/render-file.ts';
import { receiveFiles, receivePiece } from './module/receive.ts';
import { isAskedFor, noFile, tellMissing, tellNoFolder } from './module/missing.ts';
import { noPath, param } from '../../runtime/loader/params.ts';

const CACHED_AT_ONCE = 16;

const saltenvParam = param.value({
  default: null,
  type: 'str',
  doc: "The environment; else the minion's own, or `base`.",
});
const prefixParam = param.text({ default: '', doc: 'Only paths that begin with this.' });
const templateParam = param.value({
  default: null,
  type: 'str',
  doc: 'Engine that renders both paths first, such as `jinja`.',
});
const gzipParam = param.by(gzipLevel, {
  default: null,
  type: 'int',
  doc: 'Level 1 to 9: compress on the way.',
});
const makedirsParam = param.flag({ default: false, doc: 'Make missing folders of the destination.' });

function cachedirOf(ctx: ModuleContext): string {
  return optionOf(ctx.opts, 'cachedir');
}

/** A URL, and the environment that counts. */
function target(ctx: ModuleContext, path: string, saltenv: Value): { url: string; saltenv: string } {
  return { url: path, saltenv: parseSaltUrl(path).saltenv ?? environmentOf(ctx, saltenv) };
}

function gzipLevel(value: Value): number | undefined {
  const level = toNumber(value) ?? (typeof value === 'string' ? Number(value) : undefined);
  if (level === undefined || !truthy(value)) return undefined;
  if (!Number.isInteger(level) || level < 1 || level > 9)
    throw new SaltInvocationError(`gzip must be a level from 1 to 9, not ${pyStr(value)}`);
  return level;
}

/**
 * Fetches a file and renders it.
 * @returns where it is; an empty text when that cannot be done, which the log explains
 */
async function getTemplate(
  ctx: ModuleContext,
  url: string,
  dest: string,
  { makedirs, ...use }: Omit<TemplateUse, 'path'> & { readonly makedirs: boolean },
): Promise<Value> {
  const source = await cacheUrl(ctx, url, use.saltenv);
  if (source === false || !existsSync(source)) return noFile(ctx, url, use.saltenv, '');
  let content: string;
  try {
    const text = decodeUtf8(readFileSync(source));
    if (text === undefined) throw new CommandExecutionError('the file is not text');
    content = await renderTemplateText(ctx, text, { ...use, path: source });
  } catch (error) {
    ctx.log.error(`Failed to render template with error: ${messageOf(error)}`, error);
    return '';
  }
  const target = dest === '' ? externalFilePath(cachedirOf(ctx), use.saltenv, url) : dest;
  if (dest === '' || makedirs) makeFolders(dirname(target));
  if (!existsSync(dirname(target))) {
    tellNoFolder(ctx, url, dirname(target));
    return '';
  }
  const file = await FileReplacement.begin(target);
  try {
    await file.write(Buffer.from(content));
    // Salt moves a temporary file there (FSClient.get_template), whose mode is 0600, whatever stood there before
    await file.commitAsNew();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  return target;
}

/** The keywords of a call as variables of a template; those within `context` outrank the others. */
function withContext(kwargs: Dict): Dict {
  const context = kwargs.get('context');
  if (!isDict(context)) return kwargs;
  return new Map([...[...kwargs].filter(([name]) => name !== 'context'), ...context]);
}

/** A listing of the server: the same words for each. */
function listing(
  doc: string,
  returns: string,
  list: (client: FileClient, saltenv: string, prefix: string) => Promise<Value>,
) {
  return defineFunction({
    doc,
    params: { saltenv: saltenvParam, prefix: prefixParam },
    returns,
    run: (ctx, { saltenv, prefix }) =>
      withFileClient(ctx, (client) =>
        list(client, environmentOf(ctx, saltenv), prefix.replace(/^\/+|\/+$/g, '')),
      ),
  });
}

/** The cp module. */
export const cpModule = defineModule({
  name: 'cp',
  file: 'cp',
  doc: 'Files: from the file server of the master or from URLs to this machine, into its cache, and to the master.',
  failsWith: {
    false: ['cache_file', 'get_file', 'get_file_str', 'push', 'push_dir', 'get_url'],
    empty: ['cache_local_file', 'get_dir', 'get_file', 'get_template', 'hash_file'],
    none: ['stat_file'],
    within: ['cache_files', 'recv'],
    text: ['recv_chunked'],
  },
  functions: {
    get_file: defineFunction({
      doc: 'Fetches a file of the master.',
      params: {
        path: param.value({
          type: 'str',
          doc: '`salt://path`, with `?saltenv=name` for another environment.',
        }),
        dest: param.textOnlyOrNone(noPath, { doc: 'Path or folder on this machine; empty for the cache.' }),
        saltenv: saltenvParam,
        makedirs: makedirsParam,
        template: templateParam,
        gzip: gzipParam,
      },
      kwargs: 'kwargs',
      returns:
        'the path it is at; an empty text when the master has no such file; False when the folder is missing',
      examples: ["salt '*' cp.get_file salt://vimrc /etc/vim/vimrc makedirs=True"],
      run: async (ctx, { path, dest, saltenv, makedirs, template, gzip }, _rest, kwargs) => {
        const use = { saltenv: environmentOf(ctx, saltenv), kwargs };
        const [from = '', to = ''] = await renderPaths(ctx, [path, dest ?? null], template, use);
        const wanted = target(ctx, from, saltenv);
        const options = { saltenv: wanted.saltenv, makedirs, gzip };
        return withFileClient(ctx, async (client) => {
          if (!isSaltUrl(wanted.url)) {
            if (!isAbs(wanted.url))
              throw new PythonError(
                'salt.exceptions.MinionError',
                `Unsupported path: ${redactUrl(wanted.url)}`,
              );
            if (!existsSync(wanted.url)) return noFile(ctx, wanted.url, wanted.saltenv, '');
          }
          const got = await client.getFile(wanted.url, to, options);
          if (got !== false) return got;
          if (!truthy(await client.hashFile(wanted.url, wanted.saltenv)))
            return noFile(ctx, wanted.url, wanted.saltenv, '');
          tellNoFolder(ctx, wanted.url, dirname(to));
          return false;
        });
      },
    }),
    get_template: defineFunction({
      doc: 'Fetches a file of the master and renders it.',
      params: {
        path: param.text({ doc: '`salt://path`.' }),
        dest: param.textOnlyOrNone(noPath, { doc: 'Path on this machine; empty for the cache.' }),
        template: param.text({ default: 'jinja', doc: 'The engine.' }),
        saltenv: saltenvParam,
        makedirs: makedirsParam,
      },
      kwargs: 'kwargs',
      returns: 'the path it is at; an empty text when there is no such file',
      examples: ["salt '*' cp.get_template salt://path/to/template /minion/dest"],
      run: (ctx, { path, dest, template, saltenv, makedirs }, _rest, kwargs) =>
        getTemplate(ctx, path, dest ?? '', {
          engine: template,
          saltenv: environmentOf(ctx, saltenv),
          variables: withContext(kwargs),
          makedirs,
        }),
    }),
    get_dir: defineFunction({
      doc: 'Fetches a folder of the master with all that is in it.',
      params: {
        path: param.value({ type: 'str', doc: '`salt://path`.' }),
        dest: param.value({ type: 'str', doc: 'Folder on this machine, in which it is made.' }),
        saltenv: saltenvParam,
        template: templateParam,
        gzip: gzipParam,
      },
      kwargs: 'kwargs',
      returns: 'sorted list of the files and empty folders',
      examples: ["salt '*' cp.get_dir salt://path/to/dir/ /minion/dest"],
      run: async (ctx, { path, dest, saltenv, template, gzip }, _rest, kwargs) => {
        const environment = environmentOf(ctx, saltenv);
        const use = { saltenv: environment, kwargs };
        const [from = '', to = ''] = await renderPaths(ctx, [path, dest], template, use);
        const options = { saltenv: environment, gzip };
        const got = await withFileClient(ctx, (client) => client.getDir(from, to, options));
        if (got.length === 0) tellMissing(ctx, 'folder', from, environment);
        return got;
      },
    }),
    get_url: defineFunction({
      doc: 'Fetches from a URL: `salt://`, `http://`, `https://`, `file://`, or a path.',
      params: {
        path: param.text({ doc: 'The URL.' }),
        dest: param.value({
          default: '',
          type: 'str or None',
          doc: 'Path on this machine; empty for the cache, None for the content itself.',
        }),
        saltenv: saltenvParam,
        makedirs: makedirsParam,
        source_hash: param.value({
          default: null,
          type: 'str',
          doc: 'Sum of the file: one in the cache that has it is not fetched again.',
        }),
      },
      returns: 'the path it is at, or the content; an empty text or False when it cannot be had',
      // the content of an empty file is empty, too
      failsWith: [(value, { dest }) => value === '' && dest !== null],
      examples: [
        "salt '*' cp.get_url salt://my/file /tmp/this_file_is_mine",
        "salt '*' cp.get_url http://www.slashdot.org /tmp/index.html",
      ],
      run: async (ctx, { path, dest, saltenv, makedirs, source_hash }) => {
        const environment = environmentOf(ctx, saltenv);
        const fetched = await fetchUrl(ctx, {
          url: path,
          dest: typeof dest === 'string' ? dest : undefined,
          saltenv: environment,
          makedirs,
          sourceHash: source_hash,
        });
        if (fetched === undefined) {
          const wanted = target(ctx, path, saltenv);
          const folder = typeof dest === 'string' && dest !== '' && !makedirs ? dirname(dest) : undefined;
          // what is on another server is there until it was asked, and it is not asked without the folder
          const isThere =
            !isSaltUrl(path) ||
            truthy(await withFileClient(ctx, (client) => client.hashFile(wanted.url, wanted.saltenv)));
          if (folder !== undefined && !isDir(folder) && isThere) tellNoFolder(ctx, path, folder);
          else noFile(ctx, path, environment, '');
          return isSaltUrl(path) ? false : '';
        }
        if ('path' in fetched) return fetched.path;
        return typeof fetched.content === 'string'
          ? fetched.content
          : (decodeUtf8(fetched.content) ?? fetched.content);
      },
    }),
    get_file_str: defineFunction({
      doc: 'Fetches a file into the cache and gives its content.',
      params: { path: param.text({ doc: 'The URL.' }), saltenv: saltenvParam },
      returns: 'the content; False when there is no such file',
      examples: ["salt '*' cp.get_file_str salt://my/file"],
      run: async (ctx, { path, saltenv }) => {
        const wanted = target(ctx, path, saltenv);
        const cached = await cacheUrl(ctx, wanted.url, wanted.saltenv);
        if (cached === false || !existsSync(cached)) return noFile(ctx, wanted.url, wanted.saltenv, false);
        const bytes = readFileSync(cached);
        return decodeUtf8(bytes) ?? bytes;
      },
    }),
    cache_file: defineFunction({
      doc: 'Fetches a file into the cache of the minion.',
      params: {
        path: param.text({ doc: 'The URL.' }),
        saltenv: saltenvParam,
        source_hash: param.value({
          default: null,
          type: 'str',
          doc: 'Sum of the file: one in the cache that has it is not fetched again.',
        }),
        verify_ssl: param.flag({ default: true, doc: 'False: trust any certificate.' }),
        use_etag: param.flag({
          default: false,
          doc: 'Fetch only when the server says that it has changed.',
        }),
      },
      returns: 'the path in the cache; False when there is no such file',
      examples: ["salt '*' cp.cache_file salt://path/to/file"],
      run: async (ctx, { path, saltenv, source_hash, verify_ssl, use_etag }) => {
        const wanted = target(ctx, path, saltenv);
        const cached = await cacheUrl(ctx, wanted.url, wanted.saltenv, {
          sourceHash: source_hash,
          verifySsl: verify_ssl,
          useEtag: use_etag,
        });
        if (cached === false)
          ctx.log.error(`Unable to cache file '${redactUrl(wanted.url)}' from saltenv '${wanted.saltenv}'.`);
        return cached;
      },
    }),
    cache_files: defineFunction({
      doc: 'Fetches several files into the cache of the minion.',
      params: {
        paths: param.texts({ type: 'str or list of str', doc: 'URLs, or a text with commas between them.' }),
        saltenv: saltenvParam,
      },
      returns: 'list of the paths in the cache; False for a file that does not exist',
      examples: ["salt '*' cp.cache_files salt://pathto/file1,salt://pathto/file1"],
      run: (ctx, { paths, saltenv }) => {
        return mapLimited(paths, CACHED_AT_ONCE, async (url) => {
          const wanted = target(ctx, url, saltenv);
          const cached = await cacheUrl(ctx, wanted.url, wanted.saltenv);
          return cached === false ? noFile(ctx, wanted.url, wanted.saltenv, cached) : cached;
        });
      },
    }),
    cache_dir: defineFunction({
      doc: 'Fetches a folder of the master into the cache of the minion.',
      params: {
        path: param.text({ doc: '`salt://path`.' }),
        saltenv: saltenvParam,
        include_empty: param.flag({ default: false, doc: 'Make empty folders, too.' }),
        include_pat: param.value({
          default: null,
          type: 'str or list',
          doc: 'Only paths that match this glob, or regular expression behind `E@`.',
        }),
        exclude_pat: param.value({ default: null, type: 'str or list', doc: 'No paths that match this.' }),
      },
      returns: 'list of the paths in the cache',
      failsWith: [
        (value, { include_pat, exclude_pat }) =>
          Array.isArray(value) && value.length === 0 && include_pat === null && exclude_pat === null,
      ],
      examples: ["salt '*' cp.cache_dir salt://path/to/dir include_pat='E@*.py$'"],
      run: async (ctx, { path, saltenv, include_empty, include_pat, exclude_pat }) => {
        const environment = environmentOf(ctx, saltenv);
        const cached = await withFileClient(ctx, (client) =>
          client.cacheDir(path, {
            saltenv: environment,
            includeEmpty: include_empty,
            include: include_pat,
            exclude: exclude_pat,
          }),
        );
        const isWhole = include_pat === null && exclude_pat === null;
        if (cached.length === 0 && isWhole && isAskedFor(ctx, 'cp.cache_dir'))
          tellMissing(ctx, 'folder', path, environment);
        return cached;
      },
    }),
    cache_master: defineFunction({
      doc: 'Fetches all files of an environment into the cache of the minion.',
      params: { saltenv: saltenvParam },
      returns: 'list of the paths in the cache',
      run: (ctx, { saltenv }) =>
        withFileClient(ctx, (client) => client.cacheMaster({ saltenv: environmentOf(ctx, saltenv) })),
    }),
    cache_local_file: defineFunction({
      doc: 'Copies a file of this machine into the cache of the minion.',
      params: { path: param.text({ doc: 'Its path.' }) },
      returns: 'the path in the cache; an empty text when there is no such file',
      examples: ["salt '*' cp.cache_local_file /etc/hosts"],
      run: (ctx, { path }) =>
        withFileClient(ctx, async (client) => {
          const file = path;
          if (!existsSync(file)) return noFile(ctx, file, '', '');
          const known = isCached(cachedirOf(ctx), file, environmentOf(ctx, null));
          const sums =
            known === '' ? [] : await Promise.all([file, known].map((name) => client.hashFile(name, '')));
          const [own, cached] = sums;
          if (own !== undefined && cached !== undefined && valuesEqual(own, cached)) return known;
          return cacheLocalFile(cachedirOf(ctx), file);
        }),
    }),
    cache_dest: defineFunction({
      doc: 'Returns where a file would be in the cache of the minion.',
      params: { url: param.text({ doc: 'The URL.' }), saltenv: saltenvParam },
      returns: 'the path',
      examples: ["salt '*' cp.cache_dest https://foo.com/bar.rpm"],
      run: (ctx, { url, saltenv }) =>
        withFileClient(ctx, async () => cacheDestination(cachedirOf(ctx), url, environmentOf(ctx, saltenv))),
    }),
    is_cached: defineFunction({
      doc: 'Returns whether a file is in the cache of the minion.',
      params: { path: param.text({ doc: 'The URL.' }), saltenv: saltenvParam },
      returns: 'the path in the cache; an empty text when it is not there',
      examples: ["salt '*' cp.is_cached salt://path/to/file"],
      run: (ctx, { path, saltenv }) => {
        const wanted = target(ctx, path, saltenv);
        return isCached(cachedirOf(ctx), wanted.url, wanted.saltenv);
      },
    }),
    hash_file: defineFunction({
      doc: 'Gives the sum of a file, of the master or of this machine.',
      params: { path: param.text({ doc: '`salt://path`, or a path.' }), saltenv: saltenvParam },
      returns: '`{hsum, hash_type}`; empty when there is no such file',
      examples: ["salt '*' cp.hash_file salt://path/to/file"],
      run: (ctx, { path, saltenv }) => {
        const wanted = target(ctx, path, saltenv);
        return withFileClient(ctx, async (client) => {
          const sum = await client.hashFile(wanted.url, wanted.saltenv);
          // of a file of this machine the client has said so
          if (!truthy(sum) && isSaltUrl(wanted.url) && isAskedFor(ctx, 'cp.hash_file'))
            tellMissing(ctx, 'file', wanted.url, wanted.saltenv);
          return sum;
        });
      },
    }),
    stat_file: defineFunction({
      doc: 'Gives the permissions of a file, of the master or of this machine.',
      params: {
        path: param.text({ doc: '`salt://path`, or a path.' }),
        saltenv: saltenvParam,
        octal: param.trueOnly({
          default: true,
          doc: 'False: the whole number instead of digits.',
        }),
      },
      returns: "the mode, such as '0644'; None when there is no such file",
      examples: ["salt '*' cp.stat_file salt://path/to/file"],
      run: (ctx, { path, saltenv, octal }) => {
        const wanted = target(ctx, path, saltenv);
        return withFileClient(ctx, async (client) => {
          const mode = (await client.statFile(wanted.url, wanted.saltenv))?.[0];
          if (mode === undefined) {
            if (isAskedFor(ctx, 'cp.stat_file')) tellMissing(ctx, 'file', wanted.url, wanted.saltenv);
            return null;
          }
          return octal ? `0o${(toNumber(mode) ?? 0).toString(8)}`.slice(-4) : mode;
        });
      },
    }),
    list_master: listing(
      'Lists the files of the master.',
      'sorted list of paths',
      (client, saltenv, prefix) => client.source.files(saltenv, prefix),
    ),
    list_master_dirs: listing(
      'Lists the folders of the master.',
      'sorted list of paths',
      (client, saltenv, prefix) => client.source.folders(saltenv, prefix),
    ),
    list_master_symlinks: listing(
      'Lists the symbolic links of the master.',
      'mapping of link to what it says',
      (client, saltenv, prefix) => client.source.links(saltenv, prefix),
    ),
    list_states: defineFunction({
      doc: 'Lists the states that the master has.',
      params: { saltenv: saltenvParam },
      returns: 'sorted list of their names',
      run: (ctx, { saltenv }) =>
        withFileClient(ctx, (client) => client.listStates(environmentOf(ctx, saltenv))),
    }),
    list_minion: defineFunction({
      doc: 'Lists the files in the cache of the minion.',
      params: { saltenv: saltenvParam },
      returns: 'sorted list of paths',
      run: (ctx, { saltenv }) =>
        withFileClient(ctx, () => cachedFiles(cachedirOf(ctx), environmentOf(ctx, saltenv))),
    }),
    envs: defineFunction({
      doc: 'Lists the environments that the master serves files of.',
      returns: 'list of names',
      run: (ctx) => withFileClient(ctx, (client) => client.source.environments()),
    }),
    push: defineFunction({
      doc: 'Sends a file of this machine to the master, which must have `file_recv: True`. It is then in `<cachedir>/minions/<id>/files` of the master.',
      params: {
        path: param.text({ doc: 'Absolute path.' }),
        keep_symlinks: param.flag({
          default: false,
          doc: 'Keep the path of a link; else it is the one it leads to.',
        }),
        upload_path: param.textIfGiven({ default: null, doc: 'Another path on the master.' }),
        remove_source: param.flag({ default: false, doc: 'Remove the file here once the master has it.' }),
      },
      returns: 'True; False when the master did not take it',
      examples: ["salt '*' cp.push /etc/fstab"],
      run: (ctx, { path, keep_symlinks, upload_path, remove_source }) =>
        pushFile(ctx, path, {
          keepSymlinks: keep_symlinks,
          uploadPath: upload_path,
          removeSource: remove_source,
        }),
    }),
    push_dir: defineFunction({
      doc: 'Sends the files below a folder of this machine to the master, see `cp.push`.',
      params: {
        path: param.text({ doc: 'Absolute path.' }),
        glob: param.textOrNone({ default: null, doc: 'Only files whose name matches.' }),
        upload_path: param.textIfGiven({ default: null, doc: 'Another path on the master.' }),
      },
      returns: 'True; False when there are none, or the master did not take one',
      examples: ["salt '*' cp.push_dir /usr/lib/mysql glob='*.conf'"],
      run: (ctx, { path, glob, upload_path }) => pushFolder(ctx, path, glob, upload_path),
    }),
    recv: defineFunction({
      doc: 'Takes files that `salt-cp` sends.',
      params: {
        files: param.mappingIfGiven({ doc: 'Path to content.' }),
        dest: param.textOnly(noPath, { doc: 'Path or folder on this machine.' }),
      },
      returns: 'mapping of path to True or False; `Destination unavailable` when the folder is missing',
      run: (_ctx, { files, dest }) => {
        if (files === undefined)
          throw new SaltInvocationError('files must be a mapping of paths to contents');
        return receiveFiles(files, dest);
      },
    }),
    recv_chunked: defineFunction({
      doc: 'Takes one piece of a file that `salt-cp --chunked` sends.',
      params: {
        dest: param.textOnly(noPath, { doc: 'Path on this machine.' }),
        chunk: param.textOrNone({ type: 'str or None', doc: 'The piece in base64; None to make a folder.' }),
        append: param.flag({ default: false, doc: 'Put it behind what is there.' }),
        compressed: param.flag({ default: true, doc: 'It is compressed with gzip.' }),
        mode: param.number({ default: null, doc: 'Permission bits of a new file.' }),
      },
      returns: 'True, or what went wrong',
      run: (ctx, { dest, chunk, append, compressed, mode }) =>
        receivePiece(ctx, {
          dest,
          chunk,
          append,
          compressed,
          mode,
        }),
    }),
  },
});
