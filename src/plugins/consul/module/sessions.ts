/** `consul`: sessions and events (3006.16 salt/modules/consul.py). */
import { pyCount } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { chosen, keyword, PLACE, refused, renamed, required, told, withConsul } from './server.ts';

const TTL_SECONDS_MAX = 3600;

const SESSION = { session: param.textIfGiven({ default: null, doc: 'The id of the session.' }) } as const;

/** A session as it is asked for, or what is wrong with it. */
function sessionOf(given: Dict): Dict | Value[] {
  const data = renamed(given, [
    ['lockdelay', 'LockDelay'],
    ['node', 'Node'],
    ['name', 'Name'],
    // Salt compat: Salt looks for the list under another name, and ends with a KeyError
    ['checks', 'Checks'],
  ]);
  const behavior = given.get('behavior');
  if (behavior !== undefined && behavior !== 'delete' && behavior !== 'release')
    return ['Behavior must be ', 'either delete or release.'];
  if (behavior !== undefined) data.set('Behavior', behavior);
  const ttl = given.get('ttl');
  if (ttl === undefined) return data;
  const seconds = pyStr(ttl).replace(/s$/, '');
  const count = pyCount(seconds);
  if (count < 0 || count > TTL_SECONDS_MAX) return ['TTL must be ', 'between 0 and 3600.'];
  return data.set('TTL', `${seconds}s`);
}

/** Functions for sessions and events. */
export const sessionFunctions = {
  session_create: defineFunction({
    doc: 'Makes a session: `name`, `node`, `checks`, `lockdelay`, `behavior` (release or delete), `ttl`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{message: what was done, res}',
    examples: ["salt '*' consul.session_create node='node1' name='my-session' behavior='delete' ttl='3600s'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const name = pyStr(keyword(given, 'name'));
        const data = sessionOf(given);
        if (!isDict(data)) return refused(data);
        const reply = await ask({ path: ['session', 'create'], method: 'PUT', data });
        return told(reply, `Created session ${name}.`, `Unable to create session ${name}.`);
      }),
  }),
  session_list: defineFunction({
    doc: 'Lists the sessions; `dc` those of a datacenter.',
    params: { ...PLACE, return_list: param.flag({ default: false, doc: 'Nothing but their ids.' }) },
    kwargs: 'kwargs',
    returns: '{data, res}, or a list of ids',
    examples: ["salt '*' consul.session_list"],
    run: (ctx, { return_list, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const { isGood, data, whole } = await ask({ path: ['session', 'list'], params: chosen(given, 'dc') });
        if (!return_list || !isGood || !Array.isArray(data)) return whole;
        return data.filter(isDict).map((one) => one.get('ID') ?? null);
      }),
  }),
  session_destroy: defineFunction({
    doc: 'Removes a session; `dc` one of a datacenter.',
    params: { ...PLACE, ...SESSION },
    kwargs: 'kwargs',
    returns: '{message: what was done, res}',
    examples: ["salt '*' consul.session_destroy session='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716'"],
    run: (ctx, { session, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const id = required(session, 'session');
        const path = ['session', 'destroy', id];
        const reply = await ask({ path, method: 'PUT', params: chosen(given, 'dc') });
        return told(reply, `Destroyed Session ${id}.`, `Unable to destroy session ${id}.`);
      }),
  }),
  session_info: defineFunction({
    doc: 'Returns a session; `dc` one of a datacenter.',
    params: { ...PLACE, ...SESSION },
    kwargs: 'kwargs',
    returns: '{data, res}',
    examples: ["salt '*' consul.session_info session='c1c4d223-91cb-3d1f-1ee8-f2af9e7b6716'"],
    run: (ctx, { session, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const path = ['session', 'info', required(session, 'session')];
        return (await ask({ path, params: chosen(given, 'dc') })).whole;
      }),
  }),
  event_fire: defineFunction({
    doc: 'Fires an event; `dc`, `node`, `service` and `tag` say whom it is for.',
    params: { ...PLACE, name: param.textIfGiven({ default: null, doc: 'The event.' }) },
    kwargs: 'kwargs',
    returns: '{message: what was done, res, data: the event}',
    examples: ["salt '*' consul.event_fire name='deploy'"],
    run: (ctx, { name, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const event = required(name, 'name');
        // Salt compat: Salt sends the last of these without its name
        const params = chosen(given, 'dc', 'node', 'service', 'tag');
        const { isGood, data } = await ask({ path: ['event', 'fire', event], method: 'PUT', params });
        return isGood
          ? dict({ res: true, message: `Event ${event} fired.`, data })
          : refused(`Event ${event} could not be fired.`);
      }),
  }),
  event_list: defineFunction({
    doc: 'Lists the events of a `name` that the agent remembers.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{data, res}',
    examples: ["salt '*' consul.event_list name='deploy'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        keyword(given, 'name');
        return (await ask({ path: ['event', 'list'], params: chosen(given, 'name') })).whole;
      }),
  }),
} as const;
