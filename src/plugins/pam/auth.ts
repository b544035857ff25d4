/** `pam`: the system's own accounts, through its PAM (salt/auth/pam.py, 3006.16). */
import { existsSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { runProcess } from '../../host/process.ts';
import { findUser, groupIdsOf, listGroups } from '../../host/users.ts';
import type { Dict } from '../../python/values/value.ts';
import type { BackendContext, BackendSpec, Credentials } from '../shared/auth/backend.ts';
import { PAM_HELPER } from './auth/pam-helper.ts';
import { Slots } from '../shared/auth/slots.ts';

/** PAM makes whoever fails wait, some seconds as a rule. */
const TIMEOUT_MS = 20_000;
/** Processes that ask PAM at a time, and log-ins that may wait for one. */
const HELPERS_MAX = 8;
const WAITING_MAX = 64;
const ENVIRONMENT = new Map([['PATH', '/usr/sbin:/usr/bin:/sbin:/bin']]);

/** The backend. */
export const pamBackend: BackendSpec = {
  name: 'pam',
  doc: "The system's accounts, through its PAM; the option `auth.pam.service` names the service (login).",
  fault: ({ opts }) => {
    const python = option(opts, 'auth.pam.python', '/usr/bin/python3');
    return existsSync(python)
      ? undefined
      : `PAM is asked with the help of Python, and there is no ${python}: install python3, or name it in auth.pam.python`;
  },
  make: (context) => {
    const helpers = new Slots(HELPERS_MAX, WAITING_MAX);
    return {
      authenticate: (credentials) => helpers.run(() => ask(context, credentials)),
      groups: ({ username }) => groupsOf(username),
    };
  },
};

/** Has a process of its own ask PAM. @throws CommandExecutionError when that says neither yes nor no */
async function ask({ opts, clock, log }: BackendContext, credentials: Credentials): Promise<boolean> {
  const python = option(opts, 'auth.pam.python', '/usr/bin/python3');
  const service = option(opts, 'auth.pam.service', 'login');
  const { retcode, stderr, timedOut } = await runProcess([python, '-I', '-S', '-c', PAM_HELPER], {
    stdin: questionTo(service, credentials),
    env: ENVIRONMENT,
    timeoutMs: TIMEOUT_MS,
    diesWithUs: true,
    clock,
  });
  if (retcode === 0) return true;
  if (retcode !== 1 || timedOut)
    throw new CommandExecutionError(
      `PAM could not be asked (service ${service}): ${timedOut ? 'it did not answer' : stderr.toString().trim().slice(0, 200)}`,
    );
  log.debug(`PAM said no to ${credentials.username} (service ${service})`);
  return false;
}

/** Nothing that has a NUL is a name or a password of PAM's. */
function questionTo(service: string, { username, password }: Credentials): string {
  const parts = [service, username, password.reveal()];
  if (parts.some((part) => part.includes('\0')))
    throw new CommandExecutionError('A name or password with a NUL in it is none.');
  return `${parts.join('\0')}\0`;
}

/** The names of a user's groups on this system. */
export async function groupsOf(username: string): Promise<string[]> {
  const user = await findUser(username);
  if (user === undefined) return [];
  const ids = new Set(await groupIdsOf(user));
  return (await listGroups()).filter(({ gid }) => ids.has(gid)).map(({ name }) => name);
}

function option(opts: Dict, name: string, standard: string): string {
  const value = opts.get(name);
  return typeof value === 'string' && value !== '' ? value : standard;
}
