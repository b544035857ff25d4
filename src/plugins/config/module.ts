/** `config.*`: options, looked up in the minion's configuration, grains and pillar (3006.16 salt/modules/config.py). */
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { mergeDicts } from '../../formats/data/dict-merge.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { DEFAULT_DELIMITER, traverse } from '../../formats/data/traverse.ts';
import {
  copyValue,
  dict,
  isDict,
  truthy,
  type Dict,
  type DictInit,
  type Value,
} from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import { isSdbAddress, sdbGet } from '../registry/sdb/sdb.ts';
import { sdbContextOf } from '../sdb/module.ts';

/** What holds when nobody sets an option that a module reads; the same values as Salt's. */
const DEFAULTS: Dict = dict({
  'mongo.db': 'salt',
  'mongo.password': '',
  'mongo.port': 27017,
  'mongo.user': '',
  'redis.db': '0',
  'redis.host': 'salt',
  'redis.port': 6379,
  'test.foo': 'unconfigured',
  'ca.cert_base_path': '/etc/pki',
  'solr.cores': [],
  'solr.host': 'localhost',
  'solr.port': '8983',
  'solr.baseurl': '/solr',
  'solr.type': 'master',
  'solr.request_timeout': null,
  'solr.init_script': '/etc/rc.d/solr',
  'solr.dih.import_options': { clean: false, optimize: true, commit: true, verbose: false },
  'solr.backup_path': null,
  'solr.num_backups': 1,
  'poudriere.config': '/usr/local/etc/poudriere.conf',
  'poudriere.config_dir': '/usr/local/etc/poudriere.d',
  'ldap.uri': '',
  'ldap.server': 'localhost',
  'ldap.port': '389',
  'ldap.tls': false,
  'ldap.no_verify': false,
  'ldap.anonymous': true,
  'ldap.scope': 2,
  'ldap.attrs': null,
  'ldap.binddn': '',
  'ldap.bindpw': '',
  'hosts.file': '/etc/hosts',
  'aliases.file': '/etc/aliases',
  virt: { tunnel: false, images: '/srv/salt-images' },
  'docker.exec_driver': 'docker-exec',
  'docker.compare_container_networks': {
    static: ['Aliases', 'Links', 'IPAMConfig'],
    automatic: ['IPAddress', 'Gateway', 'GlobalIPv6Address', 'IPv6Gateway'],
  },
} satisfies DictInit);

/** The schemes of URLs from which files can be fetched. */
const FILE_PROTOCOLS: ReadonlySet<string> = new Set(['salt', 'file', 'http', 'https', 'ftp', 's3', 'swift']);

/** The options; Salt keeps grains and pillar among them, so `grains:os` is found here, too. */
function optionsOf(ctx: ModuleContext): Dict {
  return new Map([...ctx.opts, ['grains', ctx.grains], ['pillar', ctx.pillar]]);
}

/**
 * The options for one key: hundreds of them are not copied for a key that does not begin with what Salt keeps among
 * them.
 */
function optionsWith(ctx: ModuleContext, first: string): Dict {
  return /grains|pillar/.test(first) ? optionsOf(ctx) : ctx.opts;
}

/** The master's options, which it puts into the pillar with `pillar_opts: True`. */
function masterOf(ctx: ModuleContext): Dict {
  const master = ctx.pillar.get('master');
  return isDict(master) ? master : new Map();
}

/** Whether a source is left out, by the name of the parameter. */
interface Omissions {
  readonly omit_opts?: boolean;
  readonly omit_grains?: boolean;
  readonly omit_pillar?: boolean;
  readonly omit_master?: boolean;
}

/** The sources of options, first wins. @param options those of the minion */
function sources(ctx: ModuleContext, omit: Omissions, options: () => Dict): Dict[] {
  const all: [keyof Omissions, () => Dict][] = [
    ['omit_opts', options],
    ['omit_grains', () => ctx.grains],
    ['omit_pillar', () => ctx.pillar],
    ['omit_master', () => masterOf(ctx)],
  ];
  return all.filter(([name]) => omit[name] !== true).map(([, source]) => source());
}

interface GetRequest extends Omissions {
  readonly key: string | number;
  readonly default: Value;
  readonly delimiter: string;
  readonly merge: Value;
}

/** A key as keys of mappings are: a number as it is, anything else as text. */
function keyOf(value: Value): string | number {
  return typeof value === 'number' ? value : pyStr(value);
}

async function get(ctx: ModuleContext, args: GetRequest): Promise<Value> {
  const options = { delimiter: args.delimiter };
  const key = String(args.key);
  const first = args.delimiter === '' ? key : (key.split(args.delimiter)[0] ?? '');
  const places =
    args.merge === null
      ? [...sources(ctx, args, () => optionsWith(ctx, first)), DEFAULTS]
      : [merged(ctx, args.merge)];
  for (const place of places) {
    const value = traverse(place, args.key, options);
    if (value !== undefined) return isSdbAddress(value) ? sdbGet(sdbContextOf(ctx), value) : value;
  }
  return args.default;
}

/** All sources in one mapping, as `config.get … merge=` searches it. */
function merged(ctx: ModuleContext, strategy: Value | undefined): Dict {
  const known = strategy === 'overwrite' || strategy === 'recurse' ? strategy : 'recurse';
  if (known !== strategy) {
    ctx.log.warning(`Unsupported merge strategy '${pyStr(strategy ?? null)}'. Falling back to 'recurse'.`);
  }
  // Salt compat: Salt reads this option from /etc/salt/master on the minion; here it is the minion's own.
  const mergeLists = truthy(ctx.opts.get('pillar_merge_lists'));
  return [masterOf(ctx), ctx.pillar, ctx.grains, optionsOf(ctx)].reduce(
    (all, source) => mergeDicts(all, source, known, mergeLists),
    DEFAULTS,
  );
}

interface OptionRequest extends Omissions {
  readonly value: string;
  readonly default?: Value;
  readonly omit_all?: boolean;
  readonly wildcard?: boolean;
}

function option(ctx: ModuleContext, args: OptionRequest): Value {
  const options = (): Dict => (args.wildcard === true ? optionsOf(ctx) : optionsWith(ctx, args.value));
  const chosen = args.omit_all === true ? [] : sources(ctx, args, options);
  const fallback = args.default ?? null;
  if (args.wildcard === true) {
    const matches = wildcard([DEFAULTS, ...chosen.reverse()], args.value);
    if (matches.size > 0) return matches;
    return fallback ?? new Map<Value, Value>();
  }
  for (const source of [...chosen, DEFAULTS]) {
    if (source.has(args.value)) return copyValue(source.get(args.value) ?? null);
  }
  return fallback ?? '';
}

/** The entries whose keys match, later sources winning. */
function wildcard(places: readonly Dict[], pattern: string): Dict {
  const found: Dict = new Map();
  for (const place of places) {
    const names = [...place.keys()].filter((key) => typeof key === 'string');
    for (const name of filterNames(names, pattern)) found.set(name, copyValue(place.get(name) ?? null));
  }
  return found;
}

/** `config.merge`: the first text wins, else lists and mappings of all sources are joined. */
function merge(
  ctx: ModuleContext,
  args: Omissions & { readonly value: Value; readonly default: Value },
): Value {
  let found: Value = null;
  const all: [keyof Omissions, Dict][] = [
    ['omit_opts', optionsOf(ctx)],
    ['omit_master', masterOf(ctx)],
    ['omit_pillar', ctx.pillar],
  ];
  for (const [name, source] of all) {
    const value = args[name] === true ? undefined : source.get(args.value);
    if (value === undefined) continue;
    if (found === null) found = value;
    else if (isDict(found) && isDict(value)) found = new Map([...value, ...found]);
    else if (Array.isArray(found) && Array.isArray(value)) found = [...found, ...value];
    if (typeof found === 'string') return found;
  }
  return copyValue(found ?? DEFAULTS.get(args.value) ?? args.default);
}

/** A file mode as text of four digits (3006.16 salt/utils/files.py `normalize_mode`). */
function normalizeMode(mode: string | undefined): Value {
  if (mode === undefined) return null;
  const text = mode.replaceAll('0o', '0');
  const bare = text.replace(/^"+|"+$/g, '').replace(/^'+|'+$/g, '');
  return bare.replace(/^0+/, '').padStart(4, '0');
}

const omitParams = {
  omit_opts: param.flag({ default: false, doc: "Leave the minion's configuration out." }),
  omit_pillar: param.flag({ default: false, doc: 'Leave the pillar out.' }),
  omit_master: param.flag({ default: false, doc: "Leave the master's configuration out." }),
  omit_grains: param.flag({ default: false, doc: 'Leave the grains out.' }),
} as const;

/** The module `config`. */
export const configModule = defineModule({
  name: 'config',
  file: 'config',
  doc: 'Options: those of the minion, completed by grains, by pillar and by what the master puts into the pillar.',
  failsWith: { false: ['gather_bootstrap_script'] },
  functions: {
    get: defineFunction({
      doc:
        "Gives one option, also one inside another: from the minion's configuration, else from the grains, the pillar, " +
        "the master's configuration (with `pillar_opts`), the defaults of modules. Values `sdb://…` are resolved.",
      params: {
        key: param.by(keyOf, {
          type: 'str',
          doc: 'Name of the option; levels are separated by the delimiter.',
        }),
        default: param.value({ default: '', type: 'any', doc: 'What to return when nobody sets it.' }),
        delimiter: param.text({ default: DEFAULT_DELIMITER, doc: 'What separates levels.' }),
        merge: param.value({
          default: null,
          type: 'str',
          doc:
            'Merge all sources first and search the result: `recurse` merges mappings at every level, ' +
            '`overwrite` only at the top.',
        }),
        ...omitParams,
      },
      returns: 'the value, or the default',
      examples: [
        "salt '*' config.get pkg:apache",
        "salt '*' config.get lxc.container_profile:centos merge=recurse",
      ],
      run: async (ctx, args) => copyValue(await get(ctx, args), 'shared'),
    }),
    option: defineFunction({
      doc: 'Gives one option by its whole name, from the same sources as `config.get`.',
      params: {
        value: param.text({ doc: 'Name of the option; a glob with `wildcard`.' }),
        default: param.value({
          default: null,
          type: 'any',
          doc: 'What to return when nobody sets it; without it an empty text, with `wildcard` an empty mapping.',
        }),
        omit_opts: omitParams.omit_opts,
        omit_grains: omitParams.omit_grains,
        omit_pillar: omitParams.omit_pillar,
        omit_master: omitParams.omit_master,
        omit_all: param.flag({ default: false, doc: 'Look into the defaults of modules only.' }),
        wildcard: param.flag({ default: false, doc: 'Give all options whose names match a glob.' }),
      },
      returns: 'the value; with `wildcard` a mapping of name to value',
      examples: ["salt '*' config.option redis.host", "salt '*' config.option 'redis.*' wildcard=True"],
      run: (ctx, args) => option(ctx, args),
    }),
    merge: defineFunction({
      doc: 'Gives one option with lists and mappings of all sources joined; a text of the first source wins alone.',
      params: {
        value: param.value({ type: 'str', doc: 'Name of the option.' }),
        default: param.value({ default: '', type: 'any', doc: 'What to return when nobody sets it.' }),
        omit_opts: omitParams.omit_opts,
        omit_master: omitParams.omit_master,
        omit_pillar: omitParams.omit_pillar,
      },
      returns: 'the value',
      examples: ["salt '*' config.merge schedule"],
      run: (ctx, args) => merge(ctx, args),
    }),
    items: defineFunction({
      doc: 'Gives all options with which this minion runs, defaults included.',
      returns: 'mapping of option to value',
      run: (ctx) => ctx.opts,
    }),
    backup_mode: defineFunction({
      doc: 'Returns how files are backed up before they are changed.',
      params: {
        backup: param.valueIfGiven({ default: '', type: 'str', doc: 'When given, this is the answer.' }),
      },
      returns: 'the mode given, or the option `backup_mode`',
      run: (ctx, { backup }) => backup ?? option(ctx, { value: 'backup_mode' }),
    }),
    manage_mode: defineFunction({
      doc: 'Writes a file mode as text of four digits.',
      params: {
        mode: param.textOrNone({
          type: 'str or int',
          doc: 'The mode; its decimal digits are taken as octal ones.',
        }),
      },
      returns: "text such as `'0644'`",
      examples: ["salt '*' config.manage_mode 644"],
      run: (_ctx, { mode }) => normalizeMode(mode),
    }),
    valid_fileproto: defineFunction({
      doc: 'Returns whether files can be fetched from a URL of this scheme.',
      params: { uri: param.text({ doc: 'The URL.' }) },
      returns: 'bool',
      examples: ["salt '*' config.valid_fileproto salt://path/to/file"],
      run: (_ctx, { uri }) => {
        const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(strip(uri))?.[1];
        return scheme !== undefined && FILE_PROTOCOLS.has(scheme.toLowerCase());
      },
    }),
    dot_vals: defineFunction({
      doc: 'Gives all options whose names start with a word and a dot.',
      params: { value: param.text({ doc: 'The word, usually the name of a module.' }) },
      returns: 'mapping of name to value',
      examples: ["salt '*' config.dot_vals host"],
      run: (ctx, { value }) => {
        const entries = [...masterOf(ctx), ...ctx.opts];
        return new Map(entries.filter(([key]) => pyStr(key).startsWith(`${value}.`)));
      },
    }),
    gather_bootstrap_script: defineFunction({
      doc: 'Would fetch the script that installs Salt on new machines; there is no such script here.',
      params: { bootstrap: param.value({ default: null, type: 'str', doc: 'URL of another script.' }) },
      returns: '`[False, text]`',
      run: () => [false, 'config.gather_bootstrap_script is unavailable'],
    }),
  },
});
