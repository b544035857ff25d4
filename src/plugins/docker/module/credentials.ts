/** The passwords of registries, as `docker login` keeps them in `config.json`. */
import { readTextIfExists } from '../../../host/files.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { joinPath } from '../../../python/paths.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';

const HUB = 'docker.io';
const HUB_KEYS = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io'];

function readConfig(ctx: ModuleContext): Dict {
  const folder = process.env['DOCKER_CONFIG'] ?? joinPath(process.env['HOME'] ?? '/root', '.docker');
  const path = joinPath(folder, 'config.json');
  try {
    const found = parseJson(readTextIfExists(path) ?? '{}');
    return isDict(found) ? found : dict();
  } catch (error) {
    ctx.log.warning(`The logins of Docker in ${path} cannot be read, and are not used`, error);
    return dict();
  }
}

/** The registry of an image: the part before the first slash, where it is a host. */
function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isHost ? first : HUB;
}

const bareHost = (key: Value): string =>
  String(key)
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/s, '');

/** The header with which an image is asked for; empty where nobody has logged in to its registry. */
export function registryHeaders(ctx: ModuleContext, image: string): Readonly<Record<string, string>> {
  const config = readConfig(ctx);
  const registry = registryOf(image);
  const found = config.get('auths');
  const auths = isDict(found) ? found : dict();
  const isWanted = (key: Value): boolean =>
    registry === HUB ? HUB_KEYS.includes(String(key)) : bareHost(key) === registry;
  const [, login] = [...auths].find(([key]) => isWanted(key)) ?? [];
  if (!isDict(login)) return {};
  const token = login.get('identitytoken') ?? login.get('IdentityToken');
  if (typeof token === 'string') return header(dict({ IdentityToken: token }));
  const auth = login.get('auth');
  if (typeof auth !== 'string') {
    if (config.has('credsStore') || config.has('credHelpers'))
      ctx.log.warning(`The login of ${registry} is kept by a helper of Docker's, which is not asked.`);
    return {};
  }
  const [username = '', ...password] = Buffer.from(auth, 'base64').toString('utf8').split(':');
  return header(dict({ username, password: password.join(':'), serveraddress: registry }));
}

function header(login: Dict): Readonly<Record<string, string>> {
  return { 'x-registry-auth': Buffer.from(toJson(login)).toString('base64url') };
}
