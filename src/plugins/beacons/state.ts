/** `beacon`: what a minion watches by itself (3006.16 salt/states/beacon.py). */
import { defineModule } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { outcomeResultFirst } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';

const NAME = param.text({ doc: 'The name of the beacon.' });
const SAVE = param.flag({ default: false, doc: 'Keep the change in `minion.d/beacons.conf`.' });

async function currentBeacons(ctx: StateContext, kwargs: Dict): Promise<Dict> {
  const options = new Map([...kwargs, ...dict({ return_yaml: false })]);
  const beacons = await ctx.functions.call('beacons.list', [], options);
  return isDict(beacons) ? beacons : new Map();
}

/** Gives an order to `beacons`. @returns its answer: `result`, `comment` and, mostly, `changes` */
async function order(ctx: StateContext, fun: string, args: Value[], kwargs: Dict): Promise<Dict> {
  const options = ctx.state.test ? new Map(kwargs).set('test', true) : kwargs;
  return (await ctx.functions.call(`beacons.${fun}`, args, options)) as Dict;
}

/** Adds what `save` does and says to a result. */
async function withSaved(ctx: StateContext, save: boolean, result: StateResult): Promise<StateResult> {
  if (!save || result.result === false) return result;
  if (!ctx.state.test) await ctx.functions.call('beacons.save');
  const said = `Beacon ${pyStr(result.name)} ${ctx.state.test ? 'would be saved' : 'saved'}`;
  return { ...result, comment: `${pyStr(result.comment)}\n${said}` };
}

const changesOf = (answer: Dict): Dict | undefined => {
  const changes = answer.get('changes');
  return isDict(changes) ? changes : undefined;
};

async function present(ctx: StateContext, name: string, kwargs: Dict): Promise<StateResult> {
  const current = (await currentBeacons(ctx, kwargs)).get(name);
  const data = [...kwargs].map(([key, value]): Value => new Map([[key, value]]));
  if (current !== undefined && valuesEqual(data, current))
    return outcomeResultFirst(name, true, `Job ${name} in correct state`);
  const answer = await order(ctx, current === undefined ? 'add' : 'modify', [name, data], kwargs);
  const comment = answer.get('comment') ?? '';
  const changes = changesOf(answer);
  if (ctx.state.test)
    return outcomeResultFirst(name, true, comment, current === undefined ? dict() : changes);
  if (!truthy(answer.get('result'))) return outcomeResultFirst(name, false, comment);
  if (current === undefined) return outcomeResultFirst(name, true, `Adding ${name} to beacons`);
  return outcomeResultFirst(
    name,
    true,
    changes === undefined ? comment : `Modifying ${name} in beacons`,
    changes,
  );
}

/** Does something to a beacon that is there. */
async function onPresent(
  ctx: StateContext,
  name: string,
  { fun, kwargs, done, missing }: { fun: string; kwargs: Dict; done: string; missing: string },
): Promise<StateResult> {
  if (!(await currentBeacons(ctx, kwargs)).has(name)) return outcomeResultFirst(name, true, missing);
  const answer = await order(ctx, fun, [name], kwargs);
  const comment = answer.get('comment') ?? '';
  if (ctx.state.test) return outcomeResultFirst(name, true, comment);
  return truthy(answer.get('result'))
    ? outcomeResultFirst(name, true, done)
    : outcomeResultFirst(name, false, comment);
}

/** The states of `beacon`. */
export const beaconStates = defineModule({
  name: 'beacon',
  file: 'beacon',
  doc: 'Beacons: what a minion watches by itself.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a beacon is configured; the further arguments are its configuration.',
      params: { name: NAME, save: SAVE },
      kwargs: 'kwargs',
      examples: ['services: {apache2: {onchangeonly: True}}, interval: 60'],
      run: async (ctx, { name, save }, kwargs) => withSaved(ctx, save, await present(ctx, name, kwargs)),
    }),
    absent: defineState({
      doc: 'Makes sure that a beacon is not configured.',
      params: { name: NAME, save: SAVE },
      kwargs: 'kwargs',
      run: async (ctx, { name, save }, kwargs) => {
        const words = { done: `Removed ${name} from beacons`, missing: `${name} not configured in beacons` };
        return withSaved(ctx, save, await onPresent(ctx, name, { fun: 'delete', kwargs, ...words }));
      },
    }),
    enabled: defineState({
      doc: 'Makes sure that a beacon is enabled.',
      params: { name: NAME },
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => {
        const words = { done: `Enabled ${name} from beacons`, missing: `${name} not a configured beacon` };
        return onPresent(ctx, name, { fun: 'enable_beacon', kwargs, ...words });
      },
    }),
    disabled: defineState({
      doc: 'Makes sure that a beacon is disabled.',
      params: { name: NAME },
      kwargs: 'kwargs',
      run: (ctx, { name }, kwargs) => {
        const words = { done: `Disabled beacon ${name}.`, missing: `Job ${name} is not configured.` };
        return onPresent(ctx, name, { fun: 'disable_beacon', kwargs, ...words });
      },
    }),
  },
});
