/** The external pillar pillar_ldap: entries of a directory (3006.16 salt/pillar/pillar_ldap.py). */
import { existsSync, readFileSync } from 'node:fs';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { withDirectory, type LdapEntry, type LdapScope } from '../../../network/ldap/directory.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { RenderPipe } from '../../renderers/pipe.ts';
import { rendererRules } from '../../renderers/pipe.ts';
import { namedSettings, type ExtPillar, type ExtPillarContext } from './ext-pillar.ts';

const TIMEOUT_MS = 30_000;
const SCOPES: readonly LdapScope[] = ['base', 'one', 'sub'];
/** Anything else could end a word of a filter, of a name in the directory, or of YAML. */
const STRANGE = /[^\p{L}\p{N} ._@/:-]|:(?=\s|$)/gu;

/**
 * Makes the external pillar.
 *
 * Salt compat: a file, a server or a search that cannot be had fails the pillar, where Salt logs it and goes on without
 * the data. Characters of grains that mean something in a filter are escaped, since a minion says what its grains are.
 * Mode `split`, which is the default and raises in Salt, does what its documentation says.
 */
export function ldapPillar(pipe: RenderPipe): ExtPillar {
  return async (settings, context) => {
    const path = pyStr(namedSettings(settings, ['config_file']).get('config_file') ?? '');
    const config = await configIn(path, pipe, context);
    const order = config.get('search_order');
    if (!Array.isArray(order)) throw new CommandExecutionError(`${path} has no list search_order`);
    const data: Dict = new Map();
    for (const source of order) {
      const conf = config.get(source);
      if (!isDict(conf)) throw new CommandExecutionError(`${path} has no mapping ${pyStr(source)}`);
      const found = await search(conf, pyStr(source), context.opts);
      if (found.length > 0) addEntries(data, found, conf, source);
    }
    return data;
  };
}

async function configIn(path: string, pipe: RenderPipe, { opts, grains }: ExtPillarContext): Promise<Dict> {
  if (!existsSync(path)) throw new CommandExecutionError(`there is no file ${path}`);
  const opt = (name: string): Value | undefined => opts.get(name);
  const data = await pipe.render(readFileSync(path, 'utf8'), 'jinja|yaml', rendererRules(opt), {
    opt,
    saltenv: 'base',
    sls: '',
    path,
    variables: new Map([...grains].map(([name, value]) => [pyStr(name), escaped(value)])),
    functions: { has: () => false, call: () => null },
    readTemplate: () => undefined,
  });
  if (isDict(data)) return data;
  throw new CommandExecutionError(`${path} is no mapping`);
}

function escaped(value: Value): Value {
  if (typeof value === 'string')
    return value.replace(STRANGE, (one) =>
      [...Buffer.from(one)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  if (Array.isArray(value)) return value.map(escaped);
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, escaped(item)]));
  return value;
}

async function search(conf: Dict, source: string, opts: Dict): Promise<readonly LdapEntry[]> {
  const value = (name: string): Value => conf.get(name) ?? opts.get(`ldap.${name}`) ?? null;
  const text = (name: string, otherwise = ''): string =>
    truthy(value(name)) ? pyStr(value(name)) : otherwise;
  if (text('filter') === '') throw new CommandExecutionError(`${source}: missing filter`);
  const [user, password] = [text('binddn'), text('bindpw')];
  const isNamed = user !== '' && password !== '';
  const settings = {
    urls: [text('uri', `ldap://${text('server', 'localhost')}:${text('port', '389')}`)],
    startTls: truthy(value('tls')),
    verify: !truthy(value('no_verify')),
    caFile: undefined,
    timeoutMs: TIMEOUT_MS,
    optionNames: `server, port and tls of ${source}`,
  };
  return withDirectory(settings, async (session) => {
    if (isNamed && !(await session.bind(user, password)))
      throw new CommandExecutionError(`${settings.urls.join()} refuses ${user}; see binddn and bindpw`);
    return session.search({
      base: text('dn'),
      filter: text('filter'),
      scope: SCOPES[Number(text('scope', '2'))] ?? 'sub',
      attributes: namesIn(conf, 'attrs').concat(namesIn(conf, 'lists'), keyOf(conf)),
    });
  });
}

const namesIn = (conf: Dict, name: string): string[] => {
  const list = conf.get(name);
  return Array.isArray(list) ? list.map(pyStr) : [];
};

const keyOf = (conf: Dict): string => {
  const name = conf.get('dict_key_attr') ?? null;
  return truthy(name) ? pyStr(name) : 'dn';
};

const isDn = (name: string): boolean => name === 'dn' || name === 'distinguishedName';

function addEntries(data: Dict, found: readonly LdapEntry[], conf: Dict, source: Value): void {
  const mode = pyStr(conf.get('mode') ?? 'split');
  if (mode === 'map') {
    data.set(
      source,
      found.map((entry) => attributesOf(entry, conf)),
    );
  } else if (mode === 'dict') {
    const out: Dict = new Map();
    const key = keyOf(conf);
    for (const entry of found) {
      const name = isDn(key) ? entry.dn : [...(entry.values.get(key.toLowerCase()) ?? [])].sort().join(',');
      const known = out.get(name);
      if (Array.isArray(known)) known.push(attributesOf(entry, conf));
      else out.set(name, [attributesOf(entry, conf)]);
    }
    data.set(source, out);
  } else if (mode === 'split') addSplit(data, found[0], conf);
  else throw new CommandExecutionError(`there is no mode ${mode}; there are map, dict, split`);
}

function attributesOf({ dn, values }: LdapEntry, conf: Dict): Dict {
  const attrs = namesIn(conf, 'attrs');
  const out: Dict = new Map();
  if (attrs.some(isDn)) out.set('dn', dn);
  for (const name of attrs) {
    const last = values.get(name.toLowerCase())?.at(-1);
    if (last !== undefined) out.set(name, last);
  }
  for (const name of namesIn(conf, 'lists')) {
    const all = values.get(name.toLowerCase());
    if (all !== undefined) out.set(name, [...all]);
  }
  return out;
}

/** Values of the form `key=value` as pillar of their own. */
function addSplit(data: Dict, entry: LdapEntry | undefined, conf: Dict): void {
  const pairs = (name: string): [string, string][] =>
    (entry?.values.get(name.toLowerCase()) ?? [])
      .filter((item) => item.includes('='))
      .map((item) => [item.slice(0, item.indexOf('=')), item.slice(item.indexOf('=') + 1)]);
  for (const name of namesIn(conf, 'attrs')) for (const [key, value] of pairs(name)) data.set(key, value);
  for (const name of namesIn(conf, 'lists'))
    for (const [key, value] of pairs(name)) {
      const known = data.get(key);
      if (Array.isArray(known)) known.push(value);
      else data.set(key, [value]);
    }
}
