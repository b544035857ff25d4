/**
 * Making containers: of a template, or of another container (3006.16 salt/modules/lxc.py `create`, `clone`,
 * `apply_network_profile`).
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { updateDict } from '../../../formats/data/dict-merge.ts';
import { unifiedDiff } from '../../../python/text/unified-diff.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { copyValue, dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, runCode, type Ended } from '../../shared/program.ts';
import { configText, DEFAULT_NIC, readConfig, settingsOf, writeConfig, type ConfigLine } from './config.ts';
import {
  changed,
  containerExists,
  needContainer,
  placeWords,
  rootOf,
  shownCommand,
  stateOf,
} from './container.ts';
import { networkSettings } from './network.ts';

/**
 * A profile of the configuration, with what is said besides over it.
 * @param key container_profile or network_profile
 */
export async function profileOf(ctx: ModuleContext, key: string, name: Value, more: Dict): Promise<Dict> {
  if (isDict(name)) {
    const rest = new Map([...name].filter(([field]) => field !== 'name'));
    return profileOf(ctx, key, name.get('name') ?? null, rest);
  }
  const given =
    name === null
      ? dict()
      : await ctx.functions.call('config.get', [`lxc.${key}:${pyStr(name)}`], {
          default: null,
          merge: 'recurse',
        });
  if (given !== null && !isDict(given)) throw new CommandExecutionError(`lxc.${key} must be a dictionary`);
  const overrides = new Map([...more].filter(([field]) => !pyStr(field).startsWith('__')));
  return updateDict(given === null ? dict() : copyValue(given), overrides);
}

/** What is said, else what the profile says. */
class Choice {
  readonly #said: Dict;
  readonly #profile: Dict;
  constructor(said: Dict, profile: Dict) {
    this.#said = said;
    this.#profile = profile;
  }
  value(key: string, fallback: Value = null): Value {
    const said = this.#said.get(key) ?? null;
    return said ?? this.#profile.get(key) ?? fallback;
  }
  /** A text, undefined for what is false. */
  text(key: string, fallback: Value = null): string | undefined {
    const value = this.value(key, fallback);
    return truthy(value) ? pyStr(value) : undefined;
  }
}

/** How the network of a new container is to be. */
export interface NewNetwork {
  readonly profile: Value;
  readonly options: Value;
}

/** Gives a container the network cards of a profile. @returns what has changed in its configuration */
export async function applyNetworkProfile(
  ctx: ModuleContext,
  name: string,
  { profile, options, path }: NewNetwork & { readonly path: string | undefined },
): Promise<string> {
  const file = join(rootOf(ctx, path), name, 'config');
  const before = await readConfig(file);
  const old = settingsOf(before).filter(([key]) => key.startsWith('lxc.network'));
  const wanted = truthy(profile) ? await profileOf(ctx, 'network_profile', profile, dict()) : dict();
  const made = await networkSettings(ctx, old, {
    profile: wanted,
    options: isDict(options) ? options : dict(),
  });
  if (made.length === 0) return '';
  // Salt compat: of several network cards the last one's settings stand for all
  const merged = new Map(made);
  const own = new Map(
    [...merged].map(([key, value]): [Value, Value] => {
      const field = key.slice('lxc.network.'.length);
      return [field === 'hwaddr' ? 'mac' : field, value];
    }),
  );
  const profileOfNic = await profileOf(ctx, 'network_profile', DEFAULT_NIC, dict());
  const cards = await networkSettings(ctx, settingsOf(before), {
    profile: profileOfNic,
    options: new Map([[merged.get('lxc.network.name') ?? DEFAULT_NIC, own]]),
  });
  const isNetwork = (line: ConfigLine): boolean =>
    'setting' in line && line.setting[0].startsWith('lxc.network.');
  const after = [
    ...before.filter((line) => !isNetwork(line)),
    ...cards.map((setting): ConfigLine => ({ setting })),
  ];
  await writeConfig(file, after);
  const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return unifiedDiff(
    lines(configText(before)),
    lines(configText(after)),
    { from: 'before', to: 'after' },
    3,
  ).join('');
}

/** Looks how the making has ended; what was made in part is removed. */
async function finish(
  ctx: ModuleContext,
  ended: Ended,
  made: NewNetwork & {
    readonly name: string;
    readonly path: string | undefined;
    readonly words: readonly string[];
  },
): Promise<Dict> {
  const { name, path } = made;
  const isThere = await containerExists(ctx, name, path);
  if (ended.retcode !== 0 || !isThere) {
    if (isThere) await runCode(ctx, ['lxc-destroy', ...placeWords(path), '-n', name]);
    const shown = isThere ? ['lxc-destroy', ...placeWords(path), '-n', name] : made.words;
    throw new CommandExecutionError(
      `Container could not be created with cmd '${shownCommand(shown)}': ${ended.stderr}`,
    );
  }
  if (truthy(made.profile)) {
    const difference = await applyNetworkProfile(ctx, name, made);
    if (difference !== '')
      ctx.log.info(`The network of the new container '${name}' was changed:\n${difference}`);
  }
  return changed(true, null, (await stateOf(ctx, name, path)) ?? null);
}

/** What a container is made of. */
export interface NewContainer {
  readonly name: string;
  readonly config?: string | undefined;
  readonly profile: Value;
  readonly network_profile: Value;
  readonly nic_opts: Value;
  readonly more: Dict;
}

const WITHOUT_SIZE = ['dir', 'overlayfs', 'btrfs', 'zfs'];
const WITHOUT_VOLUME = ['aufs', 'dir', 'overlayfs', 'btrfs'];
/** What the template `download` cannot do without. */
const OF_DOWNLOAD = ['dist', 'release', 'arch'];

function backingWords(choice: Choice, vgname: string | undefined): string[] {
  const backing = choice.text('backing') ?? (vgname === undefined ? undefined : 'lvm');
  if (backing === undefined) return [];
  const kind = backing.toLowerCase();
  const option = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, value];
  const has = (list: readonly string[]): boolean => !list.includes(backing);
  const volume = kind === 'lvm' && has(WITHOUT_VOLUME);
  const size = kind !== 'dir' && kind !== 'overlayfs' && has(WITHOUT_SIZE);
  return [
    ...['-B', kind],
    ...(kind === 'zfs' ? option('--zfsroot', choice.text('zfsroot')) : []),
    ...(volume ? option('--lvname', choice.text('lvname')) : []),
    ...(volume ? option('--vgname', vgname) : []),
    ...(volume ? option('--thinpool', choice.text('thinpool')) : []),
    ...(size ? option('--fstype', choice.text('fstype')) : []),
    ...(size ? option('--fssize', choice.text('size', '1G')) : []),
  ];
}

/** Makes a container of a template. @throws CommandExecutionError, SaltInvocationError */
export async function createContainer(ctx: ModuleContext, wanted: NewContainer): Promise<Dict> {
  const { name, config } = wanted;
  const profile = await profileOf(ctx, 'container_profile', wanted.profile, dict());
  const choice = new Choice(wanted.more, profile);
  const path = choice.text('path');
  if (await containerExists(ctx, name, path))
    throw new CommandExecutionError(`Container '${name}' already exists`);
  const volumeGroup = choice.text('vgname') ?? (await ctx.functions.call('config.get', ['lxc.vgname']));
  const template = choice.text('template');
  const image = choice.text('image');
  if (template !== undefined && image !== undefined)
    throw new SaltInvocationError("Only one of 'template' and 'image' is permitted");
  if (image !== undefined)
    throw new SaltInvocationError(
      "A container of an 'image' needs a template of Salt's own, which is not here; give a 'template'.",
    );
  if (template === undefined && profile.size === 0)
    throw new SaltInvocationError("At least one of 'template', 'image', and 'profile' is required");
  const options = choice.value('options');
  const given = isDict(options)
    ? [...options].map(([key, value]) => [pyStr(key), pyStr(value)] as const)
    : [];
  const missing =
    template === 'download' ? OF_DOWNLOAD.filter((key) => !given.some(([own]) => own === key)) : [];
  if (given.length > 0 && missing.length > 0)
    throw new SaltInvocationError(`Missing params in 'options' dict: ${missing.join(', ')}`);
  if (path !== undefined) await mkdir(path, { recursive: true });
  const words = [
    ...['lxc-create', '-n', name],
    ...placeWords(path),
    ...(config === undefined ? [] : ['-f', config]),
    ...(template === undefined ? [] : ['-t', template]),
    ...backingWords(choice, truthy(volumeGroup) ? pyStr(volumeGroup) : undefined),
    ...(given.length > 0 ? ['--', ...given.flatMap(([key, value]) => [`--${key}`, value])] : []),
  ];
  const network = { profile: wanted.network_profile, options: wanted.nic_opts };
  return finish(ctx, await runAll(ctx, words), { ...network, name, path, words });
}

const SECOND_VERSION = 2;

/** The version of LXC. */
export async function lxcVersion(ctx: ModuleContext): Promise<string | undefined> {
  const { retcode, stdout } = await runAll(ctx, ['lxc-info', '--version']);
  return retcode === 0 ? stdout.trim() : undefined;
}

/** Makes a container of another one. @throws CommandExecutionError */
export async function cloneContainer(
  ctx: ModuleContext,
  wanted: NewContainer,
  original: string,
): Promise<Dict> {
  const { name } = wanted;
  const choice = new Choice(wanted.more, await profileOf(ctx, 'container_profile', wanted.profile, dict()));
  const path = choice.text('path');
  if (await containerExists(ctx, name, path))
    throw new CommandExecutionError(`Container '${name}' already exists`);
  await needContainer(ctx, original, path);
  if ((await stateOf(ctx, original, path)) !== 'stopped')
    throw new CommandExecutionError(`Container '${original}' must be stopped to be cloned`);
  const backing = choice.text('backing');
  const snapshot = backing !== 'dir' && truthy(choice.value('snapshot')) ? '-s' : '';
  const isNew = Number((await lxcVersion(ctx))?.split('.')[0] ?? SECOND_VERSION) >= SECOND_VERSION;
  // Salt compat: where there is no snapshot there are two spaces, as errors show
  const verb = isNew
    ? ['lxc-copy', snapshot, '-n', original, '-N', name]
    : ['lxc-clone', snapshot, '-o', original, '-n', name];
  if (path !== undefined) await mkdir(path, { recursive: true });
  const size = choice.text('size', '1G');
  const isSized =
    backing !== undefined && !['dir', 'overlayfs', 'btrfs'].includes(backing) && size !== undefined;
  const words = [
    ...verb,
    ...placeWords(path),
    ...(backing === undefined ? [] : ['-B', backing.toLowerCase()]),
    ...(isSized ? ['-L', size] : []),
  ];
  const network = { profile: wanted.network_profile, options: wanted.nic_opts };
  return finish(
    ctx,
    await runAll(
      ctx,
      words.filter((word) => word !== ''),
    ),
    { ...network, name, path, words },
  );
}
