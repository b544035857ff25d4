/** The functions of `git` that speak with other repositories (3006.16 salt/modules/git.py). */
import { mkdirSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { joinPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { redacted, withBasicAuth } from './credentials.ts';
import { hasPassword, placeholder, withoutPassword } from '../../shared/hidden-passwords.ts';
import {
  CWD,
  ENCODING,
  ENDING,
  HTTPS,
  IDENTITY,
  IGNORE_RETCODE,
  OPTIONS,
  OUTPUT,
  RUN_AS,
  SALTENV,
} from './params.ts';
import { inCheckout, printedIn, replaceSetting, runGit, runOf, saidIn, type SharedArgs } from './run.ts';
import { expandFolder, listOfTexts, optionWords, remoteOperand } from './words.ts';

/** A line of what `git fetch` reports about one ref. */
const FETCHED = /^[\s*]*(?:([0-9a-f]+)\.\.([0-9a-f]+)|\[(?:new (tag|branch)|tag update)\])\s+(.+)->/;

/** What a fetch has brought, by kind. */
function fetchedRefs(output: string): Dict {
  const found: Dict = new Map();
  const list = (kind: string, name: string): void => {
    const names = found.get(kind);
    found.set(kind, [...(Array.isArray(names) ? names : []), name]);
  };
  const updated: Dict = new Map();
  for (const line of output.split('\n')) {
    const [, old, fresh, kind, ref] = FETCHED.exec(line) ?? [];
    if (ref === undefined) continue;
    const name = ref.trimEnd();
    if (kind !== undefined) list(kind === 'tag' ? 'new tags' : 'new branches', name);
    else if (old === undefined) list('updated tags', name);
    else {
      updated.set(name, dict({ old, new: fresh }));
      found.set('updated branches', updated);
    }
  }
  return found;
}

/** Refs of another repository, as `git ls-remote` lists them. */
function listedRefs(output: string): Dict {
  const refs: Dict = new Map();
  for (const line of splitLines(output)) {
    const [, sha1, name] = /^\s*(\S+)\s+(.+)$/.exec(line) ?? [];
    if (sha1 !== undefined && name !== undefined) refs.set(name, sha1);
  }
  return refs;
}

type RemotesArgs = SharedArgs & { readonly redact_auth: boolean };

/** The remotes of a checkout: `{name: {fetch, push}}`. */
async function remotesOf(ctx: ModuleContext, args: RemotesArgs): Promise<Map<Value, Dict>> {
  const remotes = new Map<Value, Dict>();
  for (const line of (await printedIn(ctx, args, ['remote', '--verbose'])).split('\n')) {
    const [, name, url, said] = /^\s*(\S+)\s+(.*\S)\s+(\S+)\s*$/.exec(line) ?? [];
    if (name === undefined || url === undefined || said === undefined) continue;
    const action = said.replace(/^\(+/, '').replace(/\)+$/, '').toLowerCase();
    if (action !== 'fetch' && action !== 'push') {
      ctx.log.warning(
        `Unknown action '${action}' for remote '${name}' in git checkout located in ${args.cwd}`,
      );
      continue;
    }
    const actions = remotes.get(name) ?? new Map<Value, Value>();
    remotes.set(name, actions.set(action, args.redact_auth ? redacted(url) : url));
  }
  return remotes;
}

async function oneRemote(ctx: ModuleContext, args: RemotesArgs & { readonly remote: string }): Promise<Dict> {
  const found = (await remotesOf(ctx, args)).get(args.remote);
  if (found !== undefined) return found;
  throw new CommandExecutionError(
    `Remote '${args.remote}' not present in git checkout located at ${expandFolder(args.cwd, args.user)}`,
  );
}

const CLONE_FOLDER = '/tmp';

const transferFunctions = {
  clone: defineFunction({
    doc: 'Clones a repository into a new folder.',
    params: {
      cwd: param.text({ doc: 'The new folder; with `name` the folder in which it is made.' }),
      url: param.textIfGiven({ default: null, doc: 'The address of the repository.' }),
      name: param.textOrNone({ default: null, doc: 'The name of the new folder.' }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...HTTPS, ...IGNORE_RETCODE, ...SALTENV, ...ENCODING },
    },
    returns: 'true',
    examples: ["salt '*' git.clone /srv/app https://example.com/app.git"],
    run: async (ctx, args) => {
      const cwd = expandFolder(args.cwd, args.user);
      if (args.url === undefined) throw new SaltInvocationError("Missing 'url' argument");
      const url = remoteOperand(withBasicAuth(args.url, args.https_user, args.https_pass));
      const words = [...optionWords(args.git_opts), 'clone', ...args.opts, '--', url];
      const from = args.name === undefined ? CLONE_FOLDER : cwd;
      if (args.name !== undefined && !pathExists(cwd)) mkdirSync(cwd, { recursive: true });
      await runGit(ctx, [...words, args.name ?? cwd], runOf(args, from));
      const clone = runOf(args, args.name === undefined ? cwd : joinPath(cwd, args.name));
      const before = withoutPassword(url);
      if (before !== url) await replaceSetting(ctx, { place: '--local', before, after: url }, clone);
      return true;
    },
  }),
  fetch: defineFunction({
    doc: 'Fetches from a remote, and changes nothing in the folder itself.',
    params: {
      ...CWD,
      remote: param.textIfGiven({ default: null, doc: 'The name of the remote; what git takes without it.' }),
      force: param.flag({ default: false, doc: 'Also take over what is not ahead of what is here.' }),
      refspecs: param.by(listOfTexts, {
        default: null,
        type: 'list or str',
        doc: 'What to fetch; as the remote is configured without it.',
      }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...IGNORE_RETCODE, ...SALTENV, ...ENCODING },
    },
    returns: 'mapping of `new tags`, `new branches`, `updated tags`, `updated branches` to what was fetched',
    examples: ["salt '*' git.fetch /srv/app origin"],
    run: async (ctx, args) => {
      const opts = args.opts.filter((word) => word !== '-f' && word !== '--force');
      const output = await saidIn(ctx, args, [
        'fetch',
        ...(args.force ? ['--force'] : []),
        ...opts,
        ...(args.remote === undefined ? [] : [remoteOperand(args.remote)]),
        ...args.refspecs,
      ]);
      return fetchedRefs(output);
    },
  }),
  pull: defineFunction({
    doc: 'Fetches, and merges what was fetched into the folder.',
    params: { ...CWD, ...OPTIONS, ...RUN_AS, ...IDENTITY, ...IGNORE_RETCODE, ...SALTENV, ...ENCODING },
    returns: OUTPUT,
    examples: ["salt '*' git.pull /srv/app opts='--rebase origin main'"],
    run: (ctx, args) => printedIn(ctx, args, ['pull', ...args.opts]),
  }),
  push: defineFunction({
    doc: 'Brings refs to a remote.',
    params: {
      ...CWD,
      remote: param.textIfGiven({ default: null, doc: 'The name of the remote.' }),
      ref: param.textIfGiven({ default: null, doc: 'The ref: a branch, or `local:remote`.' }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...IGNORE_RETCODE, ...SALTENV, ...ENCODING },
    },
    kwargs: 'kwargs',
    returns: OUTPUT,
    examples: ["salt '*' git.push /srv/app origin main"],
    run: (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, []);
      const where = [args.remote, args.ref].filter((word) => word !== undefined).map(remoteOperand);
      return printedIn(ctx, args, ['push', ...args.opts, ...where]);
    },
  }),
};

const listingFunctions = {
  ls_remote: defineFunction({
    doc: 'Lists the refs of a remote.',
    params: {
      cwd: param.textOrNone({ default: null, doc: 'The folder of a checkout; not needed with an address.' }),
      remote: param.text({ default: 'origin', doc: 'The name of the remote, or an address.' }),
      ref: param.textIfGiven({ default: null, doc: 'Only this one.' }),
      ...{ ...OPTIONS, ...RUN_AS, ...IDENTITY, ...HTTPS, ...IGNORE_RETCODE, ...ENCODING, ...SALTENV },
    },
    returns: 'mapping of ref to commit',
    examples: [
      "salt '*' git.ls_remote /srv/app origin",
      "salt '*' git.ls_remote remote=https://example.com/app.git",
    ],
    run: async (ctx, args) => {
      const cwd = args.cwd === undefined ? undefined : expandFolder(args.cwd, args.user);
      const remote = remoteOperand(withBasicAuth(args.remote, args.https_user, args.https_pass));
      const words = [
        ...optionWords(args.git_opts),
        ...['ls-remote', ...args.opts, remote],
        ...(args.ref === undefined ? [] : [args.ref]),
      ];
      return listedRefs((await runGit(ctx, words, runOf(args, cwd))).stdout);
    },
  }),
  remote_refs: defineFunction({
    doc: 'Lists the refs of another repository. Keyword: `filter`, only those that match it.',
    params: {
      url: param.text({ doc: 'The address of the repository.' }),
      heads: param.flag({ default: false, doc: 'Only branches.' }),
      tags: param.flag({ default: false, doc: 'Only tags.' }),
      ...{ ...RUN_AS, ...IDENTITY, ...HTTPS, ...IGNORE_RETCODE, ...ENCODING, ...SALTENV },
    },
    kwargs: 'kwargs',
    returns: 'mapping of ref to commit',
    examples: ["salt '*' git.remote_refs https://example.com/app.git heads=True"],
    run: async (ctx, args, _rest, kwargs) => {
      refuseKeywords(kwargs, ['filter']);
      const filter = kwargs.get('filter') ?? null;
      const words = [
        'ls-remote',
        ...(args.heads ? ['--heads'] : []),
        ...(args.tags ? ['--tags'] : []),
        remoteOperand(withBasicAuth(args.url, args.https_user, args.https_pass)),
        ...(truthy(filter) ? [pyStr(filter)] : []),
      ];
      return listedRefs((await runGit(ctx, words, runOf(args))).stdout);
    },
  }),
};

const REMOTE = { remote: param.text({ default: 'origin', doc: 'The name of the remote.' }) } as const;
const REDACT = {
  redact_auth: param.flag({ default: true, doc: 'Hide users and passwords in addresses.' }),
} as const;

/**
 * Has git note an address: one with a password only once it stands there.
 * @param words the command that ends with the address
 */
async function setAddress(
  ctx: ModuleContext,
  args: SharedArgs,
  { words, url }: { readonly words: readonly string[]; readonly url: string },
): Promise<void> {
  if (!hasPassword(url)) {
    await inCheckout(ctx, args, [...words, url]);
    return;
  }
  const before = placeholder(ctx.random);
  await inCheckout(ctx, args, [...words, before]);
  const run = runOf(args, expandFolder(args.cwd, args.user));
  await replaceSetting(ctx, { place: '--local', before, after: url }, run);
}

const remoteFunctions = {
  remotes: defineFunction({
    doc: 'Returns the remotes of a checkout.',
    params: { ...CWD, ...RUN_AS, ...REDACT, ...ENDING },
    returns: 'mapping of remote to `fetch` and `push`, its addresses',
    examples: ["salt '*' git.remotes /srv/app"],
    run: (ctx, args) => remotesOf(ctx, args),
  }),
  remote_get: defineFunction({
    doc: 'Returns the addresses of a remote.',
    params: { ...CWD, ...REMOTE, ...RUN_AS, ...REDACT, ...ENDING },
    returns: 'mapping with `fetch` and `push`',
    examples: ["salt '*' git.remote_get /srv/app origin"],
    run: (ctx, args) => oneRemote(ctx, args),
  }),
  remote_set: defineFunction({
    doc: 'Sets the address of a remote; it is made where there is none.',
    params: {
      ...CWD,
      url: param.text({ doc: 'The address.' }),
      ...{ ...REMOTE, ...RUN_AS, ...HTTPS },
      push_url: param.textIfGiven({ default: null, doc: 'The address to push to, where it is another.' }),
      push_https_user: param.textOrNone({ default: null, doc: 'The user name for `push_url`.' }),
      push_https_pass: param.textOrNone({ default: null, doc: 'The password for `push_url`.' }),
      ...ENDING,
    },
    returns: 'mapping with `fetch` and `push`',
    examples: ["salt '*' git.remote_set /srv/app https://example.com/app.git remote=upstream"],
    run: async (ctx, args) => {
      const { remote } = args;
      const url = remoteOperand(withBasicAuth(args.url, args.https_user, args.https_pass));
      const all = { ...args, redact_auth: true };
      if ((await remotesOf(ctx, { ...all, ignore_retcode: false })).has(remote))
        await inCheckout(ctx, args, ['remote', 'rm', remote]);
      await setAddress(ctx, args, { words: ['remote', 'add', remote], url });
      if (args.push_url !== undefined) {
        const target = withBasicAuth(args.push_url, args.push_https_user, args.push_https_pass);
        await setAddress(ctx, args, { words: ['remote', 'set-url', '--push', remote], url: target });
      }
      return oneRemote(ctx, all);
    },
  }),
};

/** The functions that speak with other repositories, and those about remotes. */
export const remotesAndTransfers = { ...transferFunctions, ...listingFunctions, ...remoteFunctions };
