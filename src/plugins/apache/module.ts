/** `apache`: the web server. Follows 3006.16 salt/modules/apache.py and salt/modules/deb_apache.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { configurationText } from './module/configuration.ts';
import { DEBIAN_FUNCTIONS } from './module/debian.ts';
import { serverStatus } from './module/server-status.ts';
import { runAll, runText } from '../shared/program.ts';

/** What the control program may be called. */
const CONTROL_PROGRAMS = ['apache2ctl', 'apachectl'] as const;

/** The program that controls the server, which Debian and SUSE call differently. */
function controlProgram(grains: Dict): string {
  const family = grains.get('os_family');
  return family === 'Debian' || family === 'Suse' ? 'apache2ctl' : 'apachectl';
}

async function printed(ctx: ModuleContext, word: string): Promise<string> {
  return runText(ctx, [controlProgram(ctx.grains), word]);
}

const linesOf = async (ctx: ModuleContext, word: string): Promise<string[]> =>
  splitLines(await printed(ctx, word));

async function fullVersion(ctx: ModuleContext): Promise<Dict> {
  const compiled: Value[] = [];
  const facts = dict({ compiled_with: compiled });
  for (const line of await linesOf(ctx, '-V')) {
    const [key = '', value] = line.split(': ');
    if (value !== undefined) facts.set(key.trim().toLowerCase().replaceAll(' ', '_'), value.trim());
    else if (line.includes(' -D')) compiled.push(line.replace(/^\s+-D\s+/, ''));
  }
  return facts;
}

async function loadedModules(ctx: ModuleContext): Promise<Dict> {
  const lines = await linesOf(ctx, '-M');
  const named = (kind: string): string[] =>
    lines.flatMap((line) => (line.includes(`(${kind})`) ? [line.trim().split(/\s+/)[0] ?? ''] : []));
  return dict({ static: named('static'), shared: named('shared') });
}

async function directives(ctx: ModuleContext): Promise<Dict> {
  const found = dict();
  for (const line of splitLines((await printed(ctx, '-L')).replaceAll('\n\t', '\t'))) {
    const [name = '', ...rest] = line.split('\t');
    if (line !== '') found.set(name, rest.join('\n'));
  }
  return found;
}

const bare = (text = ''): string => text.replace(/[()]/g, '');

async function virtualHosts(ctx: ModuleContext): Promise<Dict> {
  const found = new Map<string, Dict>();
  let current = dict();
  for (const line of await linesOf(ctx, '-S')) {
    const words = line.trim().split(/\s+/);
    const [first = '', second = '', third = '', fourth = ''] = words;
    if (line.includes('is a NameVirtualHost')) found.set(first, (current = dict()));
    else if (first === 'default') current.set('default', dict({ vhost: third, conf: bare(fourth) }));
    else if (first === 'port')
      current.set(fourth, dict({ vhost: fourth, conf: bare(words[4]), port: second }));
  }
  return new Map(found);
}

const SIGNALS = ['start', 'stop', 'restart', 'graceful', 'graceful-stop'];
const COMMANDS = ['configtest', 'status', 'fullstatus'];

async function signal(ctx: ModuleContext, given: string): Promise<Value> {
  const isSignal = SIGNALS.includes(given);
  if (!isSignal && !COMMANDS.includes(given)) return null;
  const words = [controlProgram(ctx.grains), ...(isSignal ? ['-k', given] : [given])];
  const { stdout, stderr } = await runAll(ctx, words);
  if (stderr !== '') return stderr.trim();
  return stdout === '' ? `Command: "${words.join(' ')}" completed successfully!` : stdout.trim();
}

/** @throws SaltInvocationError for anything but a list */
function piecesOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  throw new SaltInvocationError(`The argument config of apache.config must be a list, not ${pyRepr(value)}`);
}

function configuration(name: string, content: readonly Value[], isWritten: boolean): string {
  const pieces = content.flatMap((entry) => {
    const [first] = isDict(entry) ? [...entry] : [];
    return first === undefined ? [] : [configurationText(first[1], pyStr(first[0]))];
  });
  const text = pieces.join('\n');
  if (isWritten) writeInPlace(name, `# This file is managed by Salt.\n${text}`);
  return text;
}

const FILE = { pwfile: param.text({ doc: 'The file of passwords.' }) } as const;
const USER = { user: param.text({ doc: 'The user.' }) } as const;

const GENERAL_FUNCTIONS = {
  version: defineFunction({
    doc: 'Returns the version of the server.',
    returns: 'the version: Apache/2.4.57 (Debian)',
    examples: ["salt '*' apache.version"],
    run: async (ctx) => (await linesOf(ctx, '-v'))[0]?.split(': ')[1] ?? '',
  }),
  fullversion: defineFunction({
    doc: 'Returns all that the server says of its version and its build.',
    returns: 'mapping of facts; compiled_with is a list',
    examples: ["salt '*' apache.fullversion"],
    run: fullVersion,
  }),
  modules: defineFunction({
    doc: 'Lists the modules that are loaded.',
    returns: 'mapping with the lists static and shared',
    examples: ["salt '*' apache.modules"],
    run: loadedModules,
  }),
  servermods: defineFunction({
    doc: 'Lists the modules that are compiled into the server.',
    returns: 'list of names',
    examples: ["salt '*' apache.servermods"],
    run: async (ctx) =>
      (await linesOf(ctx, '-l')).filter((line) => line.includes('.c')).map((line) => line.trim()),
  }),
  directives: defineFunction({
    doc: 'Lists the directives with their arguments and where each may stand.',
    returns: 'mapping of directive to description',
    examples: ["salt '*' apache.directives"],
    run: directives,
  }),
  vhosts: defineFunction({
    doc: 'Lists the virtual hosts as the server has read them.',
    returns: 'mapping of address to virtual hosts',
    examples: ["salt -t 10 '*' apache.vhosts"],
    run: virtualHosts,
  }),
  signal: defineFunction({
    doc: 'Starts, restarts, stops or checks the server.',
    params: {
      signal: param.textOrEmpty({
        default: null,
        doc: 'start, stop, restart, graceful, graceful-stop, configtest, status or fullstatus.',
      }),
    },
    returns: 'what the server said; none for another word',
    examples: ["salt '*' apache.signal restart"],
    run: (ctx, args) => signal(ctx, args.signal),
  }),
  useradd: defineFunction({
    doc: 'Adds a user to a file of passwords, see `webutil.useradd`.',
    params: {
      ...FILE,
      ...USER,
      password: param.text({ doc: 'The password.' }),
      opts: param.text({ default: '', doc: 'Options of `htpasswd`, one letter each.' }),
    },
    returns: 'as cmd.run_all',
    examples: ["salt '*' apache.useradd /etc/httpd/htpasswd larry badpassword"],
    run: (ctx, { pwfile, user, password, opts }) =>
      ctx.functions.call('webutil.useradd', [pwfile, user, password, opts]),
  }),
  userdel: defineFunction({
    doc: 'Removes a user from a file of passwords.',
    params: { ...FILE, ...USER },
    returns: 'what `htpasswd` said',
    examples: ["salt '*' apache.userdel /etc/httpd/htpasswd larry"],
    run: (ctx, { pwfile, user }) => ctx.functions.call('webutil.userdel', [pwfile, user]),
  }),
  server_status: defineFunction({
    doc: 'Returns what the handler `server-status` reports. Its address is in `apache.server-status:PROFILE:url`.',
    params: { profile: param.text({ default: 'default', doc: 'The profile.' }) },
    returns: 'mapping of figures; `error` where nothing answers',
    examples: ["salt '*' apache.server_status", "salt '*' apache.server_status other-profile"],
    run: (ctx, { profile }) => serverStatus(ctx, profile),
  }),
  config: defineFunction({
    doc: 'Writes configuration from nested data.',
    params: {
      name: param.text({ doc: 'The file.' }),
      config: param.by(piecesOf, { type: 'list', doc: 'Mappings of directive or section to content.' }),
      edit: param.flag({ default: true, doc: 'Write the file, and not only return its text.' }),
    },
    returns: 'the text',
    examples: [`salt '*' apache.config /etc/httpd/conf.d/ports.conf config="[{'Listen': '22'}]"`],
    run: (_ctx, { name, config, edit }) => configuration(name, config, edit),
  }),
};

/** The module with what Debian's Apache has besides. */
export const debianApacheModule = defineModule({
  name: 'apache',
  file: 'deb_apache',
  order: 1,
  doc: 'The web server Apache, and which of its modules, sites and pieces of configuration are enabled.',
  words: { lines: ['config'], dashes: ['config', 'opts', 'password'] },
  unavailable: ({ grains }) =>
    // grains are asked last: to collect them takes long
    findProgram('apache2ctl') !== undefined && grains.get('os_family') === 'Debian'
      ? undefined
      : 'apache execution module not loaded: apache not installed.',
  functions: { ...GENERAL_FUNCTIONS, ...DEBIAN_FUNCTIONS },
});

/** The module on other systems. */
export const apacheModule = defineModule({
  name: 'apache',
  file: 'apache',
  order: 2,
  doc: 'The web server Apache.',
  words: { lines: ['config'], dashes: ['config', 'opts', 'password'] },
  unavailable: ({ grains }) =>
    CONTROL_PROGRAMS.every((name) => findProgram(name) === undefined) ||
    findProgram(controlProgram(grains)) === undefined
      ? 'The apache execution module cannot be loaded: apache is not installed.'
      : undefined,
  functions: GENERAL_FUNCTIONS,
});
