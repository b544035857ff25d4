/** Translated keywords of a container as the body of a request, in the fields that docker-py 5 sends. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { linkTexts } from './networks.ts';

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** A number of bytes, or a text like `512m`. @throws CommandExecutionError */
function bytesOf(value: Value): Value {
  if (typeof value !== 'string') return value;
  const text = value.replace(/(?<=[a-zA-Z])b$/i, '');
  const [, digits = '', unit = 'b'] = /^([0-9]+(?:\.[0-9]*)?)([bkmgt])?$/i.exec(text) ?? [];
  if (digits === '')
    throw new CommandExecutionError(
      `The specified value for memory (${value}) should specify the units. The postfix should be one of the \`b\` \`k\` \`m\` \`g\` characters`,
    );
  return Math.trunc(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1));
}

function deviceOf(given: Value): Value {
  if (isDict(given)) return given;
  const [host = '', inside = host, permissions = 'rwm'] = pyStr(given).split(':');
  return dict({ PathOnHost: host, PathInContainer: inside, CgroupPermissions: permissions });
}

function bindTexts(binds: Value): Value {
  if (!isDict(binds)) return binds;
  return [...binds].map(([place, how]) => {
    if (!isDict(how)) return `${pyStr(place)}:${pyStr(how)}:rw`;
    const readOnly = how.get('ro');
    const mode = readOnly === undefined ? (how.get('mode') ?? 'rw') : truthy(readOnly) ? 'ro' : 'rw';
    return `${pyStr(place)}:${pyStr(how.get('bind') ?? '')}:${pyStr(mode)}`;
  });
}

const sortedPairs = (value: Value): Value =>
  isDict(value) ? [...value].map(([key, item]) => `${pyStr(key)}:${pyStr(item)}`).sort() : value;
const textValues = (value: Value): Value =>
  isDict(value) ? new Map([...value].map(([key, item]) => [key, pyStr(item)])) : value;
const eachText = (value: Value): Value => (Array.isArray(value) ? value.map(pyStr) : value);
const eachDevice = (value: Value): Value => (Array.isArray(value) ? value.map(deviceOf) : value);

/** A field of the host: sent where it is true (or, with a star, where it is given), as it is or as `make` makes it. */
type HostField = readonly [field: string, make?: (value: Value) => Value];

const HOST_FIELDS: ReadonlyMap<string, HostField> = new Map<string, HostField>([
  ['mem_limit', ['*Memory', bytesOf]],
  ['memswap_limit', ['*MemorySwap', bytesOf]],
  ['mem_reservation', ['MemoryReservation', bytesOf]],
  ['kernel_memory', ['KernelMemory', bytesOf]],
  ['mem_swappiness', ['*MemorySwappiness']],
  ['shm_size', ['*ShmSize', bytesOf]],
  ['pid_mode', ['PidMode']],
  ['ipc_mode', ['IpcMode']],
  ['privileged', ['Privileged']],
  ['oom_kill_disable', ['OomKillDisable']],
  ['oom_score_adj', ['OomScoreAdj']],
  ['publish_all_ports', ['PublishAllPorts']],
  ['read_only', ['*ReadonlyRootfs']],
  ['dns_search', ['DnsSearch']],
  ['network_mode', ['NetworkMode']],
  ['restart_policy', ['RestartPolicy']],
  ['cap_add', ['CapAdd']],
  ['cap_drop', ['CapDrop']],
  ['devices', ['Devices', eachDevice]],
  ['group_add', ['GroupAdd', eachText]],
  ['dns', ['*Dns']],
  ['dns_opt', ['*DnsOptions']],
  ['security_opt', ['*SecurityOpt']],
  ['sysctls', ['Sysctls', textValues]],
  ['volumes_from', ['*VolumesFrom']],
  ['binds', ['*Binds', bindTexts]],
  ['port_bindings', ['*PortBindings']],
  ['extra_hosts', ['*ExtraHosts', sortedPairs]],
  ['links', ['*Links', linkTexts]],
  ['lxc_conf', ['*LxcConf']],
  ['cgroup_parent', ['*CgroupParent']],
  ['ulimits', ['*Ulimits']],
  ['log_config', ['*LogConfig']],
  ['cpu_quota', ['CpuQuota']],
  ['cpu_period', ['CpuPeriod']],
  ['cpu_shares', ['CpuShares']],
  ['cpuset_cpus', ['CpusetCpus']],
  ['cpuset_mems', ['CpusetMems']],
  ['cpu_rt_period', ['CPURealtimePeriod']],
  ['cpu_rt_runtime', ['CPURealtimeRuntime']],
  ['blkio_weight', ['BlkioWeight']],
  ['blkio_weight_device', ['BlkioWeightDevice']],
  ['device_read_bps', ['BlkioDeviceReadBps']],
  ['device_write_bps', ['BlkioDeviceWriteBps']],
  ['device_read_iops', ['BlkioDeviceReadIOps']],
  ['device_write_iops', ['BlkioDeviceWriteIOps']],
  ['tmpfs', ['Tmpfs']],
  ['userns_mode', ['UsernsMode']],
  ['uts_mode', ['UTSMode']],
  ['pids_limit', ['PidsLimit']],
  ['isolation', ['Isolation']],
  ['auto_remove', ['AutoRemove']],
  ['storage_opt', ['*StorageOpt']],
  ['init', ['*Init']],
  ['volume_driver', ['*VolumeDriver']],
  ['cpu_count', ['CpuCount']],
  ['cpu_percent', ['CpuPercent']],
  ['nano_cpus', ['NanoCpus']],
  ['runtime', ['Runtime']],
  ['mounts', ['*Mounts']],
  ['device_cgroup_rules', ['*DeviceCgroupRules']],
  ['device_requests', ['*DeviceRequests']],
]);

function hostConfig(keywords: Dict): Dict {
  const out = dict({ NetworkMode: 'default' });
  for (const [key, value] of keywords) {
    const known = HOST_FIELDS.get(pyStr(key));
    if (known === undefined) continue;
    const [named, make = (given: Value): Value => given] = known;
    const field = named.replace('*', '');
    if (field === named ? truthy(value) : value !== null) out.set(field, make(value));
  }
  if (out.get('NetworkMode') === 'host' && keywords.has('port_bindings'))
    throw new CommandExecutionError(
      'Unable to perform create_host_config: "host" network_mode is incompatible with port_bindings',
    );
  const whole = keywords.get('host_config');
  return isDict(whole) ? new Map([...out, ...whole]) : out;
}

const words = (value: Value): Value => (typeof value === 'string' ? splitWords(value) : value);
const keysOf = (value: Value): Value =>
  Array.isArray(value) ? new Map(value.map((item): [Value, Value] => [item, dict()])) : value;
const environment = (value: Value): Value =>
  isDict(value)
    ? [...value].map(([key, item]) => (item === null ? pyStr(key) : `${pyStr(key)}=${pyStr(item)}`))
    : value;

/** How the daemon sees whether a container is well. */
function healthcheck(value: Value): Value {
  if (!isDict(value)) return value;
  const out = dict();
  for (const [short, field] of [
    ['test', 'Test'],
    ['interval', 'Interval'],
    ['timeout', 'Timeout'],
    ['retries', 'Retries'],
    ['start_period', 'StartPeriod'],
  ] as const) {
    const given = value.get(field) ?? value.get(short) ?? null;
    if (given !== null)
      out.set(field, field === 'Test' && typeof given === 'string' ? ['CMD-SHELL', given] : given);
  }
  return out;
}

const CONFIG_FIELDS: ReadonlyMap<string, HostField> = new Map<string, HostField>([
  ['hostname', ['Hostname']],
  ['domainname', ['Domainname']],
  ['ports', ['ExposedPorts', keysOf]],
  ['user', ['User', pyStr]],
  ['environment', ['Env', environment]],
  ['command', ['Cmd', words]],
  ['volumes', ['Volumes', keysOf]],
  ['entrypoint', ['Entrypoint', words]],
  ['working_dir', ['WorkingDir']],
  ['mac_address', ['MacAddress']],
  ['labels', ['Labels']],
  ['stop_signal', ['StopSignal']],
  ['healthcheck', ['Healthcheck', healthcheck]],
  ['stop_timeout', ['StopTimeout']],
  ['networking_config', ['NetworkingConfig']],
]);
const FLAGS = ['detach', 'stdin_open', 'tty', 'network_disabled', 'host_config', 'use_config_proxy'];

/**
 * The body of a request for a container, and the keywords that it has no use for.
 * @throws CommandExecutionError, SaltInvocationError
 */
export function containerConfig(
  image: string,
  keywords: Dict,
): { readonly body: Dict; readonly unknown: readonly string[] } {
  const flag = (name: string): boolean => truthy(keywords.get(name) ?? null);
  const isAttached = !flag('detach');
  const takesInput = isAttached && flag('stdin_open');
  const body = dict({
    Image: image,
    Tty: flag('tty'),
    OpenStdin: flag('stdin_open'),
    StdinOnce: takesInput,
    AttachStdin: takesInput,
    AttachStdout: isAttached,
    AttachStderr: isAttached,
    NetworkDisabled: flag('network_disabled'),
  });
  const unknown: string[] = [];
  for (const [key, value] of keywords) {
    const name = pyStr(key);
    const field = CONFIG_FIELDS.get(name);
    if (field !== undefined && value !== null) body.set(field[0], (field[1] ?? ((given) => given))(value));
    else if (field === undefined && !HOST_FIELDS.has(name) && !FLAGS.includes(name)) unknown.push(name);
  }
  if (toNumber(keywords.get('stop_timeout') ?? 0) === undefined)
    throw new SaltInvocationError(`'${pyStr(keywords.get('stop_timeout') ?? null)}' is not an integer`);
  return { body: body.set('HostConfig', hostConfig(keywords)), unknown: unknown.sort() };
}
