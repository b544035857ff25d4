/** `reactor.*`: the rules of a running reactor (salt/runners/reactor.py, 3006.16). */
import { masterSockets } from '../../config/master-sockets.ts';
import { runsReactor } from '../../config/reactor.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { REACTOR_MANAGE, withProof } from '../../network/events/reactor-requests.ts';
import { eventAfter } from '../../network/events/wait-for-event.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { userCredentials } from '../../runtime/client/user-key.ts';
import { existsSync } from 'node:fs';
import { param } from '../../runtime/loader/params.ts';
import { defineRunner, defineRunners, type RunnerContext } from '../shared/runner/runner.ts';

const TIMEOUT_MS = 30_000;
const NOT_RUNNING = 'Reactor system is not running.';
const NO_OPTION =
  "The master's configuration has no rules for it: add the option reactor, and restart the master.";
const NO_ANSWER =
  'It did not answer within 30 seconds. Rules that the option reactor has got since the master was started are read when it is restarted; what else is wrong is in its log.';
/** Accepted and without effect, as in Salt. */
const unused = {
  saltenv: { default: 'base', doc: 'Has no effect.' },
  test: { default: null, doc: 'Has no effect.' },
} as const;

/** Asks the reactor. @returns the field of its answer; undefined when it does not answer */
async function ask(
  ctx: RunnerContext,
  what: string,
  fields: Dict,
  answer: string,
  field: string,
): Promise<Value> {
  const { opts, clock, signal } = ctx;
  if (!runsReactor(opts)) throw new CommandExecutionError(`${NOT_RUNNING} ${NO_OPTION}`);
  const { eventPub, reactorFeed } = masterSockets(opts);
  const { key } = userCredentials(opts, {});
  // a master of Salt's wants the key itself
  const data = existsSync(reactorFeed)
    ? withProof(key, what, fields)
    : new Map<Value, Value>([...fields, ['key', key.reveal()]]);
  const isWanted = (tag: string): boolean => tag.endsWith(`${REACTOR_MANAGE}/${answer}`);
  const begin = (): Promise<boolean> => ctx.fire(`salt/run/${ctx.jid}/${REACTOR_MANAGE}/${what}`, data);
  const event = await eventAfter(begin, { bus: eventPub, isWanted, timeoutMs: TIMEOUT_MS, clock, signal });
  if (event === undefined) throw new CommandExecutionError(`${NOT_RUNNING} ${NO_ANSWER}`);
  return event.data.get(field) ?? null;
}

/** The reactor runner. */
export const reactorRunners = defineRunners({
  name: 'reactor',
  doc: 'The rules of the running reactor.',
  failsWith: { error: ['add', 'delete'] },
  functions: {
    list: defineRunner({
      doc: 'Lists the rules: tags and the files that react to them.',
      params: unused,
      returns: 'a list of mappings of tag to files',
      examples: ['salt-run reactor.list'],
      run: (ctx) => ask(ctx, 'list', new Map(), 'list-results', 'reactors'),
    }),
    add: defineRunner({
      doc: 'Adds a rule, until the master is restarted.',
      params: {
        event: param.text({ doc: 'The tag, which may be a glob.' }),
        reactors: { doc: 'The file, or a list of files.' },
        ...unused,
      },
      returns: 'a mapping with status and comment',
      examples: ["salt-run reactor.add 'salt/cloud/*/destroyed' reactors='/srv/reactor/destroy/*.sls'"],
      run: (ctx, { event, reactors }) =>
        ask(
          ctx,
          'add',
          dict({ event, reactors: typeof reactors === 'string' ? [reactors] : reactors }),
          'add-complete',
          'result',
        ),
    }),
    delete: defineRunner({
      doc: 'Removes a rule, until the master is restarted.',
      params: { event: param.text({ doc: 'The tag of the rule, as it is listed.' }), ...unused },
      returns: 'a mapping with status and comment',
      examples: ["salt-run reactor.delete 'salt/cloud/*/destroyed'"],
      run: (ctx, { event }) => ask(ctx, 'delete', dict({ event }), 'delete-complete', 'result'),
    }),
    is_leader: defineRunner({
      doc: 'Tells whether the reactor reacts to events.',
      params: {},
      returns: 'True or False',
      examples: ['salt-run reactor.is_leader'],
      run: (ctx) => ask(ctx, 'is_leader', new Map(), 'leader/value', 'result'),
    }),
    set_leader: defineRunner({
      doc: 'Has the reactor react to events, or only watch them, until the master is restarted.',
      params: { value: { default: true, type: 'bool', doc: 'True to react.' } },
      returns: 'True or False, as it is then',
      examples: ['salt-run reactor.set_leader True'],
      run: (ctx, { value }) => ask(ctx, 'set_leader', dict({ id: ctx.id, value }), 'leader/value', 'result'),
    }),
  },
});
