/** `state.*`: so far only watching the event bus (salt/runners/state.py, salt/modules/state.py `event`, 3006.16). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { masterSockets } from '../config/master-sockets.ts';
import { EventBusReader } from '../events/bus-client.ts';
import type { BusEvent } from '../events/framing.ts';
import { toNumber, truthy, type Value } from '../values/value.ts';
import { toJson, type JsonOptions } from '../values/json.ts';
import { pyRepr, pyStr } from '../values/repr.ts';
import { expressionMatch } from '../text/expression-match.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from './runner.ts';

/** Time between attempts to find the bus again after the master has gone. */
const RECONNECT_MS = 200;

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
  const pattern = pyStr(args.tagmatch);
  let left = toNumber(args.count) ?? -1;
  const path = busPath(ctx, args);
  const done = new AbortController();
  const show = (event: BusEvent): void => {
    if (left === 0) return;
    if (!truthy(args.quiet))
      ctx.print(`${event.tag}\t${toJson(event.data, jsonOptions(truthy(args.pretty)))}`);
    if (left > 0) left--;
    if (left === 0) done.abort();
  };
  const over = AbortSignal.any([done.signal, ctx.signal]);
  if (left === 0) left = 1; // Salt compat: the count is looked at after an event has matched
  let isFirst = true;
  while (!over.aborted) {
    const closed = new AbortController();
    try {
      const reader = await EventBusReader.connect(
        path,
        (tag) => expressionMatch(tag, pattern),
        show,
        () => closed.abort(),
      );
      isFirst = false;
      await ctx.clock.sleep(2 ** 31 - 1, AbortSignal.any([over, closed.signal]));
      reader.close();
    } catch (error) {
      if (isFirst)
        throw new RunnerRefusal(
          `There is no event bus at ${path}. Is the ${pyStr(args.node)} running, and is sock_dir right?`,
          { cause: error },
        );
      await ctx.clock.sleep(RECONNECT_MS, over);
    }
  }
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

function jsonOptions(isPretty: boolean): JsonOptions {
  return { indent: isPretty ? 4 : null, sortKeys: isPretty, fallback: pyRepr };
}
