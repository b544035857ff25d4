/** `beacons.add`, `modify`, `delete`, `save` and the ones that enable and disable (3006.16 salt/modules/beacons.py). */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { dirname, join } from 'node:path';
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { unifiedDiff } from '../../../python/text/unified-diff.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { dumpYaml } from '../../../formats/yaml/dump.ts';
import { ask, availableBeacons, beaconsOf, orderFailure, listBeacons, say } from './ask.ts';

const isTest = (kwargs: Dict): boolean => truthy(kwargs.get('test') ?? null);

/** Why a configuration cannot be used; undefined when it can. */
async function refusal(
  ctx: ModuleContext,
  name: Value,
  data: Value,
  verb: string,
): Promise<Dict | undefined> {
  const order = { name, beacon_data: data, func: 'validate_beacon' };
  const answer = await ask(ctx, 'beacon_validation', order);
  if (answer === undefined || truthy(answer.get('valid') ?? null)) return undefined;
  const comment = pyStr(answer.get('vcomment') ?? '');
  return say(`Beacon ${pyStr(name)} configuration invalid, not ${verb}.\n${comment}`, false);
}

function kindOf(name: Value, data: Value): Value {
  const items = Array.isArray(data) ? data.filter(isDict) : isDict(data) ? [data] : [];
  return items.find((item) => item.has('beacon_module'))?.get('beacon_module') ?? name;
}

/** `beacons.add`. */
export async function addBeacon(ctx: ModuleContext, name: Value, data: Value, kwargs: Dict): Promise<Dict> {
  const label = pyStr(name);
  if ((await listBeacons(ctx))?.has(name)) return say(`Beacon ${label} is already configured.`, true);
  const kind = kindOf(name, data);
  if (!(await availableBeacons(ctx)).includes(kind))
    return say(`Beacon "${pyStr(kind)}" is not available.`, false);
  if (isTest(kwargs)) return say(`Beacon: ${label} would be added.`, true);
  const refused = await refusal(ctx, name, data, 'adding');
  if (refused !== undefined) return refused;
  const answer = await ask(ctx, 'beacon_add', { name, beacon_data: data, func: 'add' });
  const now = beaconsOf(answer)?.get(name);
  if (now !== undefined && hasAll(now, data)) return say(`Added beacon: ${label}.`, true);
  return beaconsOf(answer) === undefined
    ? orderFailure(answer, 'add complete event', kwargs)
    : say(`Failed to add beacon ${label}.`, false);
}

function hasAll(now: Value, wanted: Value): boolean {
  if (!Array.isArray(now) || !Array.isArray(wanted)) return valuesEqual(now, wanted);
  return wanted.every((item) => now.some((each) => valuesEqual(each, item)));
}

/** The items of a configuration as lines for a difference. */
function lines(config: Value): string[] {
  const items = Array.isArray(config) ? config.filter(isDict) : [];
  return items.flatMap((item) => [...item].map(([key, value]) => `${pyStr(key)}:${pyStr(value)}\n`));
}

/** Salt compat: there, what is to be changed or deleted and is not there is a success. */
function notConfigured(name: Value, known: Dict): Dict {
  const label = pyStr(name);
  return say(
    `Beacon ${label} is not configured.${didYouMean(label, [...known.keys()].map(pyStr), 1)}`,
    false,
  );
}

/** `beacons.modify`. */
export async function modifyBeacon(
  ctx: ModuleContext,
  name: Value,
  data: Value,
  kwargs: Dict,
): Promise<Dict> {
  const label = pyStr(name);
  const known = (await listBeacons(ctx)) ?? new Map<Value, Value>();
  const old = known.get(name);
  if (old === undefined) return notConfigured(name, known);
  if (isTest(kwargs)) return say(`Beacon: ${label} would be modified.`, true);
  const refused = await refusal(ctx, name, data, 'modifying');
  if (refused !== undefined) return refused;
  if (valuesEqual(old, data)) return say(`Job ${label} in correct state`, true);
  const diff = unifiedDiff(lines(old), lines(data), { from: '', to: '' }, 3).join('');
  const answer = await ask(ctx, 'beacon_modify', { name, beacon_data: data, func: 'modify' });
  const beacons = beaconsOf(answer);
  if (beacons === undefined) return orderFailure(answer, 'modify complete  event', kwargs);
  const comment = valuesEqual(beacons.get(name) ?? null, data) ? `Modified beacon: ${label}.` : '';
  return say(comment, true).set('changes', new Map([['diff', diff]]));
}

/** `beacons.delete`. */
export async function deleteBeacon(ctx: ModuleContext, name: Value, kwargs: Dict): Promise<Dict> {
  const label = pyStr(name);
  const known = await listBeacons(ctx);
  if (known !== undefined && !known.has(name)) return notConfigured(name, known);
  if (isTest(kwargs)) return say(`Beacon: ${label} would be deleted.`, true);
  const answer = await ask(ctx, 'beacon_delete', { name, func: 'delete' });
  const beacons = beaconsOf(answer);
  if (beacons === undefined) return orderFailure(answer, 'delete complete event', kwargs);
  return beacons.has(name)
    ? say(`Failed to delete beacon ${label}.`, false)
    : say(`Deleted beacon: ${label}.`, true);
}

/** `beacons.save`: those of the configuration, to `minion.d/beacons.conf`. */
export async function saveBeacons(ctx: ModuleContext): Promise<Dict> {
  const beacons = await listBeacons(ctx, { pillar: false });
  const folder = dirname(optionOf(ctx.opts, 'default_include'));
  const path = join(dirname(optionOf(ctx.opts, 'conf_file')), folder, 'beacons.conf');
  const hasAny = beacons !== undefined && beacons.size > 0;
  try {
    makeFolders(dirname(path));
    writeFileAtomic(path, hasAny ? dumpYaml(new Map<Value, Value>([['beacons', beacons]])) : '', {
      mode: 0o644,
      durable: true,
    });
    return say(`Beacons saved to ${path}.`, true);
  } catch {
    return say(`Unable to write to beacons file at ${path}. Check permissions.`, false);
  }
}

/** `beacons.enable` and `disable`. */
export async function setAllEnabled(ctx: ModuleContext, isEnabled: boolean, kwargs: Dict): Promise<Dict> {
  const [verb, word] = isEnabled ? ['enable', 'Enabled'] : ['disable', 'Disabled'];
  if (isTest(kwargs)) return say(`Beacons would be ${verb}d.`, true);
  const answer = await ask(ctx, `beacons_${verb}d`, { func: verb });
  const beacons = beaconsOf(answer);
  if (beacons === undefined) return orderFailure(answer, `${verb}d complete event`, kwargs);
  const isNow = beacons.has('enabled') && truthy(beacons.get('enabled') ?? null) === isEnabled;
  return isNow ? say(`${word} beacons on minion.`, true) : say(`Failed to ${verb} beacons on minion.`, false);
}

/** `beacons.enable_beacon` and `disable_beacon`. */
export async function setBeaconEnabled(
  ctx: ModuleContext,
  name: Value,
  isEnabled: boolean,
  kwargs: Dict,
): Promise<Dict> {
  const label = pyStr(name);
  const [verb, word] = isEnabled ? ['enable', 'Enabled'] : ['disable', 'Disabled'];
  if (!truthy(name)) return say('Beacon name is required.', false);
  if (!(await listBeacons(ctx))?.has(name)) return say(`Beacon ${label} is not currently configured.`, false);
  if (isTest(kwargs))
    return say(isEnabled ? `Beacon ${label} would be enabled.` : 'Beacons would be disabled.', true);
  const answer = await ask(ctx, `beacon_${verb}d`, { func: `${verb}_beacon`, name });
  const beacons = beaconsOf(answer);
  if (beacons === undefined) return orderFailure(answer, `${verb}d complete event`, kwargs);
  const config = beacons.get(name) ?? null;
  const items = Array.isArray(config) ? config.filter(isDict) : isDict(config) ? [config] : [];
  const isNow = items.some(
    (item) => item.has('enabled') && truthy(item.get('enabled') ?? null) === isEnabled,
  );
  if (isNow) return say(`${word} beacon ${label} on minion.`, true);
  return say(
    isEnabled ? `Failed to enable beacon ${label} on minion.` : 'Failed to disable beacon on minion.',
    false,
  );
}

/** `beacons.reset`. */
export async function resetBeacons(ctx: ModuleContext, kwargs: Dict): Promise<Dict> {
  if (isTest(kwargs)) return say('Beacons would be reset.', true);
  const answer = await ask(ctx, 'beacon_reset', { func: 'reset' });
  return truthy(answer?.get('complete') ?? null)
    ? say('Beacon configuration reset.', true)
    : orderFailure(answer, 'reset event', kwargs);
}
