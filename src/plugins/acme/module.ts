/** `acme`: certificates of Let's Encrypt and its like, through certbot. Follows 3006.16 salt/modules/acme.py. */
import { join } from 'node:path';
import { SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { checkedPermissions, fileExists, folderExists } from '../shared/file-answers.ts';
import { runAll } from '../shared/program.ts';

const LIVE = '/etc/letsencrypt/live';
const PROGRAMS = [
  'certbot',
  'letsencrypt',
  'certbot-auto',
  'letsencrypt-auto',
  '/opt/letsencrypt/letsencrypt-auto',
];
const DAY_MS = 24 * 60 * 60 * 1000;
const MISSING = 'The ACME execution module cannot be loaded: letsencrypt-auto not installed.';
const BAD_WINDOW =
  'The argument "window", if provided, must be one of the following : True (boolean), "force" or "Force" (str) or a numerical value in days.';

/** The path of certbot, under the first of the names that it has had. */
const certbotPath = (): string | undefined =>
  PROGRAMS.map((name) => findProgram(name)).find((path) => path !== undefined);

const NAME = { name: param.text({ doc: 'The name of the certificate, its first domain.' }) } as const;
const WINDOW = {
  window: param.value({
    default: null,
    type: 'int or str',
    doc: 'Days before it ends from which on it is renewed; True or force: in any case.',
  }),
} as const;
const given = (doc: string) => param.textIfGiven({ default: null, doc });

/** The arguments of a certificate but its name. */
export const CERTIFICATE = {
  aliases: param.listIfGiven({ default: null, doc: 'Further domains.' }),
  email: given('The address that is warned before it ends.'),
  webroot: param.by((value: Value) => (truthy(value) ? (value === true ? true : pyStr(value)) : undefined), {
    default: null,
    type: 'str or bool',
    doc: 'The folder of the web server that runs here, or True; without it certbot is the server.',
  }),
  test_cert: param.flag({ default: false, doc: 'A certificate for tests.' }),
  renew: param.value({
    default: null,
    type: 'int or str',
    doc: 'Days before it ends from which on it is renewed; True or force: in any case.',
  }),
  keysize: given('The bits of the key.'),
  server: given('The address of another authority.'),
  owner: param.value({ default: 'root', type: 'str', doc: 'Who owns the key.' }),
  group: param.value({ default: 'root', type: 'str', doc: 'The group of the key.' }),
  mode: param.value({ default: '0640', type: 'str', doc: 'The mode of the key.' }),
  certname: given('The name of the certificate, where it is not that of the domain.'),
  preferred_challenges: given('How the authority is shown whose domain it is, with commas between them.'),
  tls_sni_01_port: given('The port for tls-sni-01.'),
  tls_sni_01_address: given('The address for tls-sni-01.'),
  http_01_port: given('The port for http-01.'),
  http_01_address: given('The address for http-01.'),
  dns_plugin: given('A plugin for dns-01: cloudflare.'),
  dns_plugin_credentials: given('The file with what that plugin logs in with.'),
  dns_plugin_propagate_seconds: given('Seconds that the plugin waits until the record is known everywhere.'),
} as const;

type Wanted = TypedArguments<typeof NAME & typeof CERTIFICATE>;

const fileOf = (name: string, kind: 'cert' | 'privkey'): string => {
  if (/^\.\.?$|\//.test(name)) throw new SaltInvocationError(`${name} is no name of a certificate`);
  return join(LIVE, name, `${kind}.pem`);
};

async function expiryMs(ctx: ModuleContext, name: string): Promise<number> {
  const info = await ctx.functions.call('tls.cert_info', [fileOf(name, 'cert')]);
  return (isDict(info) ? (toNumber(info.get('not_after')) ?? 0) : 0) * 1000;
}

/** The time from which on it is renewed. @param window days */
async function renewByMs(ctx: ModuleContext, name: string, window: Value): Promise<number> {
  const end = await expiryMs(ctx, name);
  return window === null ? end : end - (toNumber(window) ?? (window === true ? 1 : 0)) * DAY_MS;
}

/** `datetime.fromtimestamp(…).isoformat()`: local time without its zone. */
function isoLocal(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

async function needsRenewal(ctx: ModuleContext, name: string, window: Value): Promise<boolean> {
  let days = window;
  if (truthy(window)) {
    const word = pyStr(window).toLowerCase();
    if (word === 'force' || word === 'true') return true;
    if (!/^\d+$/.test(word)) throw new SaltInvocationError(BAD_WINDOW);
    days = Number(word);
  }
  return (await renewByMs(ctx, name, days)) <= ctx.clock.nowMs();
}

const has = (ctx: ModuleContext, name: string): Promise<boolean> => fileExists(ctx, [fileOf(name, 'cert')]);

/** An option of certbot where there is a value for it. */
const option = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, value];

/** How certbot shows that the domain is ours. */
function authenticator(wanted: Wanted): string[] {
  const { webroot, dns_plugin, dns_plugin_credentials, dns_plugin_propagate_seconds } = wanted;
  if (webroot !== undefined)
    return ['--authenticator', 'webroot', ...(webroot === true ? [] : ['--webroot-path', webroot])];
  if (dns_plugin === 'cloudflare')
    return [
      ...['--dns-cloudflare', '--dns-cloudflare-credentials', dns_plugin_credentials ?? 'None'],
      // Salt compat: 3006.16 documents it and refuses it
      ...option('dns-cloudflare-propagation-seconds', dns_plugin_propagate_seconds),
    ];
  return ['--authenticator', 'standalone'];
}

function commandOf(certbot: string, certname: string, wanted: Wanted, isRenewed: boolean): string[] {
  return [
    ...[certbot, 'certonly', '--non-interactive', '--agree-tos'],
    ...(isRenewed ? ['--renew-by-default'] : []),
    ...option('server', wanted.server),
    ...['--cert-name', certname],
    ...(wanted.test_cert ? ['--test-cert'] : []),
    ...authenticator(wanted),
    ...option('email', wanted.email),
    ...option('rsa-key-size', wanted.keysize),
    ...[wanted.name, ...(wanted.aliases ?? []).map(pyStr)].flatMap((domain) => ['--domains', domain]),
    ...option('preferred-challenges', wanted.preferred_challenges),
    ...option('tls-sni-01-port', wanted.tls_sni_01_port),
    ...option('tls-sni-01-address', wanted.tls_sni_01_address),
    ...option('http-01-port', wanted.http_01_port),
    ...option('http-01-address', wanted.http_01_address),
  ];
}

async function obtain(ctx: ModuleContext, wanted: Wanted): Promise<Value> {
  const { name, server, test_cert, owner, group, mode } = wanted;
  const certname = wanted.certname ?? name;
  const isThere = await has(ctx, certname);
  const isRenewed = isThere && (await needsRenewal(ctx, certname, wanted.renew));
  if (server !== undefined && test_cert)
    return dict({ result: false, comment: 'Use either server or test_cert, not both' });
  const command = commandOf(certbotPath() ?? 'certbot', certname, wanted, isRenewed);
  let ended = await runAll(ctx, command);
  const isGood = (): boolean => ended.retcode === 0;
  if (!isGood() && ended.stderr.includes('expand')) ended = await runAll(ctx, [...command, '--expand']);
  if (!isGood())
    return dict({
      result: false,
      comment: `Certificate ${name} renewal failed with:\n${ended.stderr}`,
    });
  const isUnchanged = ended.stdout.includes('no action taken');
  // Salt compat: one that needs no renewal and is asked for all the same is called renewed where a window was given
  const verb = isThere && (isRenewed || truthy(wanted.renew)) ? 'renewed' : 'obtained';
  const made = dict({
    comment: isUnchanged
      ? `Certificate ${fileOf(certname, 'cert')} unchanged`
      : `Certificate ${certname} ${verb}`,
    not_after: isoLocal(await expiryMs(ctx, certname)),
    changes: dict(),
    result: isUnchanged ? null : true,
  });
  const { ret } = await checkedPermissions(ctx, [fileOf(certname, 'privkey'), made, owner, group, mode], {
    follow_symlinks: true,
  });
  return ret ?? made;
}

/** The module. */
export const acmeModule = defineModule({
  name: 'acme',
  file: 'acme',
  doc: "Certificates of Let's Encrypt and its like, through certbot.",
  words: { dashes: ['renew', 'window'] },
  unavailable: () => (certbotPath() === undefined ? MISSING : undefined),
  functions: {
    cert: defineFunction({
      doc: 'Obtains a certificate, or renews it.',
      params: { ...NAME, ...CERTIFICATE },
      returns: 'mapping of result, comment, not_after and changes',
      examples: [
        "salt 'gitlab.example.com' acme.cert dev.example.com '[gitlab.example.com]' test_cert=True renew=14 webroot=/opt/gitlab/embedded/service/gitlab-rails/public",
      ],
      run: (ctx, wanted) => obtain(ctx, wanted),
    }),
    certs: defineFunction({
      doc: 'Lists the certificates.',
      returns: 'list of names',
      examples: ["salt 'vhost.example.com' acme.certs"],
      run: async (ctx) => {
        const found = await ctx.functions.call('file.readdir', [`${LIVE}/`]);
        const names = (Array.isArray(found) ? found.map(pyStr) : []).filter((name) => !/^\.\.?$/.test(name));
        const folders = await Promise.all(names.map((name) => folderExists(ctx, [join(LIVE, name)])));
        return names.filter((_, i) => folders[i] === true);
      },
    }),
    info: defineFunction({
      doc: 'Returns what is known of a certificate.',
      params: NAME,
      returns: 'mapping; empty where there is none',
      examples: ["salt 'gitlab.example.com' acme.info dev.example.com"],
      run: async (ctx, { name }) => {
        if (!(await has(ctx, name))) return dict();
        const info = await ctx.functions.call('tls.cert_info', [fileOf(name, 'cert')]);
        if (!isDict(info)) return info;
        const extensions = info.get('extensions');
        return new Map([...info, ['extensions', isDict(extensions) ? [...extensions.keys()] : []]]);
      },
    }),
    expires: defineFunction({
      doc: 'Returns when a certificate ends.',
      params: NAME,
      returns: 'text, local time in ISO form',
      examples: ["salt 'gitlab.example.com' acme.expires dev.example.com"],
      run: async (ctx, { name }) => isoLocal(await expiryMs(ctx, name)),
    }),
    has: defineFunction({
      doc: 'Returns whether there is a certificate.',
      params: NAME,
      returns: 'true or false',
      examples: ["salt 'gitlab.example.com' acme.has dev.example.com"],
      run: (ctx, { name }) => has(ctx, name),
    }),
    renew_by: defineFunction({
      doc: 'Returns from when on a certificate is renewed.',
      params: { ...NAME, ...WINDOW },
      returns: 'text, local time in ISO form',
      examples: ["salt 'gitlab.example.com' acme.renew_by dev.example.com"],
      run: async (ctx, { name, window }) => isoLocal(await renewByMs(ctx, name, window)),
    }),
    needs_renewal: defineFunction({
      doc: 'Returns whether a certificate is to be renewed now.',
      params: { ...NAME, ...WINDOW },
      returns: 'true or false',
      examples: ["salt 'gitlab.example.com' acme.needs_renewal dev.example.com 14"],
      run: (ctx, { name, window }) => needsRenewal(ctx, name, window),
    }),
  },
});
