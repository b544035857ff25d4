/** The functions of `pkg` that change apt's repositories and keys. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy } from '../../../python/values/value.ts';
import { addKey, deleteKey, keyPlace, repoKeys } from '../apt/module/apt-keys.ts';
import { deleteRepository, modifyRepository } from '../apt/module/apt-repositories.ts';
import { param } from '../../../runtime/loader/params.ts';

const repo = param.text({ doc: 'The line of the source, as it stands in the file.' });
const saltenv = param.value({ default: 'base', type: 'str', doc: 'The environment of the file server.' });
const place = {
  aptkey: param.flag({ default: true, doc: 'Use `apt-key` where there is one; else files in `keydir`.' }),
  keydir: param.value({
    default: null,
    type: 'str',
    doc: 'The folder of the key files; default `/etc/apt/keyrings`.',
  }),
} as const;

/** Functions by name. */
export const repositoryFunctions = {
  mod_repo: defineFunction({
    doc:
      'Adds a repository, or changes one, in the line or the stanza (deb822) where it stands; a new one becomes a stanza where `file` ends ' +
      'in `.sources`. Keywords: `comps`, `architectures` (with commas between), `file`, `dist`, `uri`, `signedby` (a path; in a stanza also ' +
      'the key itself), `trusted`, `disabled`, `enabled`, `comments`, `keyid` with `keyserver`, `key_url`, `key_text`, `consolidate`, `refresh`.',
    params: { repo, saltenv, aptkey: place.aptkey },
    kwargs: 'kwargs',
    returns:
      'the line to a mapping of `architectures`, `comps`, `disabled`, `file`, `type`, `uri`, `line`, `signedby`',
    examples: ["salt '*' pkg.mod_repo 'deb http://deb.debian.org/debian stable main' comps=main,contrib"],
    run: (ctx, args, _rest, kwargs) => modifyRepository(ctx, args, kwargs),
  }),
  del_repo: defineFunction({
    doc: 'Removes a repository, or some of its components; other sources of its stanza stay. A file in `sources.list.d` that is empty then is removed.',
    params: { repo },
    kwargs: 'kwargs',
    returns: 'what was removed from which file',
    examples: ["salt '*' pkg.del_repo 'deb http://deb.debian.org/debian stable contrib'"],
    run: (ctx, args, _rest, kwargs) => deleteRepository(ctx, args.repo, kwargs),
  }),
  get_repo_keys: defineFunction({
    doc: 'Lists the keys that repositories are signed with.',
    params: place,
    returns: 'mapping of id to what is known of the key; False without a folder',
    examples: ["salt '*' pkg.get_repo_keys"],
    run: (ctx, { aptkey, keydir }) => {
      const where = keyPlace(ctx, aptkey, keydir);
      return where === undefined ? false : repoKeys(ctx, where);
    },
  }),
  add_repo_key: defineFunction({
    doc: 'Adds a key that repositories are signed with: from a file, as text, or from a server.',
    params: {
      path: param.value({ default: null, type: 'str', doc: 'A file or address.' }),
      text: param.value({ default: null, type: 'str', doc: 'The key as text.' }),
      keyserver: param.value({ default: null, type: 'str', doc: 'A server that has it.' }),
      keyid: param.value({ default: null, type: 'str', doc: 'Its id.' }),
      saltenv,
      ...place,
      keyfile: param.value({
        default: null,
        type: 'str',
        doc: 'The name of the file it is kept in, without `apt-key`.',
      }),
    },
    returns: 'bool',
    examples: ["salt '*' pkg.add_repo_key 'salt://apt/sources/test.key'"],
    run: (ctx, args) => {
      const where = keyPlace(ctx, args.aptkey, args.keydir);
      return where === undefined ? false : addKey(ctx, args, where);
    },
  }),
  del_repo_key: defineFunction({
    doc: 'Removes a key that repositories are signed with. Keyword: `keyid`.',
    params: { name: param.value({ default: null, type: 'str', doc: 'Is not looked at.' }), ...place },
    kwargs: 'kwargs',
    returns: 'the id; False when there is no such key',
    examples: ["salt '*' pkg.del_repo_key keyid=0123ABCD"],
    run: (ctx, { aptkey, keydir }, _rest, kwargs) => {
      const where = keyPlace(ctx, aptkey, keydir);
      if (where === undefined) return false;
      if (truthy(kwargs.get('keyid_ppa')))
        throw new SaltInvocationError('keyid_ppa is not supported: give the keyid itself.');
      const keyid = kwargs.get('keyid');
      if (keyid === undefined)
        throw new SaltInvocationError('keyid or keyid_ppa and PPA name must be passed');
      return deleteKey(ctx, pyStr(keyid), where);
    },
  }),
};
