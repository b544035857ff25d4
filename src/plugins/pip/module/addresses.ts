/** Addresses that pip is handed: as arguments, or in its environment where they have a password. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';

const PROTOCOLS = /^(?:https?|ftp|file):/i;
const HAS_PASSWORD = /^[a-z+]+:\/\/[^/@\s]*:[^/@\s]*@|^[a-z+]+:\/\/[^/:@\s]+@/i;

/** Words of a command line, and variables for what no list of processes is to show. */
export interface PipWords {
  readonly words: readonly Value[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * An option with an address.
 * Salt compat: Salt always has it among the arguments, where every user of the machine reads a password in it.
 */
function addressOption(option: string, variable: string, address: Value | undefined): PipWords {
  if (address === undefined) return { words: [], env: {} };
  const text = pyStr(address);
  return HAS_PASSWORD.test(text)
    ? { words: [], env: { [variable]: text } }
    : { words: [option, address], env: {} };
}

/** The same for an index. @throws CommandExecutionError for what is no address */
export function indexOption(option: string, variable: string, address: Value | undefined): PipWords {
  if (address !== undefined && !PROTOCOLS.test(pyStr(address)))
    throw new CommandExecutionError(`'${pyStr(address)}' is not a valid URL`);
  return addressOption(option, variable, address);
}

/** Where packages are looked for besides. @throws CommandExecutionError for what is neither address nor path */
export function linkOptions(links: readonly Value[]): PipWords {
  const texts = links.map(pyStr);
  for (const link of texts)
    if (!PROTOCOLS.test(link) && !pathExists(link))
      throw new CommandExecutionError(`'${link}' is not a valid URL or path`);
  if (texts.some((link) => HAS_PASSWORD.test(link) && !/\s/.test(link)))
    return { words: [], env: { PIP_FIND_LINKS: texts.join(' ') } };
  return { words: links.flatMap((link) => ['--find-links', link]), env: {} };
}

/** The proxy: the one given, or that of the configuration, unless none is wanted. */
export function proxyOption(opts: Dict, proxy: Value): PipWords {
  if (truthy(proxy)) return addressOption('--proxy', 'PIP_PROXY', proxy);
  const host = opts.get('proxy_host');
  const port = opts.get('proxy_port');
  if (proxy === false || !truthy(host) || !truthy(port)) return { words: [], env: {} };
  const [user, password] = [opts.get('proxy_username'), opts.get('proxy_password')];
  const login = truthy(user) && truthy(password) ? `${pyStr(user ?? '')}:${pyStr(password ?? '')}@` : '';
  return addressOption('--proxy', 'PIP_PROXY', `http://${login}${pyStr(host ?? '')}:${pyStr(port ?? '')}`);
}
