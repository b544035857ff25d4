/**
 * How a command shows the master who asks: by the key of the user who runs it, by a token, or by logging in
 * (salt/cli/salt.py, salt/auth/__init__.py `Resolver`, 3006.16).
 */
import { thisUser } from '../../host/own-account.ts';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { UsageError } from '../../errors/errors.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { systemClock } from '../../host/clock.ts';
import { writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { Secret } from '../../host/secret.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { Login } from '../../runtime/client/login.ts';
import { tokenFailure } from '../../runtime/client/token-failure.ts';
import { askSecret, askText } from '../terminal/ask.ts';
import { isApiToken } from '../../storage/tokens/api-tokens.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import type { CommandIo } from '../terminal/io.ts';
import type { ClientProgram } from './client-program.ts';

/** Sends a command in the clear. @returns the master's reply */
export type AskMaster = (load: Dict) => Promise<Value>;

/**
 * A token in the file of the command line's user is believed for so long; as in Salt, the master decides in the end. An
 * API token lives longer than that.
 */
function tokenInFile(opts: MasterOptions): string | undefined {
  const path = opts.get('token_file');
  if (path === null) return undefined;
  try {
    const ageMs = systemClock.nowMs() - statSync(path).mtimeMs;
    const token = readFileSync(path, 'utf8').trim();
    if (!isApiToken(token) && ageMs > opts.get('token_expire') * 1000) return undefined;
    return token || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds out how to log in, asking for what was not given.
 *
 * Salt compat: Salt takes the key of root wherever it can be read and a token was kept, whatever `-a` says. Here `-a`
 * with a name logs in with it.
 * @returns undefined for the key of the user
 */
export async function findLogin(
  { opts, merged, logging }: Pick<ClientProgram, 'opts' | 'merged' | 'logging'>,
  io: CommandIo,
  ask: AskMaster,
): Promise<Login | undefined> {
  const eauth = textOf(merged, 'eauth');
  if (textOf(merged, 'password') !== '') hideCommandLine();
  const token = tokenInFile(opts);
  const isNamed = textOf(merged, 'username') !== '';
  if (token !== undefined && !isNamed && (eauth !== '' || !hasRootKey(opts)))
    return { kind: 'token', token: new Secret(token) };
  if (eauth === '') return undefined;
  const given = textOf(merged, 'username') || (await askText(io, 'username'));
  const username = given === '' ? thisUser() : given;
  const password = new Secret(textOf(merged, 'password') || (await askSecret(io, 'password')));
  const login: Login = { kind: 'eauth', eauth, username, password };
  if (!truthy(merged.get('mktoken'))) return login;
  return (await makeToken(login, { opts, ask, log: logging.logger })) ?? login;
}

/**
 * Looks at the options of a log-in, before anybody is asked for anything: what is typed wrong is said whether the
 * master runs or not.
 * @throws UsageError
 */
export async function checkLogin({ opts, merged }: Pick<ClientProgram, 'opts' | 'merged'>): Promise<void> {
  const eauth = textOf(merged, 'eauth');
  await refuseUnknownSystem(eauth, { opts, merged });
  if (eauth === '') refuseIdleNames(merged, tokenInFile(opts) !== undefined);
}

/** The same for programs that look for no token unless they are told to log in. @throws UsageError */
export function requireLogin(parsed: ParsedOptions): void {
  if (parsed.text('eauth') !== '') return;
  refuseIdleNames(new Map(parsed.entries()), false);
}

/**
 * What only a log-in needs, without one: the command would run in another name than the one that was given.
 * @throws UsageError
 */
function refuseIdleNames(merged: Dict, hasToken: boolean): void {
  const idle = ['username', 'password'].find((name) => textOf(merged, name) !== '');
  if (idle !== undefined)
    throw new UsageError(
      `option --${idle} needs --eauth: without it nobody logs in, and the user's own key is shown`,
    );
  if (truthy(merged.get('mktoken')) && !hasToken)
    throw new UsageError(
      'option --make-token needs --eauth, which names the authentication system to log in through',
    );
}

/** @throws UsageError that says which systems there are */
async function refuseUnknownSystem(
  eauth: string,
  { opts, merged }: Pick<ClientProgram, 'opts' | 'merged'>,
): Promise<void> {
  const configured = opts.get('external_auth');
  if (eauth === '' || configured.has(eauth)) return;
  const [{ AUTH_BACKENDS }, { extensionFiles, pythonFiles }] = await Promise.all([
    import('../../plugins/registry/auth/table.generated.ts'),
    import('../../runtime/extensions/folder.ts'),
  ]);
  const own = [...extensionFiles(merged, 'auth'), ...pythonFiles(merged, 'auth')].map(({ name }) => name);
  const known = [...new Set([...AUTH_BACKENDS.keys(), ...own])].sort();
  const named = [...configured.keys()].map(String).sort();
  const usable = named.length === 0 ? 'external_auth names none' : `external_auth names ${named.join(', ')}`;
  if (!known.includes(eauth))
    throw new UsageError(
      // the first two sentences are Salt's (salt/auth/__init__.py `Resolver.cli`)
      `The specified external authentication system "${eauth}" is not available.${didYouMean(eauth, known)} ` +
        `Available eauth types: ${known.join(', ')}. Of these, ${usable}.`,
    );
  throw new UsageError(
    `option --eauth: nobody can log in through '${eauth}', since the option external_auth of this master does not name it: ${usable}.`,
  );
}

/** Finds out how to log in, and has a client do so. */
export async function logIn(
  client: { command: AskMaster; logInWith(login: Login): void },
  program: Pick<ClientProgram, 'opts' | 'merged' | 'logging'>,
  io: CommandIo,
): Promise<void> {
  const login = await findLogin(program, io, (load) => client.command(load));
  if (login !== undefined) client.logInWith(login);
}

/** Asks the master for a token and keeps it for later commands. @returns undefined when there is none to be had */
async function makeToken(
  { eauth, username, password }: Extract<Login, { kind: 'eauth' }>,
  { opts, ask, log }: { readonly opts: MasterOptions; readonly ask: AskMaster; readonly log: Logger },
): Promise<Login | undefined> {
  const reply = await ask(
    new Map<Value, Value>([
      ['cmd', 'mk_token'],
      ['eauth', eauth],
      ['username', username],
      ['password', password.reveal()],
    ]),
  );
  const failure = tokenFailure(reply);
  if (failure !== undefined) log.warning(failure);
  const token = isDict(reply) ? reply.get('token') : undefined;
  if (typeof token !== 'string' || token === '') return undefined;
  const path = opts.get('token_file');
  try {
    if (path !== null) writeFileAtomic(path, token, { mode: 0o600 });
  } catch (error) {
    log.warning(`The token could not be kept in ${String(path)}.`, error);
  }
  return { kind: 'token', token: new Secret(token) };
}

function hasRootKey(opts: MasterOptions): boolean {
  try {
    accessSync(join(opts.get('cachedir'), '.root_key'), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A password on the command line would stand in the list of processes as long as the command runs. */
function hideCommandLine(): void {
  process.title = process.title.split(/[\s/]/)[0] ?? 'salt';
}

function textOf(merged: Dict, name: string): string {
  const value = merged.get(name);
  return typeof value === 'string' ? value : '';
}
