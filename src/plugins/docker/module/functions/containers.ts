/** `docker`: containers. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../../runtime/loader/module.ts';
import { param } from '../../../../runtime/loader/params.ts';
import { connectionDifferences } from '../compare-connections.ts';
import { containerDifferences } from '../compare-containers.ts';
import { containerState, innerDict, inspectContainer } from '../container-facts.ts';
import {
  actOn,
  changeState,
  createContainer,
  refreshMine,
  removeContainer,
  stateChange,
  stopContainer,
} from '../containers.ts';
import { askForDict } from '../daemon.ts';
import { containerLogs } from '../logs.ts';
import { runContainer } from '../run-container.ts';
import { texts, type TranslateChoice } from '../translate.ts';
import { CHOICE, CLIENT_TIMEOUT, warnWithoutEffect } from '../choice-params.ts';

const CONTAINER = { name: param.text({ doc: 'The container: its name or id.' }) } as const;
const CHANGE = 'mapping with result and state (old, new), and a comment where nothing was done';
const CREATION = { ...CHOICE, ...CLIENT_TIMEOUT } as const;
const NEW = {
  image: param.text({ doc: 'The image; it is fetched where it is not there.' }),
  name: param.textIfGiven({
    default: null,
    doc: 'The name of the container; the daemon finds one without it.',
  }),
} as const;
/** A container by name, or what is known of one. */
const named = (value: Value): Dict | string => (isDict(value) ? value : pyStr(value));
const COMPARED = {
  first: param.by(named, { type: 'str', doc: 'A container.' }),
  second: param.by(named, { type: 'str', doc: 'The other.' }),
} as const;

function choiceOf(args: {
  readonly skip_translate: Value;
  readonly ignore_collisions: boolean;
  readonly validate_ip_addrs: boolean;
}): TranslateChoice {
  return {
    skipTranslate: args.skip_translate,
    ignoreCollisions: args.ignore_collisions,
    validates: args.validate_ip_addrs,
  };
}

/** A change after which the mine is told of the containers. */
async function told<T>(ctx: ModuleContext, change: Promise<T>): Promise<T> {
  const done = await change;
  await refreshMine(ctx);
  return done;
}

/** A change that cannot be made of a container in one of the states. */
async function unless(
  ctx: ModuleContext,
  name: string,
  wrong: { state: string; verb: string },
  to: { verb: string; expected: string },
): Promise<Dict> {
  const now = await containerState(ctx, name);
  if (now !== wrong.state) return told(ctx, changeState(ctx, name, to));
  return stateChange(false, now, now, `Container '${name}' is ${now}, cannot ${wrong.verb}`);
}

async function factsOf(ctx: ModuleContext, given: Dict | string): Promise<Dict> {
  return typeof given === 'string' ? inspectContainer(ctx, given) : given;
}

async function wait(
  ctx: ModuleContext,
  name: string,
  how: { isStoppedRight: boolean; isExitChecked: boolean },
): Promise<Dict> {
  const state = (): Promise<string | null> =>
    containerState(ctx, name).catch((error: unknown) => {
      if (error instanceof CommandExecutionError) return null;
      throw error;
    });
  const before = await state();
  if (before === null) return dict({ result: how.isStoppedRight, comment: `Container '${name}' absent` });
  const ended = await askForDict(ctx, {
    ...{ method: 'POST', path: ['containers', name, 'wait'], timeoutSeconds: 0 },
  });
  const after = await state();
  const isStopped = before === 'stopped';
  const isRight = isStopped ? how.isStoppedRight : after === 'stopped';
  const isFailed = how.isExitChecked && ended.get('StatusCode') !== 0;
  const out = dict({
    result: isRight && !isFailed,
    state: dict({ old: before, new: after }),
    exit_status: ended,
  });
  return isStopped ? out.set('comment', `Container '${name}' already stopped`) : out;
}

/** Functions about containers. */
export const containerFunctions = {
  create: defineFunction({
    doc: 'Makes a container. Keywords are those of `docker run`: environment, ports, binds, restart_policy and others.',
    params: { ...NEW, start: param.flag({ default: false, doc: 'Start it, too.' }), ...CREATION },
    kwargs: 'kwargs',
    returns: 'mapping with Id, Name, Warnings and Time_Elapsed',
    examples: ["salt '*' docker.create myuser/mycontainer name=web ports=80 environment=A=b"],
    run: async (ctx, { image, name, start, ...rest }, _rest, keywords) => {
      warnWithoutEffect(ctx, rest);
      const made = await createContainer(ctx, { image, name, keywords, choice: choiceOf(rest) });
      if (start) {
        await changeState(ctx, pyStr(made.get('Name') ?? null), { verb: 'start', expected: 'running' });
        made.set('Started', true);
      }
      await refreshMine(ctx);
      return made;
    },
  }),
  run_container: defineFunction({
    doc: 'Makes a container, starts it and waits for its end. Keywords as for `docker.create`.',
    params: {
      ...NEW,
      ...CREATION,
      bg: param.flag({ default: false, doc: 'Do not wait.' }),
      replace: param.flag({ default: false, doc: 'Remove a container of that name before.' }),
      force: param.flag({ default: false, doc: 'Also one that runs.' }),
      networks: param.valueIfGiven({
        default: null,
        type: 'str or dict',
        doc: 'Networks that it is connected to.',
      }),
    },
    kwargs: 'kwargs',
    returns: 'mapping with Id, Name, Logs, ExitCode and Time_Elapsed',
    examples: ["salt '*' docker.run_container myuser/myimage command=/usr/local/bin/myscript.sh"],
    run: (ctx, { image, name, bg, replace, force, networks, ...rest }, _rest, keywords) => {
      warnWithoutEffect(ctx, rest);
      return told(
        ctx,
        runContainer(ctx, { image, name, bg, replace, force, networks, keywords, choice: choiceOf(rest) }),
      );
    },
  }),
  start: defineFunction({
    doc: 'Starts a container.',
    params: CONTAINER,
    returns: CHANGE,
    examples: ["salt '*' docker.start mycontainer"],
    run: (ctx, { name }) =>
      unless(ctx, name, { state: 'paused', verb: 'start' }, { verb: 'start', expected: 'running' }),
  }),
  stop: defineFunction({
    doc: 'Stops a container.',
    params: {
      ...CONTAINER,
      timeout: param.value({
        default: null,
        type: 'int',
        doc: 'Seconds until it is killed; 10, or its own time.',
      }),
      unpause: param.flag({ default: false, doc: 'Also one that is paused.' }),
    },
    returns: CHANGE,
    examples: ["salt '*' docker.stop mycontainer timeout=20"],
    run: (ctx, { name, timeout, unpause }) =>
      told(ctx, stopContainer(ctx, name, { timeout, isUnpausing: unpause })),
  }),
  restart: defineFunction({
    doc: 'Starts a container anew.',
    params: { ...CONTAINER, timeout: param.count({ default: 10, doc: 'Seconds until it is killed.' }) },
    returns: CHANGE,
    examples: ["salt '*' docker.restart mycontainer"],
    run: async (ctx, { name, timeout }) => {
      const done = await changeState(ctx, name, {
        ...{ verb: 'restart', expected: 'running', query: { t: timeout }, waitSeconds: timeout },
      });
      return done.get('result') === true ? done.set('restarted', true) : done;
    },
  }),
  kill: defineFunction({
    doc: 'Ends a container at once.',
    params: CONTAINER,
    returns: CHANGE,
    examples: ["salt '*' docker.kill mycontainer"],
    run: (ctx, { name }) => told(ctx, changeState(ctx, name, { verb: 'kill', expected: 'stopped' })),
  }),
  signal: defineFunction({
    doc: 'Sends a signal to a container.',
    params: { ...CONTAINER, signal: param.text({ doc: 'Its name or number.' }) },
    returns: 'true',
    examples: ["salt '*' docker.signal mycontainer SIGHUP"],
    run: async (ctx, { name, signal }) => {
      await told(ctx, actOn(ctx, name, { verb: 'kill', query: { signal } }));
      return true;
    },
  }),
  pause: defineFunction({
    doc: 'Has a container stand still.',
    params: CONTAINER,
    returns: CHANGE,
    examples: ["salt '*' docker.pause mycontainer"],
    run: (ctx, { name }) =>
      unless(ctx, name, { state: 'stopped', verb: 'pause' }, { verb: 'pause', expected: 'paused' }),
  }),
  unpause: defineFunction({
    doc: 'Has a container go on that stood still.',
    params: CONTAINER,
    returns: CHANGE,
    examples: ["salt '*' docker.unpause mycontainer"],
    run: (ctx, { name }) =>
      unless(ctx, name, { state: 'stopped', verb: 'unpause' }, { verb: 'unpause', expected: 'running' }),
  }),
  wait: defineFunction({
    doc: 'Waits for the end of a container.',
    params: {
      ...CONTAINER,
      ignore_already_stopped: param.flag({ default: false, doc: 'Having ended before is right, too.' }),
      fail_on_exit_status: param.flag({ default: false, doc: 'Another exit code than 0 is wrong.' }),
    },
    returns: 'mapping with result, state and exit_status',
    examples: ["salt '*' docker.wait mycontainer"],
    run: (ctx, { name, ignore_already_stopped, fail_on_exit_status }) =>
      wait(ctx, name, { isStoppedRight: ignore_already_stopped, isExitChecked: fail_on_exit_status }),
  }),
  rename: defineFunction({
    doc: 'Gives a container another name.',
    params: { ...CONTAINER, new_name: param.text({ doc: 'The new name.' }) },
    returns: 'true where it has the name',
    examples: ["salt '*' docker.rename foo bar"],
    run: async (ctx, { name, new_name }) => {
      const id = (await inspectContainer(ctx, name)).get('Id');
      await actOn(ctx, name, { verb: 'rename', query: { name: new_name } });
      return (await inspectContainer(ctx, new_name)).get('Id') === id;
    },
  }),
  rm: defineFunction({
    doc: 'Removes a container.',
    params: {
      ...CONTAINER,
      force: param.flag({ default: false, doc: 'Also one that runs.' }),
      volumes: param.flag({ default: false, doc: 'And the volumes without a name that belong to it.' }),
      stop: param.flag({ default: false, doc: 'Stop it before.' }),
      timeout: param.value({
        default: null,
        type: 'int',
        doc: 'Seconds until it is killed where it is stopped.',
      }),
    },
    returns: 'list of the ids that are gone',
    examples: ["salt '*' docker.rm mycontainer force=True"],
    run: (ctx, { name, ...how }) => told(ctx, removeContainer(ctx, name, how)),
  }),
  logs: defineFunction({
    doc: 'Returns what a container has printed.',
    params: CONTAINER,
    kwargs: 'kwargs',
    returns: 'text; stdout, stderr, timestamps, tail, since and follow say what of it',
    examples: ["salt '*' docker.logs mycontainer tail=100"],
    run: (ctx, { name }, _rest, options) => containerLogs(ctx, name, options),
  }),
  port: defineFunction({
    doc: 'Returns which ports of the host lead to a container.',
    params: {
      ...CONTAINER,
      private_port: param.textIfGiven({ default: null, doc: 'Only this port of it: 80 or 80/tcp.' }),
    },
    returns: 'mapping of port to list of HostIp and HostPort',
    examples: ["salt '*' docker.port mycontainer 5000/tcp"],
    run: async (ctx, { name, private_port }) => {
      const ports = innerDict(await inspectContainer(ctx, name), 'NetworkSettings', 'Ports');
      if (private_port === undefined) return ports;
      const isWanted = (port: string): boolean =>
        port === private_port || port.startsWith(`${private_port}/`);
      return new Map([...ports].filter(([port]) => isWanted(pyStr(port))));
    },
  }),
  compare_containers: defineFunction({
    doc: 'Returns what the configurations of two containers differ in.',
    params: {
      first: param.text({ doc: COMPARED.first.doc }),
      second: param.text({ doc: COMPARED.second.doc }),
      ignore: param.by((value) => (truthy(value) ? texts(value) : []), {
        default: null,
        type: 'str or list',
        doc: 'Fields that do not count.',
      }),
    },
    returns: 'mapping of Config and HostConfig to field to old and new',
    examples: ["salt '*' docker.compare_containers foo bar ignore=Hostname"],
    run: (ctx, { first, second, ignore }) => containerDifferences(ctx, { first, second }, ignore),
  }),
  compare_container_networks: defineFunction({
    doc: 'Returns how two containers are connected differently.',
    params: COMPARED,
    returns: 'mapping of network to field to old and new',
    examples: ["salt '*' docker.compare_container_networks foo bar"],
    run: async (ctx, { first, second }) =>
      connectionDifferences(ctx, await factsOf(ctx, first), await factsOf(ctx, second)),
  }),
};
