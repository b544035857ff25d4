/**
 * `selinux`: the mode of SELinux, its booleans, its modules, the contexts of files and the types of ports (3006.16
 * salt/states/selinux.py).
 */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { filesAbsent, filesApplied, filesPresent } from './state/file-contexts.ts';
import { policyModule, policyModuleInstalled, policyModuleRemoved } from './state/modules.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

function wantedMode(name: Value): string | undefined {
  const text = pyStr(name).toLowerCase();
  if (text.startsWith('e') || text === '1' || text === 'on') return 'Enforcing';
  if (text.startsWith('p') || text === '0' || text === 'off') return 'Permissive';
  return text.startsWith('d') ? 'Disabled' : undefined;
}

async function mode(ctx: StateContext, name: Value): Promise<StateResult> {
  const made = (result: boolean | null, comment: string, changes = dict()): StateResult => ({
    ...{ name, result, comment, changes },
  });
  const wanted = wantedMode(name);
  if (wanted === undefined) return made(false, `${pyStr(name)} is not an accepted mode`);
  const now = await ctx.functions.call('selinux.getenforce');
  const configured = await ctx.functions.call('selinux.getconfig');
  const before = now === wanted && configured !== wanted ? configured : now;
  if (before === wanted) return made(true, `SELinux is already in ${wanted} mode`);
  if (ctx.state.test)
    return made(null, `SELinux mode is set to be changed to ${wanted}`, dict({ old: before, new: wanted }));
  const after = await ctx.functions.call('selinux.setenforce', [wanted]);
  const isDisabled = wanted === 'Disabled' && (await ctx.functions.call('selinux.getconfig')) === wanted;
  return after === wanted || isDisabled
    ? made(true, `SELinux has been set to ${wanted} mode`, dict({ old: before, new: after }))
    : made(false, `Failed to set SELinux to ${wanted} mode`);
}

function wantedValue(value: string): string | undefined {
  const text = value.toLowerCase();
  if (['1', 'on', 'yes', 'true'].includes(text)) return 'on';
  return ['0', 'off', 'no', 'false'].includes(text) ? 'off' : undefined;
}

async function boolean(
  ctx: StateContext,
  { name, value, persist }: { name: Value; value: string; persist: boolean },
): Promise<StateResult> {
  const made = (result: boolean | null, comment: string, changes = dict()): StateResult => ({
    ...{ name, result, comment, changes },
  });
  const all = await ctx.functions.call('selinux.list_sebool');
  const facts = isDict(all) ? all.get(name) : undefined;
  const shown = pyStr(name);
  if (!isDict(facts)) return made(false, `Boolean ${shown} is not available`);
  const wanted = wantedValue(value);
  if (wanted === undefined) return made(false, `${value} is not a valid value for the boolean`);
  const [state, standard] = [facts.get('State') ?? null, facts.get('Default') ?? null];
  if (state === wanted && (!persist || standard === wanted))
    return made(true, 'Boolean is in the correct state');
  if (ctx.state.test) return made(null, `Boolean ${shown} is set to be changed to ${wanted}`);
  if (!truthy(await ctx.functions.call('selinux.setsebool', [name, wanted, persist])))
    return made(false, `Failed to set the boolean ${shown} to ${wanted}`);
  const changes = dict({ State: dict({ old: state, new: wanted }) });
  if (persist && standard !== wanted) changes.set('Default', dict({ old: standard, new: wanted }));
  return made(true, `Boolean ${shown} has been set to ${wanted}`, changes);
}

/** A type of a port that is to be there, or not. */
interface PortOrder {
  readonly name: Value;
  readonly sel_type: Value;
  readonly protocol: Value;
  readonly port: Value;
}

async function portState(
  ctx: StateContext,
  { name, sel_type, protocol, port }: PortOrder,
  to: { readonly isThere: boolean; readonly verb: string; run(): Promise<Value> },
): Promise<StateResult> {
  const look = (): Promise<Value> =>
    ctx.functions.call('selinux.port_get_policy', [], { name, sel_type, protocol, port });
  const before = await look();
  if (truthy(before) === to.isThere)
    return outcomeResultFirst(
      name,
      true,
      `SELinux policy for "${pyStr(name)}" already ${to.isThere ? 'present' : 'absent'} with specified sel_type "${pyStr(sel_type)}", protocol "${pyStr(protocol)}" and port "${pyStr(port)}".`,
    );
  if (ctx.state.test) return outcomeResultFirst(name, null, '');
  const done = await to.run();
  const facts: Dict = isDict(done) ? done : dict();
  if (facts.get('retcode') !== 0)
    return outcomeResultFirst(name, false, `Error ${to.verb} policy: ${pyStr(facts)}`);
  return outcomeResultFirst(name, true, '', dict({ old: before, new: await look() }));
}

const PORT = {
  name: param.text({
    doc: 'The port: `tcp/8080`, `udp/100-200`; any name where protocol and port are given.',
  }),
  protocol: param.value({ default: null, type: 'str', doc: 'tcp or udp.' }),
  port: param.value({ default: null, type: 'str', doc: 'The port or `first-last`.' }),
} as const;

const FILES = {
  name: param.text({ doc: 'A pattern of paths, as `/srv/web(/.*)?`.' }),
} as const;
const FILE_TYPE = {
  filetype: param.value({ default: 'a', type: 'str', doc: 'a for all files, else f, d, c, b, s, l or p.' }),
} as const;
const FILE_USER = {
  sel_user: param.value({ default: null, type: 'str', doc: 'The user.' }),
  sel_level: param.value({ default: null, type: 'str', doc: 'The range of MLS.' }),
} as const;

/** Why a type is none. Salt compat: there, test mode promises it, or a rule without a type is made at each run. */
function typeRefusal(type: Value): string | undefined {
  if (!truthy(type)) return 'SELinux Type is required to add a policy';
  return typeof type === 'string' && !/\s/.test(type) ? undefined : `${pyRepr(type)} is no type of SELinux`;
}

/** The states of `selinux`. */
export const selinuxStates = defineModule({
  name: 'selinux',
  file: 'selinux',
  doc: 'The mode of SELinux, its booleans, its modules, the contexts of files and the types of ports.',
  needs: { fun: 'selinux.getenforce', otherwise: 'selinux module could not be loaded' },
  words: {},
  functions: {
    mode: defineState({
      doc: 'Makes sure of the mode, now and for the next start.',
      params: { name: param.text({ doc: 'enforcing, permissive or disabled.' }) },
      run: (ctx, { name }) => mode(ctx, name),
    }),
    boolean: defineState({
      doc: 'Makes sure of a boolean.',
      params: {
        name: param.text({ doc: 'The boolean.' }),
        value: param.text({ type: 'bool', doc: 'on or off.' }),
        persist: param.flag({ default: false, doc: 'For the next start, too.' }),
      },
      run: (ctx, order) => boolean(ctx, order),
    }),
    port_policy_present: defineState({
      doc: 'Makes sure that a port has a type.',
      params: {
        name: PORT.name,
        sel_type: param.value({ type: 'str', doc: 'The type.' }),
        protocol: PORT.protocol,
        port: PORT.port,
        sel_range: param.value({ default: null, type: 'str', doc: 'The range of MLS.' }),
      },
      refuses: ({ sel_type }) => typeRefusal(sel_type),
      run: (ctx, { sel_range, ...order }) =>
        portState(ctx, order, {
          isThere: true,
          verb: 'adding new',
          run: () => ctx.functions.call('selinux.port_add_policy', [], { ...order, sel_range }),
        }),
    }),
    port_policy_absent: defineState({
      doc: 'Makes sure that a port does not have a type.',
      params: {
        name: PORT.name,
        sel_type: param.value({ default: null, type: 'str', doc: 'The type.' }),
        ...{ protocol: PORT.protocol, port: PORT.port },
      },
      run: (ctx, order) => {
        const { name, protocol, port } = order;
        return portState(ctx, order, {
          isThere: false,
          verb: 'deleting',
          run: () => ctx.functions.call('selinux.port_delete_policy', [], { name, protocol, port }),
        });
      },
    }),
    module: defineState({
      doc: 'Makes sure that a module is enabled, or disabled; with `install` or `remove` that it is there, or not.',
      params: {
        name: param.text({ doc: 'The module.' }),
        module_state: param.text({ default: 'Enabled', doc: 'Enabled or Disabled.' }),
        version: param.value({
          default: 'any',
          type: 'str',
          doc: 'The version that it must have, where semodule tells it.',
        }),
      },
      kwargs: 'opts',
      run: (ctx, order, opts) => policyModule(ctx, order, opts),
    }),
    module_install: defineState({
      doc: 'Installs a module from a file.',
      params: { name: param.text({ doc: 'A path, or an address of the file server.' }) },
      run: (ctx, { name }) => policyModuleInstalled(ctx, name),
    }),
    module_remove: defineState({
      doc: 'Removes a module.',
      params: { name: param.text({ doc: 'The module.' }) },
      run: (ctx, { name }) => policyModuleRemoved(ctx, name),
    }),
    fcontext_policy_present: defineState({
      doc: 'Makes sure that there is a rule for the context of files.',
      params: {
        ...FILES,
        sel_type: param.value({ type: 'str', doc: 'The type.' }),
        ...{ filetype: FILE_TYPE.filetype, ...FILE_USER },
      },
      refuses: ({ sel_type }) => typeRefusal(sel_type),
      run: (ctx, rule) => filesPresent(ctx, rule),
    }),
    fcontext_policy_absent: defineState({
      doc: 'Makes sure that there is no such rule for the context of files.',
      params: {
        ...{ ...FILES, ...FILE_TYPE },
        sel_type: param.value({ default: null, type: 'str', doc: 'Only of this type.' }),
        ...FILE_USER,
      },
      run: (ctx, rule) => filesAbsent(ctx, rule),
    }),
    fcontext_policy_applied: defineState({
      doc: 'Makes sure that files have the contexts that the rules give them.',
      params: {
        name: param.text({ doc: 'The path.' }),
        recursive: param.value({ default: false, type: 'bool', doc: 'And all below it.' }),
      },
      run: (ctx, { name, recursive }) => filesApplied(ctx, name, recursive),
    }),
  },
});
