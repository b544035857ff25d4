/** `mysql_user`: users of MariaDB and MySQL (3006.16 salt/states/mysql_user.py). */
import { dict, truthy, type Dict, type DictInit } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  CONNECTION,
  errorInParentheses,
  failureByError,
  hostRefusal,
  mysql,
  takeError,
} from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';

const NATIVE = 'mysql_native_password';

/** What a user is to be. */
interface WantedUser {
  readonly name: string;
  readonly host: string;
  readonly password: string | undefined;
  readonly password_hash: string | undefined;
  readonly allow_passwordless: boolean;
  readonly unix_socket: boolean;
  readonly password_column: string | undefined;
  readonly auth_plugin: string;
}

/** One state, and what it is about. */
interface Run {
  readonly ctx: StateContext;
  readonly wanted: WantedUser;
  readonly connection: Dict;
  /** The user as comments name him. */
  readonly shown: string;
  readonly isPasswordless: boolean;
}

const passwordsOf = ({ password, password_hash }: WantedUser): DictInit => ({
  password: password ?? null,
  password_hash: password_hash ?? null,
});

/** True when the user is there with the password that he is to have, or without one. */
async function isRight({ ctx, wanted, connection, isPasswordless }: Run): Promise<boolean> {
  const { name, host, unix_socket, password_column } = wanted;
  const how = isPasswordless ? { passwordless: true } : passwordsOf(wanted);
  const keywords = { ...how, unix_socket, password_column: password_column ?? null };
  return truthy(await mysql(ctx, 'user_exists', [name, host], connection, keywords));
}

function rightComment({ wanted, shown, isPasswordless }: Run): string {
  const start = `User ${shown} is already present`;
  if (isPasswordless) return wanted.allow_passwordless ? `${start} with passwordless login` : start;
  if (wanted.auth_plugin !== NATIVE) return `${start}. Unable to verify password.`;
  return `${start} with the desired password${wanted.password === undefined ? ' hash' : ''}`;
}

async function changePassword({ ctx, wanted, connection, shown, isPasswordless }: Run): Promise<StateResult> {
  const { name, host, allow_passwordless, unix_socket } = wanted;
  if (ctx.state.test) {
    const what = `Password for user ${shown} is set to be `;
    if (!isPasswordless) return outcome(name, null, `${what}changed`);
    return allow_passwordless
      ? outcome(name, null, `${what}cleared`)
      : outcome(name, false, `${what}cleared, but allow_passwordless != True`);
  }
  const keywords = { ...passwordsOf(wanted), allow_passwordless, unix_socket };
  if (truthy(await mysql(ctx, 'user_chpass', [name, host], connection, keywords))) {
    const done = `Password for user ${shown} has been ${isPasswordless ? 'cleared' : 'changed'}`;
    return outcome(name, true, done, dict({ [name]: 'Updated' }));
  }
  const failed = `Failed to ${isPasswordless ? 'clear' : 'change'} password for user ${shown}${errorInParentheses(ctx)}`;
  const note =
    isPasswordless && !allow_passwordless
      ? '. Note: allow_passwordless must be True to permit passwordless login.'
      : '';
  return outcome(name, false, `${failed}${note}`);
}

async function create({ ctx, wanted, connection, shown, isPasswordless }: Run): Promise<StateResult> {
  const { name, host, password_column, auth_plugin } = wanted;
  // Salt compat: Salt makes him without the password that is given, and sets it at the second run.
  const [allow_passwordless, unix_socket] = [
    wanted.allow_passwordless && isPasswordless,
    wanted.unix_socket && isPasswordless,
  ];
  const how =
    (allow_passwordless ? ' with passwordless login' : '') + (unix_socket ? ' using unix_socket' : '');
  if (ctx.state.test) return outcome(name, null, `User ${shown} is set to be added${how}`);
  const isDone = await mysql(ctx, 'user_create', [name, host], connection, {
    ...passwordsOf(wanted),
    allow_passwordless,
    unix_socket,
    password_column: password_column ?? null,
    auth_plugin,
  });
  return truthy(isDone)
    ? outcome(name, true, `The user ${shown} has been added${how}`, dict({ [name]: 'Present' }))
    : outcome(name, false, `Failed to create user ${shown}${errorInParentheses(ctx)}`);
}

async function present(ctx: StateContext, wanted: WantedUser, connection: Dict): Promise<StateResult> {
  const { name, host, unix_socket } = wanted;
  takeError(ctx);
  const run: Run = {
    ctx,
    wanted,
    connection,
    shown: `${name}@${host}`,
    isPasswordless: wanted.password === undefined && wanted.password_hash === undefined,
  };
  if (run.isPasswordless && !wanted.allow_passwordless && !unix_socket)
    return outcome(
      name,
      false,
      'Either password or password_hash must be specified, unless allow_passwordless is True',
    );
  if (await isRight(run)) return outcome(name, true, rightComment(run));
  const failure = failureByError(ctx, name);
  if (failure !== undefined) return failure;
  const isThere = truthy(await mysql(ctx, 'user_exists', [name, host], connection, { unix_socket }));
  if (isThere) return changePassword(run);
  return failureByError(ctx, name) ?? create(run);
}

async function absent(ctx: StateContext, name: string, host: string, connection: Dict): Promise<StateResult> {
  const shown = `${name}@${host}`;
  takeError(ctx);
  if (!truthy(await mysql(ctx, 'user_exists', [name, host], connection)))
    return (
      failureByError(ctx, name) ??
      outcome(name, true, `User ${shown} is not present, so it cannot be removed`)
    );
  if (ctx.state.test) return outcome(name, null, `User ${shown} is set to be removed`);
  if (truthy(await mysql(ctx, 'user_remove', [name, host], connection)))
    return outcome(name, true, `User ${shown} has been removed`, dict({ [name]: 'Absent' }));
  return failureByError(ctx, name) ?? outcome(name, false, `User ${shown} failed to be removed`);
}

const NAME = {
  name: param.text({ isLine: true, doc: 'The user.' }),
  host: param.text({ default: 'localhost', isLine: true, doc: 'Where he comes from.' }),
} as const;
const strictly = (doc: string): ReturnType<typeof param.strictFlag> =>
  param.strictFlag({ default: false, doc });

/** The states of `mysql_user`. */
export const mysqlUserStates = defineModule({
  name: 'mysql_user',
  file: 'mysql_user',
  doc: 'Users of MariaDB and MySQL.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a user, with his password.',
      params: {
        ...NAME,
        password: textIfSaid('The password; goes before its hash.'),
        password_hash: textIfSaid('The password as the server keeps it: *6C8989366EAF….'),
        allow_passwordless: strictly('He needs no password.'),
        unix_socket: strictly('The system says who he is.'),
        password_column: textIfSaid('The column of passwords in the table of users.'),
        auth_plugin: param.text({ default: NATIVE, doc: 'How he logs in (MySQL 8).' }),
      },
      kwargs: CONNECTION,
      refuses: (_args, _kwargs, { host }) => hostRefusal(host),
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such user.',
      params: NAME,
      kwargs: CONNECTION,
      refuses: (_args, _kwargs, { host }) => hostRefusal(host),
      run: (ctx, { name, host }, connection) => absent(ctx, name, host, connection),
    }),
  },
});
