/** `service` on Debian without systemd (containers, Devuan). Follows 3006.16 salt/modules/debian_service.py. */
import { globPaths } from '../../host/glob.ts';
import { baseName } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { filterNames, fnmatch } from '../../python/text/fnmatch.ts';
import { compareText } from '../../python/values/order.ts';
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { hasDpkg } from '../shared/dpkg.ts';
import { runCode, runText } from '../shared/program.ts';
import { systemdFunctions } from './module.ts';
import { isSystemdBooted } from '../shared/systemd-host.ts';
import { param } from '../../runtime/loader/params.ts';

async function runLevel(ctx: ModuleContext): Promise<string> {
  const output = await runText(ctx, ['runlevel']);
  return output.includes('unknown') ? '2' : (output.trim().split(/\s+/)[1] ?? '2');
}

async function enabledServices(ctx: ModuleContext): Promise<string[]> {
  const links = globPaths(`/etc/rc[S${await runLevel(ctx)}].d/S*`, fnmatch).map(baseName);
  return [...new Set(links.map((link) => link.split(/\d+/).at(-1) ?? ''))].sort(compareText);
}

async function allServices(ctx: ModuleContext): Promise<string[]> {
  const scripts = globPaths('/etc/init.d/*', fnmatch)
    .map(baseName)
    .filter((name) => name !== 'README');
  return [...new Set([...scripts, ...(await enabledServices(ctx))])].sort(compareText);
}

async function act(ctx: ModuleContext, name: string, action: string): Promise<boolean> {
  return (await runCode(ctx, ['service', name, action])) === 0;
}

async function status(ctx: ModuleContext, name: string, signature: Value | undefined): Promise<Value> {
  if (signature !== undefined) return truthy(await ctx.functions.call('status.pid', [signature]));
  const isGlob = /\*|\?|\[.+\]/.test(name);
  const results: Dict = new Map();
  for (const service of isGlob ? filterNames(await allServices(ctx), name) : [name])
    results.set(
      service,
      (await runCode(ctx, ['service', service, 'status'], { ignore_retcode: true })) === 0,
    );
  return isGlob ? results : (results.get(name) ?? false);
}

const NAME = { name: param.text({ doc: 'The name of the service.' }) } as const;
const TRUE_FALSE = 'true or false';

const action = (name: string, verb: string, doc: string, pythonName?: string) =>
  defineFunction({
    doc,
    params: NAME,
    ...(pythonName === undefined ? {} : { pythonName }),
    returns: TRUE_FALSE,
    examples: [`salt '*' service.${name} <service name>`],
    run: (ctx, args) => act(ctx, args.name, verb),
  });

const list = (name: string, doc: string, read: (ctx: ModuleContext) => Promise<Value>) =>
  defineFunction({ doc, returns: 'sorted list', examples: [`salt '*' service.${name}`], run: read });

/** The module. What scripts of /etc/init.d do not know (masks, units) is left to systemd's program. */
export const debianServiceModule = defineModule({
  name: 'service',
  file: 'debian_service',
  doc: 'Starts, stops and enables services by the scripts in /etc/init.d.',
  unavailable: ({ opts }) =>
    !isSystemdBooted() && hasDpkg(opts)
      ? undefined
      : 'The debian_service module could not be loaded: unsupported OS family and/or systemd running.',
  words: {},
  failsWith: {
    false: [
      'disable',
      'enable',
      'force_reload',
      'mask',
      'reload',
      'restart',
      'start',
      'stop',
      'systemctl_reload',
      'unmask',
    ],
  },
  functions: {
    ...systemdFunctions,
    start: action('start', 'start', 'Starts a service.'),
    stop: action('stop', 'stop', 'Stops a service.'),
    restart: action('restart', 'restart', 'Restarts a service.'),
    reload: action('reload', 'reload', 'Has a service read its configuration anew.', 'reload_'),
    force_reload: action(
      'force_reload',
      'force-reload',
      'Has a service read its configuration anew, or restarts it.',
    ),
    status: defineFunction({
      doc: 'Returns whether a service is running, or which of those that a glob finds.',
      params: {
        ...NAME,
        sig: param.valueIfGiven({
          default: null,
          type: 'str',
          doc: 'Look for a process instead, see status.pid.',
        }),
      },
      returns: 'true or false; for a glob a mapping of name to that',
      examples: ["salt '*' service.status <service name>"],
      run: (ctx, { name, sig }) => status(ctx, name, sig),
    }),
    available: defineFunction({
      doc: 'Returns whether there is a service.',
      params: NAME,
      returns: TRUE_FALSE,
      examples: ["salt '*' service.available sshd"],
      run: async (ctx, { name }) => (await allServices(ctx)).includes(name),
    }),
    missing: defineFunction({
      doc: 'Returns whether there is no such service.',
      params: NAME,
      returns: TRUE_FALSE,
      examples: ["salt '*' service.missing sshd"],
      run: async (ctx, { name }) => !(await allServices(ctx)).includes(name),
    }),
    enable: defineFunction({
      doc: "Has a service started at the machine's start.",
      params: NAME,
      kwargs: 'kwargs',
      returns: TRUE_FALSE,
      examples: ["salt '*' service.enable <service name>"],
      run: async (ctx, { name }) =>
        findProgram('insserv') !== undefined &&
        (await runCode(ctx, ['insserv', name])) === 0 &&
        (await runCode(ctx, ['update-rc.d', name, 'enable'])) === 0,
    }),
    disable: defineFunction({
      doc: "Has a service not started at the machine's start.",
      params: NAME,
      kwargs: 'kwargs',
      returns: TRUE_FALSE,
      examples: ["salt '*' service.disable <service name>"],
      run: async (ctx, { name }) => (await runCode(ctx, ['update-rc.d', name, 'disable'])) === 0,
    }),
    enabled: defineFunction({
      doc: "Returns whether a service is started at the machine's start.",
      params: NAME,
      kwargs: 'kwargs',
      returns: TRUE_FALSE,
      examples: ["salt '*' service.enabled <service name>"],
      run: async (ctx, { name }) => (await enabledServices(ctx)).includes(name),
    }),
    disabled: defineFunction({
      doc: "Returns whether a service is there and not started at the machine's start.",
      params: NAME,
      returns: TRUE_FALSE,
      examples: ["salt '*' service.disabled <service name>"],
      run: async (ctx, { name }) => {
        const enabled = await enabledServices(ctx);
        return (await allServices(ctx)).includes(name) && !enabled.includes(name);
      },
    }),
    get_all: list('get_all', 'Lists all services.', allServices),
    get_enabled: list('get_enabled', "Lists what is started at the machine's start.", enabledServices),
    get_disabled: list('get_disabled', "Lists what is not started at the machine's start.", async (ctx) => {
      const enabled = await enabledServices(ctx);
      return (await allServices(ctx)).filter((name) => !enabled.includes(name));
    }),
  },
});
