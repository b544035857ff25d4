/**
 * Passwords in the addresses of repositories. Git hands an address on to its helpers as an argument, which every user
 * of the machine reads; here git gets the address without user and password, and those through its environment and its
 * own credential protocol.
 *
 * Salt compat: Salt (3006.16 salt/modules/git.py) hands over the whole address. What git writes into its configuration
 * is the same.
 */
import type { Random } from '../../host/random.ts';

/** What git is told so that it logs in without a password among the arguments. */
export interface HiddenPasswords {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An address in two parts. */
interface Address {
  /** Scheme and host, with the slash behind them. */
  readonly place: string;
  /** The same with user and password. */
  readonly full: string;
  readonly user: string;
  readonly password: string;
}

/** Subcommands that speak with other repositories. */
const REMOTE = new Set(['clone', 'fetch', 'pull', 'push', 'ls-remote', 'submodule', 'archive', 'lfs']);
/** Options in front of the subcommand that have a value as the next word. */
const VALUED = new Set(['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--exec-path']);
const WITH_PASSWORD = /(https?:\/\/)([^/@\s:]*):([^/@\s]*)@([^/\s]+)\/?/gi;

/** Git's subcommand among the words behind `git`. */
function subcommandOf(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += VALUED.has(words[at] ?? '') ? 2 : 1)
    if (!(words[at] ?? '').startsWith('-')) return words[at];
  return undefined;
}

/** True for a command in which passwords matter: one that speaks with another repository. */
export function speaksWithRemote(words: readonly string[]): boolean {
  return REMOTE.has(subcommandOf(words) ?? '');
}

/** An address without user and password where it has both; any other text as it is. */
export function withoutPassword(text: string): string {
  return text.replace(WITH_PASSWORD, (_all, scheme: string, _user, _password, host: string) => {
    return `${scheme}${host}/`;
  });
}

/** True for a text with an address in which there is a password. */
export function hasPassword(text: string): boolean {
  return withoutPassword(text) !== text;
}

function addressesIn(texts: readonly string[]): Address[] {
  const found = new Map<string, Address>();
  for (const text of texts)
    for (const [, scheme = '', user = '', password = '', host = ''] of text.matchAll(WITH_PASSWORD)) {
      const place = `${scheme}${host}/`;
      const full = `${scheme}${user}:${password}@${host}/`;
      // the first of a host counts: it is the one that the command names
      if (!found.has(full))
        found.set(full, { place, full, user: decoded(user), password: decoded(password) });
    }
  return [...found.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A command without the passwords of its addresses.
 * @param words what follows `git`
 * @param known texts in which further addresses stand: those of the checkout's remotes, which git would read itself
 */
export function hidePasswords(words: readonly string[], known: readonly string[]): HiddenPasswords {
  const addresses = addressesIn([...words, ...known]);
  if (addresses.length === 0) return { words, env: {} };
  const env: Record<string, string> = {};
  const settings: [string, string][] = [];
  const places = new Set<string>();
  for (const [nth, { place, full, user, password }] of addresses.entries()) {
    settings.push([`url.${place}.insteadOf`, full]);
    if (places.has(place)) continue;
    places.add(place);
    env[`BRINE_GIT_USER_${nth}`] = user;
    env[`BRINE_GIT_PASSWORD_${nth}`] = password;
    // the empty one takes away what the user has configured for others
    settings.push([`credential.${place}.helper`, ''], [`credential.${place}.helper`, helperOf(nth)]);
  }
  env['GIT_CONFIG_COUNT'] = String(settings.length);
  for (const [nth, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${nth}`] = key;
    env[`GIT_CONFIG_VALUE_${nth}`] = value;
  }
  return { words: words.map(withoutPassword), env };
}

const BY_GIT = /^(?:.*@ *)?git\+https?:\/\//i;

/** True for a package that other programs have git fetch. */
export const isFetchedByGit = (word: string): boolean => BY_GIT.test(word);

/** The same for programs that have git fetch packages: only addresses such as `git+https://…` lose their passwords. */
export function hideGitPasswords(words: readonly string[]): HiddenPasswords {
  const fetched = words.filter(isFetchedByGit);
  const { env } = hidePasswords(fetched, []);
  return { words: words.map((word) => (isFetchedByGit(word) ? withoutPassword(word) : word)), env };
}

/**
 * The same for npm, which fetches archives by itself: it gets the password of `https://…` among its settings, one for
 * each host.
 * @returns words without passwords, and the settings as variables
 */
export function hideNpmPasswords(words: readonly string[]): HiddenPasswords {
  const byGit = hideGitPasswords(words);
  const env: Record<string, string> = { ...byGit.env };
  for (const { place, user, password } of addressesIn(byGit.words)) {
    const host = place.slice(place.indexOf('//'));
    env[`npm_config_${host}:_auth`] ??= Buffer.from(`${user}:${password}`).toString('base64');
  }
  return { words: byGit.words.map(withoutPassword), env };
}

/** The program of git's credential protocol; it takes what it says from its environment. */
function helperOf(nth: number): string {
  const said = `"$BRINE_GIT_USER_${nth}" "$BRINE_GIT_PASSWORD_${nth}"`;
  return `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' ${said}; }; f`;
}

/** What stands for a value in git's configuration until {@link editEnvironment} has put it there. */
export function placeholder(random: Random): string {
  return `brine-${random.bytes(12).toString('hex')}`;
}

/**
 * Replaces values of git's configuration: `git config --edit` runs it with the file, as the user whose file that is.
 */
const EDITOR =
  'f() { text=$(while IFS= read -r line || [ -n "$line" ]; do case "$line" in' +
  ' *"= $BRINE_GIT_OLD") printf "%s\\n" "${line%"$BRINE_GIT_OLD"}$BRINE_GIT_NEW";;' +
  ' *) printf "%s\\n" "$line";; esac; done < "$1") && printf "%s\\n" "$text" > "$1"; }; f';

/** The environment in which `git config --edit` replaces a value by another. */
export function editEnvironment(before: string, after: string): Readonly<Record<string, string>> {
  const escaped = after
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  const isPlain = /^[^\s"\\#;]+$/.test(after);
  return {
    GIT_EDITOR: EDITOR,
    BRINE_GIT_OLD: before,
    BRINE_GIT_NEW: isPlain ? after : `"${escaped}"`,
  };
}

/** Keys of settings whose values are secrets. */
const SECRET_KEY = /(?:extraheader|password|passwd|smtppass|token|secret|apikey|privatekey)$/i;

/** True for a setting that no argument is to have. */
export function isSecretSetting(key: string, value: string): boolean {
  return SECRET_KEY.test(key) || hasPassword(value);
}
