/** `dig`: records of the domain name system, by the program `dig`. Follows 3006.16 salt/modules/dig.py. */
import { findProgram } from '../../host/which.ts';
import { parseIpAddress } from '../../python/ipaddress.ts';
import type { Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type FunctionSpec,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll } from '../shared/program.ts';

/** How many other domains a record may lead to. */
const MOST_REDIRECTIONS = 20;

/** Whether a text is an address, with or without the length of its network. */
function isAddress(given: string | undefined): boolean {
  if (given === undefined) return false;
  const at = given.lastIndexOf('/');
  const address = parseIpAddress(at < 0 ? given : given.slice(0, at));
  if (address === undefined) return false;
  if (at < 0) return true;
  const bits = Number(given.slice(at + 1) || NaN);
  return (
    Number.isInteger(bits) && (address.family === 4 ? bits >= 1 && bits <= 32 : bits >= 8 && bits <= 128)
  );
}

/** What `dig` printed; undefined, with a log record, where it failed. */
async function asked(
  ctx: ModuleContext,
  words: readonly string[],
  nameserver: string | undefined,
): Promise<string | undefined> {
  const server = nameserver === undefined ? [] : [`@${nameserver}`];
  const { retcode, stdout } = await runAll(ctx, ['dig', '+short', ...words, ...server]);
  if (retcode === 0) return stdout;
  ctx.log.warning(`dig returned exit code '${retcode}'. Returning empty list as fallback.`);
  return undefined;
}

async function linesOf(
  ctx: ModuleContext,
  words: readonly string[],
  nameserver: string | undefined,
): Promise<string[]> {
  return (await asked(ctx, words, nameserver))?.split('\n') ?? [];
}

/** The addresses of a host. */
async function addresses(
  ctx: ModuleContext,
  host: string,
  type: 'A' | 'AAAA',
  nameserver: string | undefined,
): Promise<string[]> {
  return (await linesOf(ctx, [host, type], nameserver)).filter(isAddress);
}

async function senders(
  ctx: ModuleContext,
  { domain, record, nameserver }: { domain: string; record: string; nameserver: string | undefined },
  seen: Set<string>,
): Promise<string[]> {
  // Salt compat: Salt follows records that lead to each other until Python gives up.
  if (seen.size >= MOST_REDIRECTIONS || seen.has(`${domain} ${record}`)) return [];
  seen.add(`${domain} ${record}`);
  const follow = (next: string, kind: string): Promise<string[]> =>
    senders(ctx, { domain: next, record: kind, nameserver }, seen);
  const said = await asked(ctx, [domain, record], nameserver);
  if (said === undefined) return [];
  if (said === '' && record === 'SPF') return follow(domain, 'TXT');
  const [version, ...terms] = said
    .replaceAll('"', '')
    .split(/\s+/)
    .filter((term) => term !== '');
  if (version !== 'v=spf1') return [];
  if (terms[0]?.startsWith('redirect=') === true) return follow(terms[0].slice('redirect='.length), 'SPF');
  const found: string[] = [];
  for (const term of terms) {
    const [, mechanism, value = ''] = /^[+~]?(ip[46]|include):(.+)/.exec(term) ?? [];
    if (mechanism === 'include') found.push(...(await follow(value, 'SPF')));
    else if (mechanism !== undefined && isAddress(value)) found.push(value);
  }
  return found;
}

const NAMESERVER = {
  nameserver: param.textOrNone({ default: null, doc: 'The server to ask; without it that of the system.' }),
} as const;
const HOST = { host: param.text({ doc: 'The host.' }) } as const;
const DOMAIN = { domain: param.text({ doc: 'The domain.' }) } as const;

const A = defineFunction({
  doc: 'Returns the IPv4 addresses of a host.',
  params: { ...HOST, ...NAMESERVER },
  returns: 'list of addresses',
  examples: ["salt '*' dig.A www.example.com"],
  run: (ctx, { host, nameserver }) => addresses(ctx, host, 'A', nameserver),
});

const AAAA = defineFunction({
  doc: 'Returns the IPv6 addresses of a host.',
  params: { ...HOST, ...NAMESERVER },
  returns: 'list of addresses',
  examples: ["salt '*' dig.AAAA www.example.com"],
  run: (ctx, { host, nameserver }) => addresses(ctx, host, 'AAAA', nameserver),
});

const PTR = defineFunction({
  doc: 'Returns the names of an address.',
  params: { ...HOST, ...NAMESERVER },
  returns: 'list of names',
  examples: ["salt '*' dig.PTR 192.0.2.1"],
  run: (ctx, { host, nameserver }) => linesOf(ctx, ['-x', host], nameserver),
});

const CNAME = defineFunction({
  doc: 'Returns the name that a name stands for.',
  params: { ...HOST, ...NAMESERVER },
  returns: 'the name',
  examples: ["salt '*' dig.CNAME mail.example.com"],
  run: async (ctx, { host, nameserver }) => (await asked(ctx, [host, 'CNAME'], nameserver)) ?? [],
});

const NS = defineFunction({
  doc: 'Returns the name servers of a domain.',
  params: {
    ...DOMAIN,
    resolve: param.flag({ default: true, doc: 'Their addresses, and not their names.' }),
    ...NAMESERVER,
  },
  returns: 'list of addresses or names',
  examples: ["salt '*' dig.NS example.com"],
  run: async (ctx, { domain, resolve, nameserver }) => {
    const names = await linesOf(ctx, [domain, 'NS'], nameserver);
    if (!resolve) return names;
    const found: string[] = [];
    for (const name of names) found.push(...(await addresses(ctx, name, 'A', nameserver)));
    return found;
  },
});

const SPF = defineFunction({
  doc: 'Returns from where mail of a domain may come.',
  params: {
    ...DOMAIN,
    record: param.text({ default: 'SPF', doc: 'SPF or TXT.' }),
    ...NAMESERVER,
  },
  returns: 'list of addresses and networks',
  examples: ["salt '*' dig.SPF example.com"],
  run: (ctx, args) => senders(ctx, args, new Set()),
});

const MX = defineFunction({
  doc: 'Returns which hosts take mail for a domain.',
  params: {
    ...DOMAIN,
    resolve: param.flag({ default: false, doc: 'The first address of each, and not its name.' }),
    ...NAMESERVER,
  },
  returns: 'list of [preference, host]',
  examples: ["salt '*' dig.MX example.com"],
  run: async (ctx, { domain, resolve, nameserver }) => {
    const lines = await linesOf(ctx, [domain, 'MX'], nameserver);
    const records = lines.map((line) => line.split(/\s+/).filter((word) => word !== ''));
    if (!resolve) return records;
    const found: Value[] = [];
    for (const [preference = '', host = ''] of records)
      found.push([preference, (await addresses(ctx, host, 'A', nameserver))[0] ?? null]);
    return found;
  },
});

const TXT = defineFunction({
  doc: 'Returns the texts of a host.',
  params: { ...HOST, ...NAMESERVER },
  returns: 'list of texts',
  examples: ["salt '*' dig.TXT example.com"],
  run: (ctx, { host, nameserver }) => linesOf(ctx, [host, 'TXT'], nameserver),
});

const RECORDS: Readonly<Record<string, FunctionSpec>> = { A, AAAA, PTR, CNAME, NS, SPF, MX };

/** The module. */
export const digModule = defineModule({
  name: 'dig',
  file: 'dig',
  doc: 'Records of the domain name system, by the program `dig`.',
  words: {},
  unavailable: () =>
    findProgram('dig') === undefined
      ? 'The dig execution module cannot be loaded: the dig binary is not in the path.'
      : undefined,
  functions: {
    check_ip: defineFunction({
      doc: 'Returns whether a text is an address, with or without the length of its network.',
      params: { addr: param.textAlone({ doc: 'The text.' }) },
      returns: 'true or false',
      examples: ["salt '*' dig.check_ip 127.0.0.1"],
      run: (_ctx, { addr }) => isAddress(addr),
    }),
    ...RECORDS,
    TXT,
    ...Object.fromEntries(Object.entries(RECORDS).map(([name, spec]) => [name.toLowerCase(), spec])),
  },
});
