/** `ip` on Debian: interfaces, routes and names of the network. Follows 3006.16 salt/modules/debian_ip.py. */
import { chmodSync, existsSync } from 'node:fs';
import { writeInPlace } from '../../host/file-operations.ts';
import { createFile, safeJoin } from '../../host/files.ts';
import { pyStr } from '../../python/values/repr.ts';
import { pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { applyNetworkSettings } from './module/apply.ts';
import { bondSettings, bondText } from './module/debian/bond.ts';
import {
  INTERFACES_FILE,
  INTERFACES_FOLDER,
  readInterfacesFiles,
  sourceText,
  stanzaText,
  type Adapter,
} from './module/debian/interfaces-file.ts';
import {
  currentNames,
  currentSettings,
  isWithoutNetworkingFile,
  settingsText,
  wantedSettings,
  writeNetworking,
  writeResolver,
} from './module/debian/network.ts';
import { readRouteScripts, routeScripts, routesOf, writeRouteScripts } from './module/debian/routes.ts';
import { interfaceStanzas, knowsCarrier, pppText, sourceStanza } from './module/debian/stanzas.ts';
import { IP_PARAMS, IP_WORDS, SWITCHED } from './module/params.ts';
import { fileLines, interfaceName, isFamily, linesOf, settingError, wrongOption } from './module/settings.ts';
import { runText } from '../shared/program.ts';
import { serviceExists, serviceRuns } from '../shared/services.ts';
import { installedVersion } from '../shared/installed-versions.ts';

const MODPROBE_FOLDER = '/etc/modprobe.d/';
const PPP_FOLDER = '/etc/ppp/peers';
/** A password may stand in it. */
const PPP_MODE = 0o640;
const BUILT = ['eth', 'bond', 'bridge', 'slave', 'vlan', 'pppoe'];
const TYPES = 'eth bond alias clone ipsec dialup bridge slave vlan pppoe source'.split(' ');
const PASSIVE = new Set(['slave', 'source']);

/** A text as `text.split('\n')` takes it apart, each line with an end. */
function splitText(text: string): string[] {
  return text.split('\n').map((line) => `${line}\n`);
}

/** What of the settings no file of Salt's has, so that nobody waits for its effect. */
const UNWRITTEN =
  /^(?:ipv[46])?(?:search|broadcast|(?:pre_|post_)?(?:up|down)_cmds|dad-.*|preferred-lifetime)$/;

/** Asks for what a type of interface needs. @throws PythonError (AttributeError) where something is missing */
async function prepareType(ctx: ModuleContext, type: string, settings: Dict): Promise<Dict> {
  const isTest = truthy(settings.get('test'));
  // Salt compat: Salt installs packages in test mode, too.
  const install = async (name: string): Promise<void> => {
    if (!isTest) await ctx.functions.call('pkg.install', [name]);
  };
  const need = (name: string, kind: string): void => {
    if (!settings.has(name)) throw settingError(`${name} is a required setting for ${kind}`);
  };
  const out = new Map(settings);
  if (type === 'slave') {
    need('master', 'slave interfaces');
    return out.set('slave', 'yes');
  }
  if (type === 'bond') need('slaves', 'bond interfaces');
  if (type === 'bridge') {
    need('ports', 'bridge interfaces on Debian or Ubuntu based systems');
    await install('bridge-utils');
  }
  if (type === 'vlan') {
    out.set('vlan', 'yes');
    await install('vlan');
  }
  if (type === 'pppoe') {
    // Salt compat: Salt ends with a KeyError, after it has written the other file.
    need('provider', 'pppoe interfaces');
    out.set('pppoe', 'yes');
    if ((await installedVersion(ctx, ['ppp'])) === undefined) await install('ppp');
  }
  return out;
}

async function buildInterface(
  ctx: ModuleContext,
  wanted: {
    readonly iface: string;
    readonly type: string;
    readonly isEnabled: boolean;
    readonly settings: Dict;
  },
): Promise<Value> {
  const { isEnabled, type } = wanted;
  const iface = type === 'source' ? wanted.iface : interfaceName(wanted.iface);
  if (!TYPES.includes(type)) throw wrongOption(iface, type, TYPES);
  // Salt compat: Salt ends with an UnboundLocalError.
  if (type !== 'source' && !BUILT.includes(type))
    throw settingError(
      `Interfaces of the type ${type} cannot be written on Debian. Choose one of ${BUILT.join(', ')}, source.`,
    );
  const settings = await prepareType(ctx, type, wanted.settings);
  warnOfUnwritten(ctx, iface, settings);
  const adapter =
    type === 'source'
      ? sourceStanza(settings)
      : interfaceStanzas({ iface, type, isEnabled, settings }, ctx.grains);
  if (truthy(settings.get('test'))) return splitText(stanzaText(iface, adapter));
  const written = writeStanzas(iface, adapter, settings.get('filename'));
  if (type === 'pppoe') writePpp(adapter.families?.get('inet') ?? new Map());
  return splitText(written);
}

/** Salt compat: Salt says nothing of settings that it does not write. */
function warnOfUnwritten(ctx: ModuleContext, iface: string, settings: Dict): void {
  const names = [...settings.keys()].map(pyStr).filter((name) => UNWRITTEN.test(name));
  if (names.length > 0)
    ctx.log.warning(`${iface}: not written into ${INTERFACES_FILE}, as by Salt 3006: ${names.join(', ')}.`);
}

/** Puts stanzas among those there are. @returns the text of this interface */
function writeStanzas(iface: string, adapter: Adapter, filename: Value | undefined): string {
  const adapters = readInterfacesFiles().set(iface, adapter);
  const texts = [...adapters].map(([name, each]) =>
    each.isSource === true ? sourceText(each) : stanzaText(name, each),
  );
  const saved = texts[[...adapters.keys()].indexOf(iface)] ?? '';
  if (filename !== undefined && typeof filename !== 'string')
    throw settingError(`'${pyTypeName(filename)}' object has no attribute 'startswith'`);
  const path =
    filename === undefined
      ? INTERFACES_FILE
      : filename.startsWith('/')
        ? filename
        : safeJoin(INTERFACES_FOLDER, filename);
  const folder = path.slice(0, path.lastIndexOf('/'));
  if (!existsSync(folder === '' ? '/' : folder))
    throw settingError(`${folder.replace(INTERFACES_FOLDER, `${INTERFACES_FOLDER}/`)} cannot be written.`);
  writeInPlace(path, filename === undefined ? texts.join('') : saved);
  return saved;
}

function writePpp(options: Dict): void {
  if (!existsSync(PPP_FOLDER)) throw settingError(`${PPP_FOLDER} cannot be written.`);
  const path = safeJoin(PPP_FOLDER, pyStr(options.get('provider') ?? null));
  const text = pppText(options);
  if (existsSync(path)) {
    writeInPlace(path, text);
    chmodSync(path, PPP_MODE);
  } else createFile(path, text, { mode: PPP_MODE });
}

const bondPath = (iface: string): string => `${MODPROBE_FOLDER}${interfaceName(iface)}.conf`;

async function buildBond(ctx: ModuleContext, iface: string, settings: Dict): Promise<Value> {
  const path = bondPath(iface);
  const text = bondText(iface, bondSettings(settings, iface, knowsCarrier(ctx.grains)));
  if (truthy(settings.get('test'))) return linesOf(text);
  if (!existsSync(MODPROBE_FOLDER))
    throw settingError(`${path} cannot be written. ${MODPROBE_FOLDER} does not exist`);
  writeInPlace(path, text);
  await ctx.functions.call('kmod.load', ['bonding']);
  await ctx.functions.call('pkg.install', ['ifenslave']);
  return fileLines(path) ?? '';
}

function buildRoutes(iface: string, settings: Dict): Value {
  const texts = routeScripts(interfaceName(iface), routesOf(iface, settings));
  if (truthy(settings.get('test'))) return linesOf(texts.join(''));
  writeRouteScripts(iface, texts);
  return readRouteScripts(iface);
}

async function networkSettings(ctx: ModuleContext): Promise<Value> {
  if (!isWithoutNetworkingFile(ctx.grains)) return linesOf(settingsText(currentSettings()));
  const isOn = (await serviceExists(ctx, ['networking'])) && (await serviceRuns(ctx, ['networking']));
  return linesOf(settingsText({ networking: isOn ? 'yes' : 'no', ...currentNames() }));
}

async function buildNetworkSettings(ctx: ModuleContext, settings: Dict): Promise<Value> {
  const isTest = truthy(settings.get('test'));
  const current = currentSettings();
  const wanted = wantedSettings(settings, current);
  // Salt compat: Salt foretells the file of the service here, which its state then compares with something else.
  if (isTest) return linesOf(settingsText(wanted));
  if (!isWithoutNetworkingFile(ctx.grains)) writeNetworking(wanted.networking);
  else {
    // Salt compat: Salt enables and disables services in test mode, too.
    const order = wanted.networking === 'yes' ? 'service.enable' : 'service.disable';
    for (const service of ['NetworkManager', 'networking'])
      if (await serviceExists(ctx, [service])) await ctx.functions.call(order, [service]);
  }
  writeResolver(wanted, current);
  return linesOf(settingsText(wanted));
}

async function restartNetworking(ctx: ModuleContext): Promise<Value> {
  const isStopped = await ctx.functions.call('service.stop', ['networking']);
  await ctx.clock.sleep(2000);
  return truthy(isStopped) ? ctx.functions.call('service.start', ['networking']) : isStopped;
}

const IS_SILENT = 'the output of the program; nothing for slaves and sources, which are not touched';

/** The module. */
export const debianIpModule = defineModule({
  name: 'ip',
  file: 'debian_ip',
  doc: 'Configures the network: interfaces, routes, host name.',
  words: IP_WORDS,
  unavailable: ({ grains }) =>
    isFamily('Debian', grains)
      ? undefined
      : 'The debian_ip module could not be loaded: unsupported OS family',
  functions: {
    build_bond: defineFunction({
      doc: 'Writes the settings of a bond for modprobe, loads the module of the kernel and installs `ifenslave`.',
      params: { iface: IP_PARAMS.iface },
      kwargs: 'settings',
      returns: 'the lines of the file',
      examples: ["salt '*' ip.build_bond bond0 mode=balance-alb"],
      run: (ctx, { iface }, _rest, settings) => buildBond(ctx, iface, settings),
    }),
    build_interface: defineFunction({
      doc: 'Writes the configuration of an interface.',
      params: IP_PARAMS,
      kwargs: 'settings',
      returns: 'the lines of its stanzas',
      examples: ["salt '*' ip.build_interface eth0 eth True proto=static ipaddr=192.0.2.7 netmask=24"],
      run: (ctx, { iface, iface_type, enabled }, _rest, settings) =>
        buildInterface(ctx, { iface, type: iface_type, isEnabled: enabled, settings }),
    }),
    build_network_settings: defineFunction({
      doc: 'Writes what holds for the whole system: enabled, hostname, search.',
      kwargs: 'settings',
      returns: 'the settings, one in a line',
      examples: ["salt '*' ip.build_network_settings enabled=True hostname=box.example.com"],
      run: (ctx, _args, _rest, settings) => buildNetworkSettings(ctx, settings),
    }),
    build_routes: defineFunction({
      doc: 'Writes the routes of an interface, which are set when it comes up.',
      params: { iface: IP_PARAMS.iface },
      kwargs: 'settings',
      returns: 'the lines of the scripts',
      examples: [
        "salt '*' ip.build_routes eth0 routes='[{ipaddr: 198.51.100.0, netmask: 24, gateway: 192.0.2.1}]'",
      ],
      run: (_ctx, { iface }, _rest, settings) => buildRoutes(iface, settings),
    }),
    apply_network_settings: defineFunction({
      doc: 'Sets the host name where `apply_hostname` says so, and restarts the network unless `require_reboot` says not to.',
      kwargs: 'settings',
      returns: 'true when all went well',
      examples: ["salt '*' ip.apply_network_settings"],
      run: (ctx, _args, _rest, settings) => applyNetworkSettings(ctx, settings, () => restartNetworking(ctx)),
    }),
    down: defineFunction({
      doc: 'Shuts an interface down.',
      params: SWITCHED,
      returns: IS_SILENT,
      examples: ["salt '*' ip.down eth0 eth"],
      run: (ctx, { iface, iface_type }) =>
        PASSIVE.has(iface_type) ? null : runText(ctx, ['ifdown', interfaceName(iface)]),
    }),
    up: defineFunction({
      doc: 'Brings an interface up.',
      params: SWITCHED,
      returns: IS_SILENT,
      examples: ["salt '*' ip.up eth0 eth"],
      run: (ctx, { iface, iface_type }) =>
        PASSIVE.has(iface_type) ? null : runText(ctx, ['ifup', interfaceName(iface)]),
    }),
    get_bond: defineFunction({
      doc: 'Reads the settings of a bond for modprobe.',
      params: { iface: param.text({ doc: 'The bond.' }) },
      returns: 'the lines of the file; an empty text where there is none',
      examples: ["salt '*' ip.get_bond bond0"],
      run: (_ctx, { iface }) => fileLines(bondPath(iface)) ?? '',
    }),
    get_interface: defineFunction({
      doc: 'Reads the configuration of an interface.',
      params: { iface: IP_PARAMS.iface },
      returns: 'the lines of its stanzas; an empty list where there are none',
      examples: ["salt '*' ip.get_interface eth0"],
      run: (_ctx, { iface }) => {
        const adapter = readInterfacesFiles().get(iface);
        if (adapter === undefined) return [];
        return splitText(iface === 'source' ? sourceText(adapter) : stanzaText(iface, adapter));
      },
    }),
    get_network_settings: defineFunction({
      doc: 'Reads what holds for the whole system.',
      returns: 'the settings, one in a line',
      examples: ["salt '*' ip.get_network_settings"],
      run: (ctx) => networkSettings(ctx),
    }),
    get_routes: defineFunction({
      doc: 'Reads the routes of an interface.',
      params: { iface: IP_PARAMS.iface },
      returns: 'the lines of the scripts; an empty text where there are none',
      examples: ["salt '*' ip.get_routes eth0"],
      run: (_ctx, { iface }) => readRouteScripts(interfaceName(iface)),
    }),
  },
});
