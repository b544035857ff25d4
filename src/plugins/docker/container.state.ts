/** `docker_container`: containers of Docker (3006.16 salt/states/docker_container.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CHOICE, CLIENT_TIMEOUT, warnWithoutEffect } from './module/choice-params.ts';
import { failure } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { dockerNameRefusal } from './state/names.ts';
import { absent, run, stopped } from './state/container-ends.ts';
import { running } from './state/container-running.ts';

const IMAGE = {
  name: param.text({ doc: 'The container.' }),
  image: param.textIfGiven({ default: null, doc: 'Its image; it is fetched where it is not there.' }),
} as const;
const RUNNING = {
  ...IMAGE,
  ...CHOICE,
  force: param.flag({ default: false, doc: 'Make it anew even where it is right.' }),
  watch_action: param.value({
    default: 'force',
    type: 'str',
    doc: 'When a watched state has changed something: `force`, or a signal.',
  }),
  start: param.flag({ default: true, doc: 'Start it.' }),
  shutdown_timeout: param.value({
    default: null,
    type: 'int',
    doc: 'Seconds until the container that is replaced is killed.',
  }),
  ...CLIENT_TIMEOUT,
  networks: param.value({
    default: null,
    type: 'list or dict',
    doc: 'Networks with addresses, aliases and links in each.',
  }),
} as const;

async function runRunning(
  ctx: StateContext,
  args: TypedArguments<typeof RUNNING>,
  kwargs: Dict,
): Promise<StateResult> {
  warnWithoutEffect(ctx, args);
  const { skip_translate, ignore_collisions, validate_ip_addrs } = args;
  const words = new Map([
    ...[...kwargs].filter(([key]) => key !== 'send_signal' && !pyStr(key).startsWith('__')),
    ...dict({ skip_translate, ignore_collisions, validate_ip_addrs }),
  ]);
  return running(ctx, {
    ...{ name: args.name, image: args.image, force: args.force, start: args.start },
    signal: kwargs.get('send_signal'),
    ...{ watchAction: args.watch_action, shutdownTimeout: args.shutdown_timeout, networks: args.networks },
    words,
  });
}

const plain = (kwargs: Dict): Dict => new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));

/** Does again what the state does that watches. */
async function watch(
  ctx: StateContext,
  name: Value,
  sfun: string,
  kwargs: Dict,
): Promise<StateResult | Dict> {
  const words = new Map([...plain(kwargs), ...dict({ name })]);
  if (sfun === 'running') {
    const isForced = (kwargs.get('watch_action') ?? 'force') === 'force';
    words.set('force', isForced);
    if (!isForced) words.set('send_signal', true);
  } else if (sfun !== 'stopped' && sfun !== 'run')
    return failure(name, `watch requisite is not implemented for ${sfun}`);
  const result = await ctx.state.call(`docker_container.${sfun}`, words);
  return isDict(result) ? result : failure(name, pyStr(result));
}

/** The states of `docker_container`. */
export const dockerContainerStates = defineModule({
  name: 'docker_container',
  file: 'docker_container',
  doc: 'Containers of Docker.',
  functions: {
    running: defineState({
      doc: 'Makes sure that a container runs as it is described; keywords are those of `docker run`.',
      params: RUNNING,
      kwargs: 'kwargs',
      refuses: ({ name }) => dockerNameRefusal('A container', name),
      run: runRunning,
    }),
    run: defineState({
      doc: 'Runs a container and waits for its end; use a requisite or `creates` to have it run once.',
      params: {
        ...IMAGE,
        bg: param.flag({ default: false, doc: 'Do not wait.' }),
        failhard: param.flag({ default: true, doc: 'Another exit code than 0 is a failure.' }),
        replace: param.flag({ default: false, doc: 'Remove a container of that name before.' }),
        force: param.flag({ default: false, doc: 'Also one that runs.' }),
        ...CHOICE,
        ...CLIENT_TIMEOUT,
      },
      kwargs: 'kwargs',
      run: (ctx, { name, image, bg, failhard, client_timeout, ...more }, kwargs) => {
        warnWithoutEffect(ctx, { client_timeout });
        return run(ctx, { name, image, bg, failhard, words: new Map([...plain(kwargs), ...dict(more)]) });
      },
    }),
    stopped: defineState({
      doc: 'Makes sure that containers do not run.',
      params: {
        name: param.value({ default: null, type: 'str', doc: 'The container.' }),
        containers: param.value({ default: null, type: 'list', doc: 'Several containers.' }),
        shutdown_timeout: param.value({ default: null, type: 'int', doc: 'Seconds until it is killed.' }),
        unpause: param.flag({ default: false, doc: 'Also those that are paused.' }),
        error_on_absent: param.flag({ default: true, doc: 'One that is not there is a failure.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, order) => stopped(ctx, order),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such container.',
      params: {
        name: param.text({ doc: 'The container.' }),
        force: param.flag({ default: false, doc: 'Also one that runs.' }),
      },
      run: (ctx, { name, force }) => absent(ctx, name, force),
    }),
    mod_watch: defineState({
      doc: 'Makes the container anew, or sends it a signal, when a watched state has changed something.',
      params: {
        name: param.text({ doc: 'The container.' }),
        sfun: param.text({ default: null, doc: 'The state that watches.' }),
      },
      kwargs: 'kwargs',
      run: (ctx, { name, sfun }, kwargs) => watch(ctx, name, sfun, kwargs),
    }),
  },
});
