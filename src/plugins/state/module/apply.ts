/** The functions of `state` that run states (3006.16 salt/modules/state.py). */
import {
  defineFunction,
  type FunctionSpec,
  type ModuleContext,
  type ParamSpec,
} from '../../../runtime/loader/module.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { runHighData, runLow, runSingle, runTemplate, runTemplateText } from './given-data.ts';
import { runHighstate, runTop } from './highstate.ts';
import { inTurn } from './queue.ts';
import { runApply, runSls, runSlsId } from './sls.ts';
import { param } from '../../../runtime/loader/params.ts';

const test: ParamSpec = param.value({
  default: null,
  type: 'bool',
  doc: 'Change nothing, and say what would be changed.',
});
const queue: ParamSpec = param.value({
  default: null,
  type: 'bool or int',
  doc: 'Wait for other state runs instead of refusing; a number limits how many may wait.',
});
const stateEvents: ParamSpec = param.value({
  default: null,
  type: 'bool',
  doc: 'Send an event for each finished state.',
});
const mods: ParamSpec = param.value({
  type: 'str or list of str',
  doc: 'Names of SLS, separated by commas; globs work.',
});
const KEYWORDS =
  'Keywords: saltenv, pillarenv, pillar (a mapping merged over the pillar), exclude, concurrent (run beside other runs), ' +
  'terse (only what failed or changed), mock (call no state), cache, cache_name, localconfig, force (also with pillar errors).';
const RETURNS = 'mapping of tag to result; a list of texts when nothing could be run';

/** What every function here is: it answers with states, and runs in a process that can be killed. */
const COMMON = { returns: RETURNS, isolation: 'process', kwargs: 'kwargs' } as const;
const SHOWN = { ...COMMON, outputter: 'highstate' } as const;

/** Everything that was given by name, parameters that were left out excepted. */
function named(args: Readonly<Record<string, Value>>, kwargs: Dict): Dict {
  return new Map([...Object.entries(args).filter(([, value]) => value !== null), ...kwargs]);
}

/** The keywords of a run, when its turn has come. */
function turn(
  ctx: ModuleContext,
  args: Readonly<Record<string, Value>>,
  kwargs: Dict,
  run: (all: Dict) => Promise<Value>,
): Promise<Value> {
  const all = named(args, kwargs);
  return inTurn(ctx, all, () => run(all));
}

/** `state.apply`, `highstate`, `sls` and the others that run states. */
export const applyFunctions: Readonly<Record<string, FunctionSpec>> = {
  apply: defineFunction({
    doc: `Applies SLS; without names, all that the top files give this minion. ${KEYWORDS}`,
    pythonName: 'apply_',
    params: { mods: { ...mods, default: null } },
    ...SHOWN,
    examples: [
      "salt '*' state.apply",
      "salt '*' state.apply core,edit.vim test=True",
      `salt '*' state.apply web pillar='{"port": 8080}'`,
    ],
    run: (ctx, args, _rest, kwargs) => runApply(ctx, args.mods, kwargs),
  }),
  highstate: defineFunction({
    doc: `Applies all that the top files give this minion. ${KEYWORDS}`,
    params: { test, queue, state_events: stateEvents },
    ...SHOWN,
    examples: ["salt '*' state.highstate", "salt '*' state.highstate test=True exclude=bar"],
    run: (ctx, args, _rest, kwargs) => runHighstate(ctx, named(args, kwargs)),
  }),
  sls: defineFunction({
    doc: `Applies SLS by name. ${KEYWORDS}`,
    params: {
      mods,
      test,
      exclude: param.value({
        default: null,
        type: 'str or list',
        doc: 'SLS to leave out, `{sls: x}` or `{id: y}`.',
      }),
      queue,
      sync_mods: param.value({
        default: null,
        type: 'list of str',
        doc: 'Kinds of modules to sync first; True for all.',
      }),
      state_events: stateEvents,
    },
    ...SHOWN,
    examples: [
      "salt '*' state.sls core,edit.vim saltenv=dev",
      "salt '*' state.sls core sync_mods=states,modules",
    ],
    run: (ctx, { mods: given, ...args }, _rest, kwargs) => runSls(ctx, given, named(args, kwargs)),
  }),
  sls_id: defineFunction({
    doc: `Applies one id of some SLS, and what it requires. ${KEYWORDS}`,
    params: { id_: param.text({ doc: 'The id.' }), mods, test, queue, state_events: stateEvents },
    ...SHOWN,
    examples: ["salt '*' state.sls_id my_state my_module"],
    run: (ctx, { id_, mods: given, ...args }, _rest, kwargs) =>
      turn(ctx, args, kwargs, (all) => runSlsId(ctx, id_, given, all)),
  }),
  single: defineFunction({
    doc: 'Runs one state, with the arguments that are given by name.',
    params: {
      fun: param.text({ doc: 'The state, `file.managed`.' }),
      name: param.value({ type: 'str', doc: 'Its name.' }),
      test,
      queue,
    },
    ...SHOWN,
    examples: ["salt '*' state.single pkg.installed name=vim"],
    run: (ctx, { fun, name, ...args }, _rest, kwargs) =>
      turn(ctx, args, kwargs, (all) => runSingle(ctx, fun, name, all)),
  }),
  top: defineFunction({
    doc: `Applies what another top file gives this minion. ${KEYWORDS}`,
    params: { topfn: param.text({ doc: 'The file, by its path on the file server.' }), test, queue },
    ...SHOWN,
    examples: [
      "salt '*' state.top reverse_top.sls",
      "salt '*' state.top prod_top.sls exclude=sls_to_exclude",
    ],
    run: (ctx, { topfn, ...args }, _rest, kwargs) => runTop(ctx, topfn, named(args, kwargs)),
  }),
  low: defineFunction({
    doc: 'Runs one low chunk: a state with its arguments as one mapping.',
    params: {
      data: param.mappingIfGiven({ doc: 'The chunk: state, fun, name, __id__ and the arguments.' }),
      queue,
    },
    ...COMMON,
    returns: 'the result; a list of texts when it could not be run',
    examples: [`salt '*' state.low '{"state": "pkg", "fun": "installed", "name": "vi"}'`],
    run: (ctx, { data, ...args }, _rest, kwargs) => turn(ctx, args, kwargs, () => runLow(ctx, data)),
  }),
  high: defineFunction({
    doc: 'Runs high data: what an SLS is compiled to.',
    params: { data: param.mappingIfGiven({ doc: 'The high data.' }), test, queue },
    ...COMMON,
    examples: [`salt '*' state.high '{"vim": {"pkg": ["installed"]}}'`],
    run: (ctx, { data, ...args }, _rest, kwargs) =>
      turn(ctx, args, kwargs, (all) => runHighData(ctx, data, all)),
  }),
  template: defineFunction({
    doc: 'Applies an SLS file on the minion itself.',
    params: { tem: param.text({ doc: 'Path of the file on the minion, with or without `.sls`.' }), queue },
    ...SHOWN,
    examples: ["salt '*' state.template '<Path to template on the minion>'"],
    run: (ctx, { tem, ...args }, _rest, kwargs) =>
      turn(ctx, args, kwargs, (all) => runTemplate(ctx, tem, all)),
  }),
  template_str: defineFunction({
    doc: 'Applies a text that is an SLS of its own.',
    params: { tem: param.text({ doc: 'The text.' }), queue },
    ...SHOWN,
    examples: ["salt '*' state.template_str '<Template String>'"],
    run: (ctx, { tem, ...args }, _rest, kwargs) =>
      turn(ctx, args, kwargs, (all) => runTemplateText(ctx, tem, all)),
  }),
  test: defineFunction({
    doc: `As \`state.apply\` with \`test=True\`: changes nothing, and says what would be changed. ${KEYWORDS}`,
    varargs: 'args',
    ...SHOWN,
    examples: ["salt '*' state.test", "salt '*' state.test foo,bar"],
    run: (ctx, _args, rest, kwargs) => {
      const others: Dict = new Map<Value, Value>([...kwargs, ['test', true]]);
      others.delete('mods');
      return runApply(ctx, rest[0] ?? kwargs.get('mods') ?? null, others);
    },
  }),
};
