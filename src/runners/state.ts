/** `state.*`: so far only watching the event bus (salt/runners/state.py, salt/modules/state.py `event`, 3006.16). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { masterSockets } from '../config/master-sockets.ts';
import { showEvents } from '../events/show-events.ts';
import { toNumber, truthy, type Value } from '../values/value.ts';
import { pyStr } from '../values/repr.ts';
import { expressionMatch } from '../text/expression-match.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from './runner.ts';

/** The state runner. */
export const stateRunners = defineRunners({
  name: 'state',
  doc: 'States of the whole fleet, and the event bus.',
  functions: {
    event: defineRunner({
      doc: 'Prints the events of the bus as they come, until as many as asked for have matched.',
      params: {
        tagmatch: { default: '*', type: 'str', doc: 'Glob or regular expression for tags.' },
        count: { default: -1, type: 'int', doc: 'How many; -1 for ever.' },
        quiet: { default: false, type: 'bool', doc: 'Print nothing; only wait.' },
        sock_dir: {
          default: null,
          type: 'str',
          doc: 'Folder of the sockets, in place of the configured one.',
        },
        pretty: { default: false, type: 'bool', doc: 'Print the data over several lines, keys sorted.' },
        node: { default: 'master', type: 'str', doc: 'Whose bus: `master` or `minion`.' },
      },
      returns: 'None',
      examples: [
        'salt-run state.event pretty=True',
        "salt-run state.event 'salt/minion/jerry/start' count=1 quiet=True",
      ],
      run: (ctx, args) => watchBus(ctx, args),
    }),
  },
});

type EventArgs = Readonly<Record<'tagmatch' | 'count' | 'quiet' | 'sock_dir' | 'pretty' | 'node', Value>>;

async function watchBus(ctx: RunnerContext, args: EventArgs): Promise<Value> {
  const path = busPath(ctx, args);
  const pattern = pyStr(args.tagmatch);
  await showEvents({
    path,
    matches: (tag) => expressionMatch(tag, pattern),
    count: toNumber(args.count) ?? -1,
    ...(truthy(args.quiet) ? {} : { print: (line: string) => ctx.print(line) }),
    isPretty: truthy(args.pretty),
    signal: ctx.signal,
    clock: ctx.clock,
    noBus: (cause) =>
      new RunnerRefusal(
        `There is no event bus at ${path}. Is the ${pyStr(args.node)} running, and is sock_dir right?`,
        { cause },
      ),
  });
  return null;
}

function busPath({ opts, settings }: RunnerContext, { node, sock_dir }: EventArgs): string {
  const folder = sock_dir === null ? opts.get('sock_dir') : pyStr(sock_dir);
  if (node !== 'minion') return masterSockets(opts.with(new Map([['sock_dir', folder]]))).eventPub;
  const hash = createHash(opts.get('hash_type'))
    .update(pyStr(settings.get('id') ?? ''))
    .digest('hex')
    .slice(0, 10);
  return join(folder, `minion_event_${hash}_pub.ipc`);
}
