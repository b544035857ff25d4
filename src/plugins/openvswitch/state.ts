/**
 * `openvswitch_bridge` and `openvswitch_db`: bridges and records of Open vSwitch (3006.16
 * salt/states/openvswitch_bridge.py, 3006.16 salt/states/openvswitch_db.py).
 */
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NEEDS = { fun: 'openvswitch.bridge_create', otherwise: 'openvswitch module could not be loaded' };

const ask = (ctx: StateContext, fun: string, ...args: Value[]): Promise<Value> =>
  ctx.functions.call(`openvswitch.${fun}`, args);

const change = (name: string, old: string, now: string): Dict => dict({ [name]: dict({ old, new: now }) });

async function bridge(
  ctx: StateContext,
  { name, parent, vlan }: { readonly name: string; readonly parent: Value; readonly vlan: Value },
): Promise<StateResult> {
  if (truthy(await ask(ctx, 'bridge_exists', name))) {
    const within = await ask(ctx, 'bridge_to_parent', name);
    const tag = await ask(ctx, 'bridge_to_vlan', name);
    // Salt compat: a number that is written as a text is no other one
    const isRight =
      valuesEqual(within === name ? null : within, parent) &&
      valuesEqual(tag === 0 ? null : tag, toPyInt(vlan) ?? vlan);
    return isRight
      ? outcome(name, true, `Bridge ${name} already exists.`)
      : outcome(name, false, `Bridge ${name} already exists, but has a different parent or VLAN ID.`);
  }
  if (ctx.state.test) return outcome(name, null, `Bridge ${name} created.`);
  return truthy(await ctx.functions.call('openvswitch.bridge_create', [name], { parent, vlan }))
    ? outcome(
        name,
        true,
        `Bridge ${name} created.`,
        change(name, `Bridge ${name} does not exist.`, `Bridge ${name} created`),
      )
    : outcome(name, false, `Unable to create bridge: ${name}.`);
}

async function noBridge(ctx: StateContext, name: string): Promise<StateResult> {
  if (!truthy(await ask(ctx, 'bridge_exists', name)))
    return outcome(name, true, `Bridge ${name} does not exist.`);
  if (ctx.state.test) return outcome(name, null, `Bridge ${name} deleted.`);
  return truthy(await ask(ctx, 'bridge_delete', name))
    ? outcome(
        name,
        true,
        `Bridge ${name} deleted.`,
        change(name, `Bridge ${name} exists.`, `Bridge ${name} deleted.`),
      )
    : outcome(name, false, `Unable to delete bridge: ${name}.`);
}

/** The states of `openvswitch_bridge`. */
export const openvswitchBridgeStates = defineModule({
  name: 'openvswitch_bridge',
  file: 'openvswitch_bridge',
  doc: 'Bridges of Open vSwitch.',
  needs: NEEDS,
  functions: {
    present: defineState({
      doc: 'Makes sure of a bridge.',
      params: {
        name: param.text({ doc: 'The bridge.' }),
        parent: param.value({ default: null, type: 'str', doc: 'The bridge that it is within.' }),
        vlan: param.value({ default: null, type: 'int', doc: 'The VLAN that it is for.' }),
      },
      run: bridge,
    }),
    absent: defineState({
      doc: 'Makes sure that a bridge is not there.',
      params: { name: param.text({ doc: 'The bridge.' }) },
      run: (ctx, { name }) => noBridge(ctx, name),
    }),
  },
});

/**
 * Whether two values of a column are the same. ovs-vsctl says a set of one as what is in it, and a set in an order of
 * its own.
 */
function isSame(now: Value, wanted: Value): boolean {
  if (!Array.isArray(wanted)) return valuesEqual(now, wanted);
  const rest = Array.isArray(now) ? [...now] : [now];
  for (const each of wanted) {
    const at = rest.findIndex((one) => valuesEqual(one, each));
    if (at < 0) return false;
    rest.splice(at, 1);
  }
  return rest.length === 0;
}

async function record(
  ctx: StateContext,
  wanted: { readonly name: string; readonly table: string; readonly data: Dict; readonly record: string },
): Promise<StateResult> {
  const { name, table, data } = wanted;
  const old = dict();
  for (const column of data.keys())
    old.set(column, await ask(ctx, 'db_get', table, wanted.record, column, true));
  const changes = dict();
  for (const [column, value] of data) {
    const before = old.get(column) ?? null;
    // Salt compat: Salt sets a list at each run that has one item, or is in another order
    if (isSame(before, value)) continue;
    if (!ctx.state.test) {
      const said = await ask(ctx, 'db_set', table, wanted.record, column, value);
      if (said !== null)
        return outcome(name, false, `Error while updating column ${pyStr(column)}: ${pyStr(said)}`, changes);
    }
    changes.set(column, dict({ old: before, new: value }));
  }
  // Salt compat: what has been updated is said to be up to date
  return ctx.state.test && changes.size > 0
    ? outcome(name, null, 'Columns have been updated.', changes)
    : outcome(name, true, 'All columns are already up to date.', changes);
}

/** The states of `openvswitch_db`. */
export const openvswitchDbStates = defineModule({
  name: 'openvswitch_db',
  file: 'openvswitch_db',
  doc: 'Records of the database of Open vSwitch.',
  needs: NEEDS,
  words: { lines: ['data'], dashes: ['data'] },
  functions: {
    managed: defineState({
      doc: 'Makes sure of columns of a record.',
      params: {
        name: param.text({ doc: 'The record.' }),
        table: param.text({ doc: 'The table.' }),
        data: param.mappingIfGiven({ doc: 'The columns, with their values.' }),
        record: textIfSaid('The record, in place of the name.'),
      },
      run: (ctx, { record: other, data, ...wanted }) =>
        data === undefined
          ? outcome(wanted.name, false, 'The data of a record is a mapping of columns to values.')
          : record(ctx, { ...wanted, data, record: other ?? wanted.name }),
    }),
  },
});
