/**
 * `etcd`: keys of etcd, by its interface of version 2 or 3. Follows 3006.16 salt/modules/etcd_mod.py,
 * salt/utils/etcd_util.py.
 */
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CONNECTION, keysOf, PROFILE } from './module/connect.ts';

const KEY = { key: param.text({ doc: 'The key, a path.' }) } as const;
const RECURSE = {
  recurse: param.flag({ default: false, doc: 'With all that lies below.' }),
} as const;
const PATH = { path: param.text({ default: '/', doc: 'The path.' }) } as const;
const NONE = 'None where that failed, which the log explains';

/** The module. */
export const etcdModule = defineModule({
  name: 'etcd',
  file: 'etcd_mod',
  doc: 'Keys of etcd. Further keywords (host, port, username, password, ca, client_key, client_cert) say which; without them the options etcd.* of the profile or of the configuration do. It speaks version 2 unless etcd.require_v2 is False.',
  failsWith: { none: ['get', 'rm', 'set', 'tree', 'update', 'watch'] },
  functions: {
    get: defineFunction({
      doc: 'Returns the value of a key.',
      params: { ...KEY, ...RECURSE, ...PROFILE },
      kwargs: CONNECTION,
      pythonName: 'get_',
      returns: `text (a value of its kind in version 3); with recurse a mapping; ${NONE}`,
      examples: [
        'salt myminion etcd.get /path/to/key profile=my_etcd_config',
        'salt myminion etcd.get /path/to/key recurse=True host=127.0.0.1 port=2379',
      ],
      run: (ctx, { key, recurse, profile }, _rest, given) => keysOf(ctx, profile, given).get(key, recurse),
    }),
    set: defineFunction({
      doc: 'Sets a key, or makes a directory (version 2).',
      params: {
        ...KEY,
        value: param.value({ type: 'str', doc: 'The value.' }),
        ...PROFILE,
        ttl: param.value({ default: null, type: 'int', doc: 'After how many seconds it goes.' }),
        directory: param.flag({ default: false, doc: 'Make a directory; the value has no meaning then.' }),
      },
      kwargs: CONNECTION,
      pythonName: 'set_',
      returns: `the value that the key has now, True for a directory; ${NONE}`,
      examples: [
        'salt myminion etcd.set /path/to/key value profile=my_etcd_config',
        "salt myminion etcd.set /path/to/dir '' directory=True",
        'salt myminion etcd.set /path/to/key value ttl=5',
      ],
      run: (ctx, { key, value, profile, ttl, directory }, _rest, given) =>
        keysOf(ctx, profile, given).set(key, value, ttl, directory),
    }),
    update: defineFunction({
      doc: 'Sets the keys of a mapping, nested or not. An empty mapping makes a directory (version 2).',
      params: {
        fields: param.mappingIfGiven({ doc: 'The keys and their values.' }),
        path: param.textOrEmpty({ default: '', doc: 'The path that they lie below.' }),
        ...PROFILE,
      },
      kwargs: CONNECTION,
      returns: `mapping of paths and values as they are now; ${NONE}`,
      examples: [
        `salt myminion etcd.update "{'/path/to/key': 'baz', '/another/key': 'bar'}" path='/some/root'`,
      ],
      run: (ctx, { fields, path, profile }, _rest, given) => {
        const keys = keysOf(ctx, profile, given);
        if (fields !== undefined) return keys.update(fields, path);
        ctx.log.error('etcd.update: fields is not type dict');
        return null;
      },
    }),
    watch: defineFunction({
      doc: 'Waits for a change of a key.',
      params: {
        ...KEY,
        ...RECURSE,
        ...PROFILE,
        timeout: param.numberOnly({
          default: 0,
          doc: 'Wait no longer than these seconds; 0: until the job is ended.',
        }),
        index: param.valueIfGiven({ default: null, type: 'int', doc: 'The change from which on to look.' }),
      },
      kwargs: CONNECTION,
      returns: `mapping of key, value (None when it is gone), changed, mIndex and dir; None when nothing came in time`,
      examples: ['salt myminion etcd.watch /path/to/key timeout=10'],
      run: (ctx, { key, recurse, profile, timeout, index }, _rest, given) =>
        keysOf(ctx, profile, given).watch({
          key,
          isRecursive: recurse,
          timeoutSeconds: timeout === 0 ? undefined : timeout,
          index,
        }),
    }),
    ls: defineFunction({
      doc: 'Lists the keys and directories of a path.',
      params: { ...PATH, ...PROFILE },
      kwargs: CONNECTION,
      pythonName: 'ls_',
      returns:
        'mapping of the path to a mapping of keys and values, directories with a slash behind them; empty where there is no such path',
      examples: ['salt myminion etcd.ls /path/to/dir/ profile=my_etcd_config'],
      run: (ctx, { path, profile }, _rest, given) => keysOf(ctx, profile, given).ls(path),
    }),
    rm: defineFunction({
      doc: 'Removes a key.',
      params: { ...KEY, ...RECURSE, ...PROFILE },
      kwargs: CONNECTION,
      pythonName: 'rm_',
      returns: `True; ${NONE}`,
      examples: ['salt myminion etcd.rm /path/to/dir recurse=True profile=my_etcd_config'],
      run: (ctx, { key, recurse, profile }, _rest, given) => keysOf(ctx, profile, given).rm(key, recurse),
    }),
    tree: defineFunction({
      doc: 'Returns all that lies below a path.',
      params: { ...PATH, ...PROFILE },
      kwargs: CONNECTION,
      returns: `nested mappings; ${NONE}`,
      examples: ['salt myminion etcd.tree /path/to/keys host=127.0.0.1 port=2379'],
      run: (ctx, { path, profile }, _rest, given) => keysOf(ctx, profile, given).tree(path),
    }),
  },
});
