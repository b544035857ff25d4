/** `state.event`: watching the event bus (salt/runners/state.py, salt/modules/state.py `event`, 3006.16). */
import { placeText, type LocalPlace } from '../../../host/local-place.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LOOPBACK, masterSockets } from '../../../config/master-sockets.ts';
import { minionOptions } from '../../../config/minion-options.ts';
import { showEvents } from '../../../network/events/show-events.ts';
import { toNumber, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { param, type TypedArguments } from '../../../runtime/loader/params.ts';
import {
  defineRunner,
  RunnerRefusal,
  type RunnerContext,
  type RunnerSpec,
} from '../../shared/runner/runner.ts';

const eventParams = {
  tagmatch: param.text({ default: '*', doc: 'Glob or regular expression for tags.' }),
  count: param.by((value) => toNumber(value) ?? -1, {
    default: -1,
    type: 'int',
    doc: 'How many; -1 for ever.',
  }),
  quiet: param.flag({ default: false, doc: 'Print nothing; only wait.' }),
  sock_dir: param.textOrNone({
    default: null,
    doc: 'Folder of the sockets, in place of the configured one.',
  }),
  pretty: param.flag({ default: false, doc: 'Print the data over several lines, keys sorted.' }),
  node: param.text({ default: 'master', doc: 'Whose bus: `master` or `minion`.' }),
} as const;
type EventArgs = TypedArguments<typeof eventParams>;

/** `state.event`. */
export const event: RunnerSpec = defineRunner({
  doc: 'Prints the events of the bus as they come, until as many as asked for have matched.',
  params: eventParams,
  returns: 'None',
  examples: [
    'salt-run state.event pretty=True',
    "salt-run state.event 'salt/minion/jerry/start' count=1 quiet=True",
  ],
  run: (ctx, args) => watchBus(ctx, args),
});

async function watchBus(ctx: RunnerContext, args: EventArgs): Promise<Value> {
  const path = busPath(ctx, args);
  await showEvents({
    path,
    matches: (tag) => expressionMatch(tag, args.tagmatch),
    count: args.count,
    ...(args.quiet ? {} : { print: (line: string) => ctx.print(line) }),
    isPretty: args.pretty,
    signal: ctx.signal,
    clock: ctx.clock,
    noBus: (cause) =>
      new RunnerRefusal(
        `There is no event bus at ${placeText(path)}. Is the ${args.node} running, and is sock_dir right?`,
        { cause },
      ),
  });
  return null;
}

function busPath({ opts, settings }: RunnerContext, { node, sock_dir }: EventArgs): LocalPlace {
  const folder = sock_dir ?? opts.get('sock_dir');
  if (node !== 'minion') return masterSockets(opts.with(new Map([['sock_dir', folder]]))).eventPub;
  if (opts.get('ipc_mode') === 'tcp') {
    const port = toNumber(settings.get('tcp_pub_port'));
    return { host: LOOPBACK, port: port ?? minionOptions.tcp_pub_port.default };
  }
  const hash = createHash(opts.get('hash_type'))
    .update(pyStr(settings.get('id') ?? ''))
    .digest('hex')
    .slice(0, 10);
  return join(folder, `minion_event_${hash}_pub.ipc`);
}
