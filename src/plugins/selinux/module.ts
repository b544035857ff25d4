/**
 * `selinux`: the mode of SELinux, its booleans, its modules, the contexts of files and the types of ports. Follows
 * 3006.16 salt/modules/selinux.py.
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runAll, runCode, runText, type Ended } from '../shared/program.ts';
import { configuredMode, currentMode, selinuxFolder, setMode } from './module/mode.ts';
import {
  applyRules,
  fileRule,
  fileTypeText,
  notApplied,
  orderFileRule,
  policyModule,
  policyModules,
} from './module/file-contexts.ts';
import { portName, portPolicy } from './module/ports.ts';
import { neededFile } from '../shared/served-files.ts';
import { defaultEnvironment } from '../../storage/fileclient/open.ts';

const PERSIST = { persist: param.flag({ default: false, doc: 'Keep it for the next start, too.' }) } as const;
const PORT = {
  protocol: param.text({ default: null, doc: 'tcp or udp, where the name does not say it.' }),
  port: param.text({
    default: null,
    doc: 'The port or `first-last`, where the name does not say it.',
  }),
} as const;
const PORT_NAME = {
  name: param.text({ doc: 'The port: `tcp/8080`, `udp/100-200`.' }),
} as const;
const BOOLEAN = { boolean: param.text({ doc: 'The boolean.' }) } as const;

/** What `cmd.run_all` returns. */
const wholeOutcome = ({ pid, retcode, stdout, stderr }: Ended): Dict =>
  dict({ pid, retcode, stdout, stderr });

async function booleans(ctx: ModuleContext): Promise<Dict> {
  const out = dict();
  for (const line of splitLines(await runText(ctx, ['semanage', 'boolean', '-l'])).slice(1)) {
    const [name, state = '', , standard = '', ...words] = line.trim().split(/\s+/);
    if (name === undefined || name === '') continue;
    const facts = { State: state.slice(1), Default: standard.slice(0, -1), Description: words.join(' ') };
    out.set(name, dict(facts));
  }
  return out;
}

const MODULE = { module: param.text({ doc: 'The module.' }) } as const;
const FILES = { name: param.text({ doc: 'A pattern of paths, as `/srv/web(/.*)?`.' }) } as const;
const PATH = {
  name: param.text({ doc: 'The path.' }),
  recursive: param.flag({ default: false, doc: 'And all below it.' }),
} as const;
const FILE_RULE = {
  ...FILES,
  filetype: param.textIfGiven({ default: null, doc: 'a for all files, else f, d, c, b, s, l or p.' }),
  sel_type: param.textIfGiven({ default: null, doc: 'The type.' }),
  sel_user: param.textIfGiven({ default: null, doc: 'The user.' }),
  sel_level: param.textIfGiven({ default: null, doc: 'The range of MLS.' }),
} as const;
const ENDED = 'pid, retcode, stdout and stderr';

const MODULES = {
  list_semod: defineFunction({
    doc: 'Lists the modules.',
    returns: 'mapping of name to Enabled and Version',
    examples: ["salt '*' selinux.list_semod"],
    run: (ctx) => policyModules(ctx),
  }),
  getsemod: defineFunction({
    doc: 'Returns one module.',
    params: MODULE,
    returns: 'mapping with Enabled and Version; empty where there is none',
    examples: ["salt '*' selinux.getsemod mysql"],
    run: (ctx, { module }) => policyModule(ctx, module),
  }),
  setsemod: defineFunction({
    doc: 'Enables or disables a module.',
    params: { ...MODULE, state: param.text({ doc: 'Enabled or Disabled.' }) },
    returns: 'true or false',
    examples: ["salt '*' selinux.setsemod nagios Enabled"],
    run: async (ctx, { module, state }) => {
      const option = new Map([
        ['enabled', '-e'],
        ['disabled', '-d'],
      ]).get(state.toLowerCase());
      if (option === undefined)
        throw new SaltInvocationError(`A module is Enabled or Disabled, not ${state}.`);
      return (await runCode(ctx, ['semodule', option, module])) === 0;
    },
  }),
  install_semod: defineFunction({
    doc: 'Installs a module from a file.',
    params: { module_path: param.text({ doc: 'A path, or an address of the file server.' }) },
    returns: 'true or false',
    examples: ["salt '*' selinux.install_semod salt://path/to/module.pp"],
    run: async (ctx, { module_path }) => {
      const path = module_path.startsWith('salt://')
        ? await neededFile(ctx, module_path, defaultEnvironment(ctx.opts))
        : module_path;
      return (await runCode(ctx, ['semodule', '-i', path])) === 0;
    },
  }),
  remove_semod: defineFunction({
    doc: 'Removes a module.',
    params: MODULE,
    returns: 'true or false',
    examples: ["salt '*' selinux.remove_semod module_name"],
    run: async (ctx, { module }) => (await runCode(ctx, ['semodule', '-r', module])) === 0,
  }),
};

const FILE_CONTEXTS = {
  filetype_id_to_string: defineFunction({
    doc: 'Returns what a letter of a kind of file stands for.',
    params: { filetype: param.text({ default: 'a', doc: 'The letter.' }) },
    returns: 'text',
    examples: ["salt '*' selinux.filetype_id_to_string f"],
    run: (_ctx, { filetype }) => fileTypeText(filetype),
  }),
  fcontext_get_policy: defineFunction({
    doc: 'Returns the rule for the context of files.',
    params: FILE_RULE,
    returns:
      'mapping with filespec, filetype, sel_user, sel_role, sel_type and sel_level; nothing where there is none',
    examples: ["salt '*' selinux.fcontext_get_policy '/srv/web(/.*)?'"],
    run: (ctx, rule) => fileRule(ctx, rule),
  }),
  fcontext_add_policy: defineFunction({
    doc: 'Adds a rule for the context of files, or changes it.',
    params: FILE_RULE,
    returns: ENDED,
    examples: ["salt '*' selinux.fcontext_add_policy '/srv/web(/.*)?' sel_type=httpd_sys_content_t"],
    run: async (ctx, rule) => wholeOutcome(await orderFileRule(ctx, 'add', rule)),
  }),
  fcontext_delete_policy: defineFunction({
    doc: 'Deletes a rule for the context of files.',
    params: FILE_RULE,
    returns: ENDED,
    examples: ["salt '*' selinux.fcontext_delete_policy '/srv/web(/.*)?'"],
    run: async (ctx, rule) => wholeOutcome(await orderFileRule(ctx, 'delete', rule)),
  }),
  fcontext_policy_is_applied: defineFunction({
    doc: 'Returns which files do not have the contexts that the rules give them.',
    params: PATH,
    returns: 'what restorecon says; empty where all have them',
    examples: ["salt '*' selinux.fcontext_policy_is_applied /srv/web recursive=True"],
    run: (ctx, { name, recursive }) => notApplied(ctx, name, recursive),
  }),
  fcontext_apply_policy: defineFunction({
    doc: 'Gives files the contexts that the rules say.',
    params: PATH,
    returns: `${ENDED}, and changes by path`,
    examples: ["salt '*' selinux.fcontext_apply_policy /srv/web recursive=True"],
    run: (ctx, { name, recursive }) => applyRules(ctx, name, recursive),
  }),
};

const FUNCTIONS = {
  selinux_fs_path: defineFunction({
    doc: "Returns the folder of the kernel's files about SELinux.",
    returns: 'a path; nothing where SELinux is off',
    examples: ["salt '*' selinux.selinux_fs_path"],
    run: () => selinuxFolder() ?? null,
  }),
  getenforce: defineFunction({
    doc: 'Returns whether SELinux enforces its rules now.',
    returns: 'Enforcing, Permissive or Disabled',
    examples: ["salt '*' selinux.getenforce"],
    run: () => currentMode(),
  }),
  getconfig: defineFunction({
    doc: 'Returns whether it will after the next start.',
    returns: 'Enforcing, Permissive or Disabled; nothing where no configuration says it',
    examples: ["salt '*' selinux.getconfig"],
    run: () => configuredMode(),
  }),
  setenforce: defineFunction({
    doc: 'Sets the mode, now and for the next start.',
    params: { mode: param.value({ type: 'str or int', doc: 'Enforcing (1), Permissive (0) or Disabled.' }) },
    returns: 'the mode of now, or `Invalid mode …`',
    failsWith: [(value) => typeof value === 'string' && value.startsWith('Invalid mode')],
    examples: ["salt '*' selinux.setenforce enforcing"],
    run: (ctx, { mode }) => setMode(ctx, mode),
  }),
  list_sebool: defineFunction({
    doc: 'Lists the booleans.',
    returns: 'mapping of name to State, Default and Description',
    examples: ["salt '*' selinux.list_sebool"],
    run: (ctx) => booleans(ctx),
  }),
  getsebool: defineFunction({
    doc: 'Returns one boolean.',
    params: BOOLEAN,
    returns: 'mapping with State, Default and Description; empty where there is none',
    examples: ["salt '*' selinux.getsebool virt_use_usb"],
    run: async (ctx, { boolean }) => (await booleans(ctx)).get(boolean) ?? dict(),
  }),
  setsebool: defineFunction({
    doc: 'Sets a boolean.',
    params: { ...BOOLEAN, value: param.text({ doc: 'on or off.' }), ...PERSIST },
    returns: 'true or false',
    examples: ["salt '*' selinux.setsebool virt_use_usb off"],
    run: async (ctx, { boolean, value, persist }) =>
      (await runCode(ctx, ['setsebool', ...(persist ? ['-P'] : []), boolean, value])) === 0,
  }),
  setsebools: defineFunction({
    doc: 'Sets several booleans.',
    params: { pairs: param.mappingIfGiven({ doc: 'on or off by name.' }), ...PERSIST },
    returns: 'true or false',
    examples: [`salt '*' selinux.setsebools '{virt_use_usb: on, squid_use_tproxy: off}'`],
    run: async (ctx, { pairs, persist }) => {
      if (pairs === undefined) return dict();
      const words = [...pairs].map(([name, value]) => `${String(name)}=${String(value)}`);
      return (await runCode(ctx, ['setsebool', ...(persist ? ['-P'] : []), ...words])) === 0;
    },
  }),
  port_get_policy: defineFunction({
    doc: 'Returns the type of a port.',
    params: { ...PORT_NAME, sel_type: param.textIfGiven({ default: null, doc: 'Only this type.' }), ...PORT },
    returns: 'mapping with sel_type, protocol and port; nothing where it has none',
    examples: ["salt '*' selinux.port_get_policy tcp/80"],
    run: (ctx, { name, sel_type, protocol, port }) =>
      portPolicy(ctx, portName(name, protocol, port), sel_type),
  }),
  port_add_policy: defineFunction({
    doc: 'Gives a type to a port.',
    params: {
      ...PORT_NAME,
      sel_type: param.textIfGiven({ default: null, doc: 'The type; required.' }),
      ...PORT,
      sel_range: param.textIfGiven({ default: null, doc: 'The range of MLS.' }),
    },
    returns: 'pid, retcode, stdout and stderr',
    examples: ["salt '*' selinux.port_add_policy add tcp/8080 http_port_t"],
    run: async (ctx, { name, sel_type, protocol, port, sel_range }) => {
      if (sel_type === undefined) throw new SaltInvocationError('SELinux Type is required to add a policy');
      const at = portName(name, protocol, port);
      const range = sel_range === undefined ? [] : ['--range', sel_range];
      const words = ['port', '--add', '--proto', at.protocol, '--type', sel_type, ...range, at.port];
      return wholeOutcome(await runAll(ctx, ['semanage', ...words]));
    },
  }),
  port_delete_policy: defineFunction({
    doc: 'Takes the type of a port away.',
    params: { ...PORT_NAME, ...PORT },
    returns: 'pid, retcode, stdout and stderr',
    examples: ["salt '*' selinux.port_delete_policy tcp/8080"],
    run: async (ctx, { name, protocol, port }) => {
      const at = portName(name, protocol, port);
      const words = ['port', '--delete', '--proto', at.protocol, at.port];
      return wholeOutcome(await runAll(ctx, ['semanage', ...words]));
    },
  }),
};

/** The module. */
export const selinuxModule = defineModule({
  name: 'selinux',
  file: 'selinux',
  doc: 'The mode of SELinux, its booleans, its modules, the contexts of files and the types of ports.',
  unavailable: () => {
    const missing = ['semanage', 'setsebool', 'semodule'].find(
      (program) => findProgram(program) === undefined,
    );
    return missing === undefined ? undefined : `${missing} is not in the path`;
  },
  words: {},
  failsWith: {
    false: ['install_semod', 'remove_semod', 'setsebool', 'setsebools', 'setsemod'],
    error: [
      'fcontext_add_policy',
      'fcontext_apply_policy',
      'fcontext_delete_policy',
      'port_add_policy',
      'port_delete_policy',
    ],
  },
  functions: { ...FUNCTIONS, ...MODULES, ...FILE_CONTEXTS },
});
