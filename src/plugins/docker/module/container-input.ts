/** Keywords of containers (3006.16 salt/utils/dockermod/translate/container.py). */
import { isAbs } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, isInt, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { exposedPorts, portBindings } from './port-input.ts';
import {
  cutAt,
  fieldsOf,
  read,
  readNumber,
  requireAbsolute,
  requireIp,
  splitText,
  texts,
  translate,
  wrong,
  type Reader,
  type TranslateChoice,
  type TranslateOptions,
  type Translator,
} from './translate.ts';

const ALIASES: readonly (readonly [alias: string, name: string])[] = [
  ['cmd', 'command'],
  ['cpuset', 'cpuset_cpus'],
  ['dns_option', 'dns_opt'],
  ['env', 'environment'],
  ['expose', 'ports'],
  ['interactive', 'stdin_open'],
  ['ipc', 'ipc_mode'],
  ['label', 'labels'],
  ['memory', 'mem_limit'],
  ['memory_swap', 'memswap_limit'],
  ['publish', 'port_bindings'],
  ['publish_all', 'publish_all_ports'],
  ['restart', 'restart_policy'],
  ['rm', 'auto_remove'],
  ['sysctl', 'sysctls'],
  ['security_opts', 'security_opt'],
  ['ulimit', 'ulimits'],
  ['user_ns_mode', 'userns_mode'],
  ['volume', 'volumes'],
  ['workdir', 'working_dir'],
];

const rates =
  (isNumeric: boolean): Reader =>
  (value) =>
    fieldsOf(value, ['Path', 'Rate']).map((item) => {
      const [path, rate] = [item.get('Path') ?? null, item.get('Rate') ?? null];
      if (typeof path !== 'string' || !isAbs(path)) wrong(`Path '${pyStr(path)}' is not absolute`);
      const number = readNumber(rate);
      if (number === undefined && isNumeric)
        wrong(`Rate '${pyStr(rate)}' for path '${pyStr(path)}' is non-numeric`);
      return item.set('Rate', number ?? rate);
    });

const restartPolicy: Reader = (value) => {
  const [policy, ...others] = fieldsOf(value, ['Name', 'MaximumRetryCount'], '0');
  if (policy === undefined || others.length > 0) return wrong('Only one policy is permitted');
  const given = policy.get('MaximumRetryCount') ?? null;
  const count = readNumber(given) ?? wrong(`Retry count '${pyStr(given)}' is non-numeric`);
  return policy.set('MaximumRetryCount', count);
};

const ulimits: Reader = (value) => {
  const list = Array.isArray(value) ? value : splitText(pyStr(value));
  return list.map((item) => {
    if (isDict(item)) return item;
    const text = pyStr(item);
    const [name, limits] =
      cutAt(text, '=') ??
      wrong(`Ulimit definition '${text}' is not in the format type=soft_limit[:hard_limit]`);
    const [soft, hard] = cutAt(limits, ':') ?? [limits, limits];
    const [low, high] = [readNumber(soft), readNumber(hard)];
    if (low === undefined || high === undefined)
      return wrong(`Limit '${text}' contains non-numeric value(s)`);
    return dict({ Name: name, Soft: low, Hard: high });
  });
};

const user: Reader = (value) => {
  const number = readNumber(value);
  if (number === undefined && typeof value !== 'string') return wrong('Value must be a username or uid');
  if (number !== undefined && number < 0) return wrong(`'${pyStr(value)}' is an invalid uid`);
  return number ?? value;
};

const volumes: Reader = (value) => {
  const found = texts(value);
  found.forEach(requireAbsolute);
  return found;
};

const dns: Reader = (value, { validates }) => {
  const found = texts(value);
  if (validates) found.forEach(requireIp);
  return found;
};

const extraHosts: Reader = (value, { validates }) => {
  const found = read.pairs(':')(value);
  if (validates) [...found.values()].forEach(requireIp);
  return found;
};

const blockWeights: Reader = (value) =>
  fieldsOf(value, ['Path', 'Weight']).map((item) => {
    const weight = item.get('Weight') ?? null;
    const number =
      readNumber(weight) ??
      wrong(`Weight '${pyStr(weight)}' for path '${pyStr(item.get('Path') ?? null)}' is not an integer`);
    return item.set('Weight', number);
  });

const KINDS: readonly (readonly [reader: Reader, names: string])[] = [
  [
    read.flag,
    'auto_remove detach network_disabled oom_kill_disable privileged publish_all_ports read_only stdin_open tty',
  ],
  [
    read.text,
    'cpuset_cpus cpuset_mems domainname hostname ipc_mode isolation log_driver mac_address network_mode pid_mode stop_signal userns_mode volume_driver',
  ],
  [
    read.number,
    'blkio_weight cpu_group cpu_period cpu_shares mem_swappiness oom_score_adj pids_limit stop_timeout',
  ],
  [read.texts, 'cap_add cap_drop devices dns_opt dns_search group_add security_opt volumes_from'],
  [read.bytes, 'mem_limit memswap_limit shm_size'],
  [read.command, 'command entrypoint'],
  [read.mapping, 'host_config tmpfs'],
  [read.pairs('='), 'environment log_opt lxc_conf storage_opt sysctls'],
  [read.pairs(':'), 'links'],
  [read.labels, 'labels'],
  [rates(false), 'device_read_bps device_write_bps'],
  [rates(true), 'device_read_iops device_write_iops'],
  [(value) => (isDict(value) || Array.isArray(value) ? value : splitText(pyStr(value))), 'binds'],
  [blockWeights, 'blkio_weight_device'],
  [dns, 'dns'],
  [extraHosts, 'extra_hosts'],
  [restartPolicy, 'restart_policy'],
  [ulimits, 'ulimits'],
  [user, 'user'],
  [volumes, 'volumes'],
  [portBindings, 'port_bindings'],
  [exposedPorts, 'ports'],
  [
    (value) => {
      requireAbsolute(value);
      return value;
    },
    'working_dir',
  ],
];

function mergeLogging(keywords: Dict): void {
  const [type, config] = [keywords.get('log_driver'), keywords.get('log_opt')];
  keywords.delete('log_driver');
  keywords.delete('log_opt');
  if (keywords.has('log_config') || (type === undefined && config === undefined)) return;
  keywords.set('log_config', dict({ Type: type ?? 'none', Config: config ?? dict() }));
}

const isFree = ({ skipped }: TranslateOptions, ...names: readonly string[]): boolean =>
  names.every((name) => !skipped.has(name));

/** The places within a container at which binds show. */
function boundPlaces(binds: Value): Value[] {
  if (isDict(binds))
    return [...binds.values()].flatMap((item) => (isDict(item) ? (item.get('bind') ?? []) : []));
  return (Array.isArray(binds) ? binds : []).flatMap((item) => splitText(pyStr(item), ':')[1] ?? []);
}

function finish(keywords: Dict, options: TranslateOptions, invalid: Map<string, string>): void {
  const given = (name: string): Value => keywords.get(name) ?? null;
  if (given('port_bindings') !== null && truthy(given('publish_all_ports'))) {
    keywords.delete('port_bindings');
    invalid.set('port_bindings', 'Cannot be used when publish_all_ports=True');
  }
  if (given('hostname') !== null && given('network_mode') === 'host') {
    keywords.delete('hostname');
    invalid.set('hostname', 'Cannot be used when network_mode=True');
  }
  if (given('binds') !== null && isFree(options, 'binds', 'volume', 'volumes')) {
    const places = boundPlaces(given('binds'));
    const own = given('volumes');
    const all = new Set([...(Array.isArray(own) ? own : []), ...places].map(pyStr));
    if (places.length > 0) keywords.set('volumes', [...all].sort());
  }
  const bindings = given('port_bindings');
  if (isDict(bindings) && bindings.size > 0 && isFree(options, 'port_bindings', 'expose', 'ports')) {
    const own = given('ports');
    const all = new Set([
      ...(Array.isArray(own) ? own : []).map(portText),
      ...[...bindings.keys()].map(portText),
    ]);
    keywords.set('ports', [...all]);
  }
}

const portText = (port: Value): string => (isInt(port) ? `${port}/tcp` : pyStr(port));

const CONTAINER: Translator = {
  aliases: new Map(ALIASES),
  readers: new Map(
    KINDS.flatMap(([reader, names]) => names.split(' ').map((name) => [name, reader] as const)),
  ),
  merge: mergeLogging,
  finish,
};

/** Keywords of a container as the body of a request takes them. @throws CommandExecutionError */
export function containerInput(keywords: Dict, choice: TranslateChoice): Dict {
  return translate(CONTAINER, keywords, choice);
}
