/** `consul`: the agent, its checks and its services (3006.16 salt/modules/consul.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type FunctionSpec } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { chosen, keyword, listOf, PLACE, refused, renamed, required, told, withConsul } from './server.ts';

const named = (doc: string) => param.textIfGiven({ default: null, doc });
const CHECK = { checkid: named('The id of the check.') } as const;
const SERVICE = { serviceid: named('The id of the service.') } as const;
const DONE = '{message: what was done, res}';
const NO_INTERVAL = 'Required parameter "interval" is missing.';

const listing = (doc: string, word: string): FunctionSpec =>
  defineFunction({
    doc,
    params: PLACE,
    returns: '{data, res}',
    examples: [`salt '*' consul.agent_${word}`],
    run: (ctx, place) => withConsul(ctx, place, async (ask) => (await ask({ path: ['agent', word] })).whole),
  });

/** A function that says how a check with a time to live does. */
const marking = (verb: string, status: string): FunctionSpec =>
  defineFunction({
    doc: `Marks a check that has a time to live as ${status}; \`note\` says why.`,
    params: { ...PLACE, ...CHECK },
    kwargs: 'kwargs',
    returns: DONE,
    examples: [`salt '*' consul.agent_check_${verb} checkid='redis_check1' note='…'`],
    run: (ctx, { checkid, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const id = required(checkid, 'checkid');
        const reply = await ask({ path: ['agent', 'check', verb, id], params: chosen(given, 'note') });
        return told(reply, `Check ${id} marked as ${status}.`, `Unable to update check ${id}.`);
      }),
  });

/** A check of a service as Consul wants it; undefined where it lacks its interval. */
function checkOf(given: Dict): Dict | undefined {
  const lower: Dict = new Map([...given].map(([name, value]) => [pyStr(name).toLowerCase(), value]));
  const isRepeated = lower.has('script') || lower.has('http');
  if (isRepeated && !lower.has('interval')) return undefined;
  return renamed(lower, [
    ['script', 'Script'],
    ['http', 'HTTP'],
    ['ttl', 'TTL'],
    ...(isRepeated ? ([['interval', 'Interval']] as const) : []),
  ]);
}

/** Functions for the agent. */
export const agentFunctions = {
  agent_checks: listing('Returns the checks of the local agent.', 'checks'),
  agent_services: listing('Returns the services of the local agent.', 'services'),
  agent_self: listing('Returns the configuration of the local node.', 'self'),
  agent_members: defineFunction({
    doc: 'Returns the members that the local agent sees; `wan` those of the wide area.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: '{data, res}',
    examples: ["salt '*' consul.agent_members"],
    run: (ctx, place, _rest, given) =>
      withConsul(
        ctx,
        place,
        async (ask) => (await ask({ path: ['agent', 'members'], params: chosen(given, 'wan') })).whole,
      ),
  }),
  agent_maintenance: defineFunction({
    doc: 'Puts the node into maintenance, or takes it out of it: `enable`, and `reason`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' consul.agent_maintenance enable='False' reason='Upgrade in progress'"],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const enable = given.get('enable');
        if (enable === undefined) return refused('Required parameter "enable" is missing.');
        const params = chosen(given, 'enable', 'reason');
        const { isGood } = await ask({ path: ['agent', 'maintenance'], method: 'PUT', params });
        const done = `Agent maintenance mode ${pyStr(enable)}ed.`;
        return dict({ res: true, message: isGood ? done : 'Unable to change maintenance mode for agent.' });
      }),
  }),
  agent_join: defineFunction({
    doc: 'Has the agent join a node; `wan` in the wide area.',
    params: { ...PLACE, address: named('The address of the node.') },
    kwargs: 'kwargs',
    returns: DONE,
    examples: ["salt '*' consul.agent_join address='192.168.1.1'"],
    run: (ctx, { address, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const path = ['agent', 'join', required(address, 'address')];
        const reply = await ask({ path, params: chosen(given, 'wan') });
        return told(reply, 'Agent joined the cluster', 'Unable to join the cluster.');
      }),
  }),
  agent_leave: defineFunction({
    doc: 'Has the agent take a node for one that has left.',
    params: { ...PLACE, node: named('The node.') },
    returns: DONE,
    examples: ["salt '*' consul.agent_leave node='web1.example.com'"],
    run: (ctx, { node, ...place }) =>
      withConsul(ctx, place, async (ask) => {
        const name = required(node, 'node');
        const reply = await ask({ path: ['agent', 'force-leave', name] });
        return told(reply, `Node ${name} put in leave state.`, `Unable to change state for ${name}.`);
      }),
  }),
  agent_check_register: defineFunction({
    doc: 'Adds a check to the agent: `name`, `id`, `notes`, and `ttl`, or `script` or `http` with `interval`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: [
      "salt '*' consul.agent_check_register name='Memory Utilization' script='/usr/local/bin/check_mem.py' interval='15s'",
    ],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const name = keyword(given, 'name');
        const isRepeated = given.has('script') || given.has('http');
        if (!isRepeated && !given.has('ttl'))
          return refused('Required parameter "script" or "http" is missing.');
        if (isRepeated && !given.has('interval')) return refused(NO_INTERVAL);
        const data = renamed(given, [
          ['name', 'Name'],
          ['id', 'ID'],
          ['notes', 'Notes'],
          ['script', 'Script'],
          ...(isRepeated ? ([['interval', 'Interval']] as const) : []),
          ['http', 'HTTP'],
          ['ttl', 'TTL'],
        ]);
        const reply = await ask({ path: ['agent', 'check', 'register'], method: 'PUT', data });
        return told(reply, `Check ${pyStr(name)} added to agent.`, 'Unable to add check to agent.');
      }),
  }),
  agent_check_deregister: defineFunction({
    doc: 'Removes a check of the agent.',
    params: { ...PLACE, ...CHECK },
    returns: DONE,
    examples: ["salt '*' consul.agent_check_deregister checkid='Memory Utilization'"],
    run: (ctx, { checkid, ...place }) =>
      withConsul(ctx, place, async (ask) => {
        const id = required(checkid, 'checkid');
        const reply = await ask({ path: ['agent', 'check', 'deregister', id] });
        return told(reply, `Check ${id} removed from agent.`, 'Unable to remove check from agent.');
      }),
  }),
  agent_check_pass: marking('pass', 'passing'),
  agent_check_warn: marking('warn', 'warning'),
  agent_check_fail: marking('fail', 'critical'),
  agent_service_register: defineFunction({
    doc: 'Adds a service to the agent: `name`, `id`, `address`, `port`, `tags`, `enabletagoverride`, and `check`, a mapping of `ttl`, or of `script` or `http` with `interval`.',
    params: PLACE,
    kwargs: 'kwargs',
    returns: DONE,
    examples: [
      `salt '*' consul.agent_service_register name='redis' tags='["master", "v1"]' address="127.0.0.1" port="8080" check='{"script": "/usr/local/bin/check_redis.py", "interval": "10s"}'`,
    ],
    run: (ctx, place, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const lower: Dict = new Map([...given].map(([key, value]) => [pyStr(key).toLowerCase(), value]));
        const name = pyStr(keyword(lower, 'name'));
        const tags = lower.get('tags');
        if (tags !== undefined) lower.set('tags', listOf(tags));
        const data = renamed(lower, [
          ['name', 'Name'],
          ['address', 'Address'],
          ['port', 'Port'],
          ['id', 'ID'],
          ['tags', 'Tags'],
          ['enabletagoverride', 'EnableTagOverride'],
        ]);
        const wanted = lower.get('check');
        const check = isDict(wanted) ? checkOf(wanted) : dict();
        if (check === undefined) return refused(NO_INTERVAL);
        if (check.size > 0) data.set('Check', check);
        const reply = await ask({ path: ['agent', 'service', 'register'], method: 'PUT', data });
        return told(reply, `Service ${name} registered on agent.`, `Unable to register service ${name}.`);
      }),
  }),
  agent_service_deregister: defineFunction({
    doc: 'Removes a service of the agent.',
    params: { ...PLACE, ...SERVICE },
    returns: DONE,
    examples: ["salt '*' consul.agent_service_deregister serviceid='redis'"],
    run: (ctx, { serviceid, ...place }) =>
      withConsul(ctx, place, async (ask) => {
        const id = required(serviceid, 'serviceid');
        const path = ['agent', 'service', 'deregister', id];
        const reply = await ask({ path, method: 'PUT', data: dict() });
        return told(reply, `Service ${id} removed from agent.`, `Unable to remove service ${id}.`);
      }),
  }),
  agent_service_maintenance: defineFunction({
    doc: 'Puts a service into maintenance, or takes it out of it: `enable`, and `reason`.',
    params: { ...PLACE, ...SERVICE },
    kwargs: 'kwargs',
    returns: DONE,
    examples: [
      "salt '*' consul.agent_service_maintenance serviceid='redis' enable='True' reason='Down for upgrade'",
    ],
    run: (ctx, { serviceid, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask): Promise<Value> => {
        const id = required(serviceid, 'serviceid');
        if (!given.has('enable')) return refused('Required parameter "enable" is missing.');
        const path = ['agent', 'service', 'maintenance', id];
        const reply = await ask({ path, params: chosen(given, 'enable', 'reason') });
        return told(
          reply,
          `Service ${id} set in maintenance mode.`,
          `Unable to set service ${id} to maintenance mode.`,
        );
      }),
  }),
} as const;
