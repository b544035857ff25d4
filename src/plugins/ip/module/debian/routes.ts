/** The scripts that set routes when an interface comes up. Follows 3006.16 salt/modules/debian_ip.py `build_routes`. */
import { chmodSync, existsSync } from 'node:fs';
import { writeInPlace } from '../../../../host/file-operations.ts';
import { createFile } from '../../../../host/files.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { fileLines, lowerKeys, settingError, wrongRoutes } from '../settings.ts';

const SCRIPT_MODE = 0o755;
/** What programs run when an interface has come up or is going down, and what they do with its routes. */
const SCRIPTS = [
  { folder: '/etc/network/if-up.d/', verb: 'add' },
  { folder: '/etc/network/if-down.d/', verb: 'del' },
] as const;

/** The routes among settings. @throws PythonError (AttributeError) where there is no list of routes */
export function routesOf(iface: string, settings: Dict): Dict[] {
  const routes = lowerKeys(settings).get('routes');
  // Salt compat: what is no list of mappings ends with a TypeError, or becomes a route to nowhere.
  if (!Array.isArray(routes) || !routes.every(isDict)) throw wrongRoutes(iface, 'routes', 'List of routes');
  return routes;
}

/**
 * The texts of both scripts.
 * @throws PythonError (AttributeError) for a route that a shell would read as more than a route
 */
export function routeScripts(iface: string, routes: readonly Dict[]): readonly [up: string, down: string] {
  const [up, down] = SCRIPTS.map(
    ({ verb }) =>
      `#!/bin/sh\n# ${verb}\ntest "\${IFACE}" = "${iface}" || exit 0\n` +
      routes.map((route) => routeText(iface, verb, route)).join(''),
  );
  return [up ?? '', down ?? ''];
}

function routeText(iface: string, verb: string, route: Dict): string {
  const part = (name: string, before: string): string => {
    const value = route.get(name);
    return truthy(value) ? before + routeWord(iface, name, value ?? null) : '';
  };
  const name = route.get('name');
  const comment = truthy(name) ? `# ${oneLine(iface, name ?? null)}\n` : '';
  const target = `${part('ipaddr', '')}${part('netmask', '/')}`;
  return `${comment}ip route ${verb} ${target} ${part('gateway', 'via ')} dev ${iface}${part('metric', ' metric ')}\n`;
}

/** Salt compat: Salt writes any text into the script, which a shell runs as root. */
function routeWord(iface: string, name: string, value: Value): string {
  const text = pyStr(value);
  if (/^[\w.:/%@+ -]*$/.test(text)) return text;
  throw settingError(
    `Invalid option -- Route interface: ${iface}, Option: ${name}, Expected: [an address, a number or words; not ${pyRepr(text)}]`,
  );
}

function oneLine(iface: string, value: Value): string {
  const text = pyStr(value);
  if (!/[\r\n\0]/.test(text)) return text;
  throw settingError(`Invalid option -- Route interface: ${iface}, Option: name, Expected: [one line]`);
}

/** Where the scripts of an interface are: what starts them takes no dots. */
function scriptPaths(iface: string): readonly [up: string, down: string] {
  const [up, down] = SCRIPTS.map(({ folder }) => `${folder}route-${iface.replaceAll('.', '_')}`);
  return [up ?? '', down ?? ''];
}

/** The lines of both scripts; an empty text where there is none. */
export function readRouteScripts(iface: string): Value {
  // Salt compat: Salt looks for names with dots, which it never writes.
  const found = scriptPaths(iface).map(fileLines);
  return found.every((lines) => lines === undefined) ? '' : found.flatMap((lines) => lines ?? []);
}

/** Writes both. @throws PythonError (AttributeError) where there is no folder for them */
export function writeRouteScripts(iface: string, texts: readonly [up: string, down: string]): void {
  for (const [i, path] of scriptPaths(iface).entries()) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (!existsSync(folder)) throw settingError(`${path} cannot be written. ${folder} does not exist`);
    const text = texts[i] ?? '';
    if (!existsSync(path)) {
      createFile(path, text, { mode: SCRIPT_MODE });
      continue;
    }
    writeInPlace(path, text);
    chmodSync(path, SCRIPT_MODE);
  }
}
